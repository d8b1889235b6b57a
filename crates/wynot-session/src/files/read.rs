//! Reading files and directories from disk into a folder.

use crate::system_error::plain;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wynot_subjects::{Folder, FolderEntry};

/// A file or directory that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("cannot read {}: {}", path.display(), plain(source))]
pub struct UnreadableFile {
    /// The path of the file or directory.
    pub path: PathBuf,
    /// The error.
    pub source: io::Error,
}

/// Reads a file, or a directory with everything below it, into a folder, where it gets the path `place`.
///
/// Links below `path` are not followed. Sockets, pipes, devices and the paths in `except` are left out.
pub fn read_tree(path: &Path, place: &Path, except: &[PathBuf]) -> Result<Folder, UnreadableFile> {
    let mut entries: Vec<(PathBuf, FolderEntry)> = Vec::new();
    let mut pending = vec![(path.to_owned(), place.to_owned())];
    while let Some((from, place)) = pending.pop() {
        let failed = |source| UnreadableFile { path: from.clone(), source };
        let metadata = match from == *path {
            // The user may name a link, which is followed; a link below the path stays a link.
            true => fs::metadata(&from),
            false => fs::symlink_metadata(&from),
        };
        let metadata = metadata.map_err(failed)?;
        let mode = metadata.permissions().mode() & 0o7777;
        if metadata.is_dir() {
            for entry in fs::read_dir(&from).map_err(failed)? {
                let entry = entry.map_err(failed)?;
                if !except.contains(&entry.path()) {
                    pending.push((entry.path(), place.join(entry.file_name())));
                }
            }
            if !place.as_os_str().is_empty() {
                entries.push((place, FolderEntry::Directory { mode }));
            }
        } else if metadata.is_symlink() {
            entries.push((place, FolderEntry::Link(fs::read_link(&from).map_err(failed)?)));
        } else if metadata.is_file() {
            let contents = Arc::new(fs::read(&from).map_err(failed)?.into());
            let modified = metadata.modified().ok();
            entries.push((place, FolderEntry::File { contents, mode, modified }));
        }
    }
    Ok(entries.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::write_folder;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_folder_that_is_written_and_read_is_the_same() {
        let scratch = tempfile::tempdir().unwrap();
        let (from, to) = (scratch.path().join("from"), scratch.path().join("to"));
        fs::create_dir_all(from.join("a/empty")).unwrap();
        fs::write(from.join("a/run"), "#!/bin/sh\n").unwrap();
        fs::set_permissions(from.join("a/run"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(from.join("binary"), [0, 255, 10]).unwrap();
        fs::write(from.join("left out"), "x").unwrap();
        symlink("../outside", from.join("link")).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(from.join("socket")).unwrap();
        let folder = read_tree(&from, Path::new(""), &[from.join("left out")]).unwrap();
        write_folder(&to, &folder).unwrap();
        assert_eq!(read_tree(&to, Path::new(""), &[]).unwrap(), folder);
        let paths: Vec<_> = folder.leaves().map(|(path, _)| path.display().to_string()).collect();
        assert_eq!(paths, ["a/empty", "a/run", "binary", "link"]);
        let age = |path: PathBuf| fs::metadata(path).unwrap().modified().unwrap();
        assert_eq!(age(from.join("a/run")), age(to.join("a/run")));
        let placed = read_tree(&from.join("a"), Path::new("x/y"), &[]).unwrap();
        assert!(placed.get(Path::new("x/y/run")).is_some());
        assert!(read_tree(&from.join("none"), Path::new(""), &[]).is_err());
    }
}
