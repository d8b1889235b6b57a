//! A private directory that is brought from one folder to the next by changing what differs.

use super::file_tree::{Mark, clear, is_dir, open_up, remove};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use wynot_subjects::{Folder, FolderEntry, compare_paths};

/// A directory and what was put into it.
///
/// A test may have changed anything in it. What it wrote, replaced, removed or added is noticed by inode,
/// size, mode and the times it was written and changed, the second of which no program can set.
#[derive(Debug)]
pub struct Checkout {
    root: PathBuf,
    /// Whether files stay that a build has made. What is written is new then, so that builds notice.
    keeps: bool,
    /// In the order of folders.
    made: Vec<(Arc<Path>, Mark, FolderEntry)>,
    /// Whether nothing that is there is to be trusted.
    spoilt: bool,
}

impl Checkout {
    /// A directory in which nothing is known to be; with `keeps`, files that builds make stay.
    pub fn new(root: PathBuf, keeps: bool) -> Self {
        Self { root, keeps, made: Vec::new(), spoilt: false }
    }

    /// Takes note of what a test has changed. What a build has made cannot be put right, only made anew.
    pub fn was_disturbed(&mut self, paths: &[PathBuf]) {
        self.spoilt |= paths.iter().any(|path| !self.has_made(path));
    }

    /// Removes everything.
    pub fn clear(&mut self) -> io::Result<()> {
        self.made.clear();
        clear(&self.root)?;
        self.spoilt = false;
        Ok(())
    }

    /// Makes the directory hold exactly a folder, and what builds have made.
    pub fn bring_to(&mut self, folder: &Folder) -> io::Result<()> {
        if self.spoilt || !is_dir(&self.root) {
            self.clear()?;
        }
        self.remove_others(folder)?;
        let mut made = std::mem::take(&mut self.made).into_iter().peekable();
        // Parents come first, so what a path leads through has been put right before.
        for (path, entry) in folder.entries() {
            let before =
                |known: &Arc<Path>| !Arc::ptr_eq(known, path) && compare_paths(known, path).is_lt();
            while made.next_if(|(known, ..)| before(known)).is_some() {}
            let there = self.root.join(path);
            let now = fs::symlink_metadata(&there).ok();
            let mark = now.as_ref().map(Mark::of);
            let known = made.next_if(|(known, ..)| known == path);
            let kept = known.filter(|(_, made, known)| Some(*made) == mark && known == entry);
            self.made.push(match kept {
                Some(kept) => kept,
                None => {
                    let stays = now.is_some_and(|now| now.is_dir()) && entry.is_directory();
                    if !stays {
                        remove(&there)?;
                    }
                    make(&there, entry, !self.keeps)?;
                    (Arc::clone(path), Mark::of(&fs::symlink_metadata(&there)?), entry.clone())
                }
            });
        }
        // Only now: nothing can be made in a directory that is closed.
        for (path, mark, entry) in self.made.iter_mut().rev() {
            if let FolderEntry::Directory { mode } = entry
                && *mode & 0o700 != 0o700
            {
                let there = self.root.join(path);
                fs::set_permissions(&there, Permissions::from_mode(*mode))?;
                *mark = Mark::of(&fs::symlink_metadata(&there)?);
            }
        }
        Ok(())
    }

    /// Whether something was put at a path.
    fn has_made(&self, path: &Path) -> bool {
        self.made.binary_search_by(|(known, ..)| compare_paths(known, path)).is_ok()
    }

    /// Removes what does not belong to a folder. Links are never followed.
    fn remove_others(&self, folder: &Folder) -> io::Result<()> {
        let mut pending = vec![PathBuf::new()];
        while let Some(dir) = pending.pop() {
            let here = self.root.join(&dir);
            open_up(&here)?;
            for entry in fs::read_dir(&here)? {
                let entry = entry?;
                let path = dir.join(entry.file_name());
                let is_dir = entry.file_type()?.is_dir();
                match folder.get(&path) {
                    Some(wanted) if is_dir && wanted.is_directory() => pending.push(path),
                    Some(_) if !is_dir => {}
                    None if self.keeps && !self.has_made(&path) => {}
                    _ => remove(&self.root.join(&path))?,
                }
            }
        }
        Ok(())
    }
}

