//! Reading archives into folders, by `tar` and `unzip`.

use std::path::{Path, PathBuf};
use std::process::Command;
use wynot_session::files::read_tree;
use wynot_session::plain;
use wynot_subjects::Folder;

/// An archive that cannot be unpacked.
#[derive(Debug, thiserror::Error)]
#[error("cannot unpack {}: {message}", path.display())]
pub struct BadArchive {
    /// The path of the archive.
    pub path: PathBuf,
    /// The error, in words.
    pub message: String,
}

/// Reads the files of an archive. If the archive contains a single top-level directory, that directory is stripped.
pub fn unpack(archive: &Path) -> Result<Folder, BadArchive> {
    let bad_archive = |message: String| BadArchive { path: archive.to_owned(), message };
    let dir = tempfile::tempdir().map_err(|error| bad_archive(plain(&error)))?;
    let is_zip = archive.extension().is_some_and(|extension| extension == "zip");
    let mut command = Command::new(if is_zip { "unzip" } else { "tar" });
    match is_zip {
        true => command.arg("-q").arg(archive).arg("-d").arg(dir.path()),
        false => command.arg("-xf").arg(archive).arg("-C").arg(dir.path()),
    };
    let output = command.output().map_err(|error| bad_archive(plain(&error)))?;
    if !output.status.success() {
        let stderr = String::from_utf8_lossy(&output.stderr);
        return Err(bad_archive(stderr.lines().next().unwrap_or("it is no archive").to_owned()));
    }
    let mut top_level =
        std::fs::read_dir(dir.path()).map_err(|error| bad_archive(plain(&error)))?;
    let root = match (top_level.next(), top_level.next()) {
        (Some(Ok(only)), None) if only.path().is_dir() => only.path(),
        _ => dir.path().to_owned(),
    };
    read_tree(&root, Path::new(""), &[]).map_err(|error| bad_archive(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_single_top_level_directory_is_stripped() {
        let dir = tempfile::tempdir().unwrap();
        let pack = "mkdir -p lib-1.0/src && echo x > lib-1.0/src/a && tar -czf l.tar.gz lib-1.0";
        let packed = Command::new("sh").current_dir(dir.path()).args(["-c", pack]).status();
        assert!(packed.unwrap().success());
        let folder = unpack(&dir.path().join("l.tar.gz")).unwrap();
        assert_eq!(folder.get(Path::new("src/a")).unwrap().text(), Some(b"x\n".as_slice()));
        std::fs::write(dir.path().join("no.tar"), "text").unwrap();
        assert!(unpack(&dir.path().join("no.tar")).is_err());
    }
}
