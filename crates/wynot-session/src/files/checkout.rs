//! A directory that is changed from one folder to the next by writing only the differences.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use wynot_subjects::{Folder, FolderEntry, compare_paths};
use wynot_supervisor::{Mark, clear, is_dir, open_up, remove};

/// A directory and the entries written to it.
///
/// A test may change anything in the directory. The checkout detects written, replaced, removed and added files by
/// inode, size, mode, modification time and status change time, which no program can set.
#[derive(Debug)]
pub struct Checkout {
    root: PathBuf,
    /// Whether the products of builds are kept. Written files then get the current time, so that builds notice them.
    keeps_products: bool,
    /// The written entries, in the order of folders.
    written: Vec<(Arc<Path>, Mark, FolderEntry)>,
    /// Whether a test has changed the products of a build, so that the directory must be emptied.
    needs_clearing: bool,
    /// The number of folders that it has contained since it was empty.
    folders: u32,
}

impl Checkout {
    /// Creates a checkout at `root` without written entries; with `keeps_products`, the products of builds are kept.
    pub fn new(root: PathBuf, keeps_products: bool) -> Self {
        Self { root, keeps_products, written: Vec::new(), needs_clearing: false, folders: 0 }
    }

    /// Records the paths that a test has changed. A changed product of a build cannot be restored, only rebuilt.
    pub fn was_disturbed(&mut self, paths: &[PathBuf]) {
        self.needs_clearing |= paths.iter().any(|path| !self.has_written(path));
    }

    /// Removes everything in the directory.
    pub fn clear(&mut self) -> io::Result<()> {
        self.written.clear();
        clear(&self.root)?;
        self.needs_clearing = false;
        self.folders = 0;
        Ok(())
    }

    /// Whether the directory may contain products of builds of earlier folders.
    pub fn is_reused(&self) -> bool {
        self.folders > 1
    }

    /// Makes the directory contain exactly a folder, plus the products of builds if they are kept.
    pub fn bring_to(&mut self, folder: &Folder) -> io::Result<()> {
        if self.needs_clearing || !is_dir(&self.root) {
            self.clear()?;
        }
        self.folders = self.folders.saturating_add(1);
        self.remove_others(folder)?;
        let mut written = std::mem::take(&mut self.written).into_iter().peekable();
        // Parents come first, so the directories on the way to a path are already correct.
        for (path, entry) in folder.entries() {
            let before =
                |known: &Arc<Path>| !Arc::ptr_eq(known, path) && compare_paths(known, path).is_lt();
            while written.next_if(|(known, ..)| before(known)).is_some() {}
            let target = self.root.join(path);
            let now = fs::symlink_metadata(&target).ok();
            let mark = now.as_ref().map(Mark::of);
            let known = written.next_if(|(known, ..)| known == path);
            let unchanged = known
                .filter(|(_, old_mark, old_entry)| Some(*old_mark) == mark && old_entry == entry);
            self.written.push(match unchanged {
                Some(unchanged) => unchanged,
                None => {
                    let stays_directory =
                        now.is_some_and(|now| now.is_dir()) && entry.is_directory();
                    if !stays_directory {
                        remove(&target)?;
                    }
                    write_entry(&target, entry, !self.keeps_products)?;
                    (Arc::clone(path), Mark::of(&fs::symlink_metadata(&target)?), entry.clone())
                }
            });
        }
        // Restrictive modes come last, because they would prevent writing into the directories.
        for (path, mark, entry) in self.written.iter_mut().rev() {
            if let FolderEntry::Directory { mode } = entry
                && *mode & 0o700 != 0o700
            {
                let target = self.root.join(path);
                fs::set_permissions(&target, Permissions::from_mode(*mode))?;
                *mark = Mark::of(&fs::symlink_metadata(&target)?);
            }
        }
        Ok(())
    }

    /// Whether the checkout has written an entry at a path.
    fn has_written(&self, path: &Path) -> bool {
        self.written.binary_search_by(|(known, ..)| compare_paths(known, path)).is_ok()
    }

    /// Removes everything that does not belong to a folder. Links are never followed.
    fn remove_others(&self, folder: &Folder) -> io::Result<()> {
        let mut pending = vec![PathBuf::new()];
        while let Some(dir) = pending.pop() {
            let directory = self.root.join(&dir);
            open_up(&directory)?;
            for entry in fs::read_dir(&directory)? {
                let entry = entry?;
                let path = dir.join(entry.file_name());
                let is_dir = entry.file_type()?.is_dir();
                match folder.get(&path) {
                    Some(wanted) if is_dir && wanted.is_directory() => pending.push(path),
                    Some(_) if !is_dir => {}
                    None if self.keeps_products && !self.has_written(&path) => {}
                    _ => remove(&self.root.join(&path))?,
                }
            }
        }
        Ok(())
    }
}

/// Writes an entry to a path that does not exist, or corrects the mode of a directory. With `keep_times`, files get the
/// modification times of their entries.
fn write_entry(target: &Path, entry: &FolderEntry, keep_times: bool) -> io::Result<()> {
    match entry {
        FolderEntry::Directory { mode } => {
            if !is_dir(target) {
                fs::create_dir(target)?;
            }
            fs::set_permissions(target, Permissions::from_mode(mode | 0o700))
        }
        FolderEntry::Link(destination) => symlink(destination, target),
        FolderEntry::File { contents, mode, modified } => {
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(target)?;
            file.write_all(contents.bytes())?;
            file.set_permissions(Permissions::from_mode(*mode))?;
            // The kernel stamps files with a clock that ticks every few milliseconds. This time is finer, so builds see
            // that the file is newer than recent products, and every later write to the file is detected.
            file.set_modified(modified.filter(|_| keep_times).unwrap_or_else(SystemTime::now))
        }
    }
}

/// Writes a folder to a path that does not exist.
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
    fn only_differences_are_written_and_all_changes_of_a_test_are_undone() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("checkout");
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
        assert_eq!(inode("a/x"), x, "an unchanged file is kept");
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
    fn products_of_a_build_are_kept_on_request() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("checkout");
        let mut checkout = Checkout::new(root.clone(), true);
        checkout.bring_to(&folder(&[("a.c", "1", 0o644), ("b.c", "2", 0o644)])).unwrap();
        fs::write(root.join("a.o"), "object").unwrap();
        fs::write(root.join("b.c"), "changed by the build").unwrap();
        checkout.bring_to(&folder(&[("b.c", "2", 0o644), ("c.c", "3", 0o644)])).unwrap();
        assert_eq!(list(&root), ["a.o 644 object", "b.c 644 2", "c.c 644 3"]);
    }
}