/// Makes an entry where nothing is, or puts the mode of a directory right; `aged` if files keep their times.
fn make(there: &Path, entry: &FolderEntry, aged: bool) -> io::Result<()> {
    match entry {
        FolderEntry::Directory { mode } => {
            if !is_dir(there) {
                fs::create_dir(there)?;
            }
            fs::set_permissions(there, Permissions::from_mode(mode | 0o700))
        }
        FolderEntry::Link(target) => symlink(target, there),
        FolderEntry::File { contents, mode, modified } => {
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(there)?;
            file.write_all(contents.bytes())?;
            file.set_permissions(Permissions::from_mode(*mode))?;
            // Files are stamped by a clock that ticks every few milliseconds. This time is finer: builds see
            // that the file is newer than what was made a moment ago, and writing to it is always noticed.
            file.set_modified(modified.filter(|_| aged).unwrap_or_else(SystemTime::now))
        }
    }
}

/// Writes a folder to a place where nothing is.
pub fn write_folder(root: &Path, folder: &Folder) -> io::Result<()> {
    Checkout::new(root.to_owned(), false).bring_to(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str, u32)]) -> Folder {
        let entry = |(path, text, mode): &(&str, &str, u32)| {
            (Path::new(path).to_owned(), FolderEntry::file(text.as_bytes().to_vec(), *mode))
        };
        files.iter().map(entry).collect()
    }

    fn list(root: &Path) -> Vec<String> {
        let mut found = Vec::new();
        let mut pending = vec![root.to_owned()];
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(&dir).unwrap().flatten() {
                let path = entry.path();
                let metadata = fs::symlink_metadata(&path).unwrap();
                let name = path.strip_prefix(root).unwrap().display().to_string();
                let mode = metadata.permissions().mode() & 0o777;
                match metadata.is_dir() {
                    true => pending.push(path),
                    false if metadata.is_symlink() => {
                        found
                            .push(format!("{name} -> {}", fs::read_link(&path).unwrap().display()));
                    }
                    false => found
                        .push(format!("{name} {mode:o} {}", fs::read_to_string(&path).unwrap())),
                }
            }
        }
        found.sort();
        found
    }

    #[test]
    fn only_what_differs_is_written_and_all_that_a_test_did_is_undone() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("room");
        let mut first = folder(&[("a/x", "1", 0o644), ("a/run", "2", 0o755), ("b", "3", 0o644)]);
        first.insert(Path::new("l"), FolderEntry::Link("a".into()));
        first.insert(Path::new("closed"), FolderEntry::Directory { mode: 0o500 });
        let mut checkout = Checkout::new(root.clone(), false);
        checkout.bring_to(&first).unwrap();
        let expected = ["a/run 755 2", "a/x 644 1", "b 644 3", "l -> a"];
        assert_eq!(list(&root), expected);
        let inode = |path: &str| {
            std::os::unix::fs::MetadataExt::ino(&fs::metadata(root.join(path)).unwrap())
        };
        let x = inode("a/x");

        fs::write(root.join("b"), "9").unwrap();
        fs::write(root.join("a/new.o"), "object").unwrap();
        fs::remove_file(root.join("l")).unwrap();
        symlink("/", root.join("l")).unwrap();
        fs::set_permissions(root.join("a/run"), Permissions::from_mode(0o600)).unwrap();
        checkout.bring_to(&first).unwrap();
        assert_eq!(list(&root), expected);
        assert_eq!(inode("a/x"), x, "what was not touched stays");
        let mode = fs::metadata(root.join("closed")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o500);

        let second = folder(&[("a", "a file now", 0o644), ("b/c/d", "deep", 0o600)]);
        checkout.bring_to(&second).unwrap();
        assert_eq!(list(&root), ["a 644 a file now", "b/c/d 600 deep"]);
        fs::remove_dir_all(&root).unwrap();
        checkout.bring_to(&first).unwrap();
        assert_eq!(list(&root), expected);
    }

    #[test]
    fn what_a_build_has_made_stays_if_it_is_to() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("room");
        let mut checkout = Checkout::new(root.clone(), true);
        checkout.bring_to(&folder(&[("a.c", "1", 0o644), ("b.c", "2", 0o644)])).unwrap();
        fs::write(root.join("a.o"), "object").unwrap();
        fs::write(root.join("b.c"), "changed by the build").unwrap();
        checkout.bring_to(&folder(&[("b.c", "2", 0o644), ("c.c", "3", 0o644)])).unwrap();
        assert_eq!(list(&root), ["a.o 644 object", "b.c 644 2", "c.c 644 3"]);
    }
}
