//! Result files: the best variant of each side so far.

use crate::events::Side;
use crate::files::{
    Durability, size_of_tree, sync_name, sync_tree, write_file_atomically, write_folder_atomically,
};
use crate::stop::Stop;
use std::fs;
use std::path::PathBuf;
use wynot_subjects::Variant;

/// Writes the sides of a search to their files or directories. Each write replaces the earlier result in one step, so
/// that readers always see a complete variant.
#[derive(Clone, Debug)]
pub struct ResultFiles {
    /// The path of the failing side; if it is empty, nothing is written.
    pub failing: PathBuf,
    /// The path of the passing side, if it is to be written.
    pub passing: Option<PathBuf>,
    /// The permission bits of the files.
    pub mode: u32,
    /// The paths in a folder that vary and are written; if there is only one, its contents are written.
    pub places: Vec<PathBuf>,
    /// A tag in the names of temporary files, so that sessions do not overwrite each other's.
    pub tag: String,
}

impl ResultFiles {
    /// Results that are not written.
    pub fn nowhere() -> Self {
        let (failing, places, tag) = (PathBuf::new(), Vec::new(), String::new());
        Self { failing, passing: None, mode: 0o644, places, tag }
    }

    fn path(&self, side: Side) -> Option<&PathBuf> {
        match side {
            Side::Failing => Some(&self.failing),
            Side::Passing => self.passing.as_ref(),
        }
        .filter(|path| !path.as_os_str().is_empty())
    }

    /// Writes a variant of a side.
    pub fn save(&self, side: Side, variant: &Variant, durability: Durability) -> Result<(), Stop> {
        let Some(path) = self.path(side) else { return Ok(()) };
        let write_file =
            |bytes: &[u8]| write_file_atomically(path, bytes, self.mode, &self.tag, durability);
        let written = match variant {
            Variant::Bytes(bytes) => write_file(bytes),
            Variant::Folder(folder) => {
                let folder = folder.select(&self.places);
                write_folder_atomically(path, &folder, &self.tag, durability)
            }
            Variant::Words(words) => write_file(&join_terminated(words, b'\n')),
            Variant::Environment(variables) => write_file(&join_terminated(variables, 0)),
            Variant::Version(name) => write_file(format!("{name}\n").as_bytes()),
        };
        written.map_err(|source| Stop::Write { path: path.clone(), source })
    }

    /// Writes a failing side if it is smaller, or a passing side if it is larger, than the one on disk.
    pub fn save_if_better(
        &self,
        side: Side,
        variant: &Variant,
        durability: Durability,
    ) -> Result<(), Stop> {
        let size = match variant {
            Variant::Folder(folder) => folder.select(&self.places).size(),
            other => other.size(),
        };
        let is_better = match (self.size(side), side) {
            (None, _) => true,
            (Some(existing), Side::Failing) => size < existing,
            (Some(existing), Side::Passing) => size > existing,
        };
        if is_better { self.save(side, variant, durability) } else { Ok(()) }
    }

    /// Waits until the results are on the disk.
    pub fn sync(&self) -> Result<(), Stop> {
        for path in [Side::Failing, Side::Passing].into_iter().filter_map(|side| self.path(side)) {
            if fs::symlink_metadata(path).is_ok() {
                sync_tree(path)
                    .and_then(|()| sync_name(path))
                    .map_err(|source| Stop::Write { path: path.clone(), source })?;
            }
        }
        Ok(())
    }

    /// The size in bytes of the written result of a side.
    pub fn size(&self, side: Side) -> Option<u64> {
        let path = self.path(side)?;
        let metadata = fs::symlink_metadata(path).ok()?;
        Some(if metadata.is_dir() { size_of_tree(path) } else { metadata.len() })
    }
}

/// Concatenates words or variables, each followed by a terminator.
fn join_terminated(words: &[Vec<u8>], terminator: u8) -> Vec<u8> {
    words.iter().flat_map(|word| word.iter().copied().chain([terminator])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_subjects::{Folder, FolderEntry};

    #[test]
    fn results_are_replaced_without_temporary_files() {
        let dir = tempfile::tempdir().unwrap();
        let results = ResultFiles {
            failing: dir.path().join("x.min.c"),
            passing: None,
            mode: 0o644,
            places: Vec::new(),
            tag: "t".into(),
        };
        let save = |side, text: &[u8]| {
            results.save(side, &Variant::Bytes(text.to_vec()), Durability::Synced).unwrap();
        };
        save(Side::Failing, b"long");
        save(Side::Failing, b"s");
        save(Side::Passing, b"not wanted");
        assert_eq!(fs::read(dir.path().join("x.min.c")).unwrap(), b"s");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn an_error_names_the_path_that_does_not_exist() {
        let results = ResultFiles {
            failing: "/nonexistent/x.min".into(),
            passing: None,
            mode: 0o644,
            places: Vec::new(),
            tag: "t".into(),
        };
        let error = results
            .save(Side::Failing, &Variant::Bytes(b"x".to_vec()), Durability::Buffered)
            .unwrap_err();
        assert_eq!(error.to_string(), "cannot write /nonexistent/x.min: no such file or directory");
    }

    #[test]
    fn directories_are_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let entry =
            |path: &str| (PathBuf::from(path), FolderEntry::file(path.as_bytes().to_vec(), 0o644));
        let results = ResultFiles {
            failing: dir.path().join("p.min"),
            passing: None,
            mode: 0o644,
            places: vec!["p".into()],
            tag: "t".into(),
        };
        for files in [["p/a", "p/b/c", "other"].as_slice(), &["p/b/c"]] {
            let folder: Folder = files.iter().map(|path| entry(path)).collect();
            results.save(Side::Failing, &Variant::Folder(folder), Durability::Synced).unwrap();
        }
        assert_eq!(fs::read(dir.path().join("p.min/b/c")).unwrap(), b"p/b/c");
        assert!(!dir.path().join("p.min/a").exists() && !dir.path().join("p.min/other").exists());
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "no temporary files are left");
        assert_eq!(results.size(Side::Failing), Some(5));
    }
}
