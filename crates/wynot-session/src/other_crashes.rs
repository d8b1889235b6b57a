//! Crashes other than the one under search. Each is kept with the smallest variant that shows it.

use crate::files::{Durability, write_file_atomically, write_folder_atomically};
use std::io;
use std::path::{Path, PathBuf};
use wynot_crash::{Crash, Identity};
use wynot_subjects::Variant;

/// The number of innermost functions that distinguish crashes.
const FUNCTIONS_IN_NAME: u8 = 5;

/// The name of a crash: its cause and innermost functions; `None` if the backtrace is too short.
pub fn crash_name(crash: &Crash) -> Option<String> {
    Identity::of(crash, FUNCTIONS_IN_NAME).ok().map(|identity| identity.to_string())
}

/// A crash other than the one under search.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct OtherCrash {
    /// Its signal or report, and its innermost functions.
    pub crash: String,
    /// The size of the smallest variant that shows it.
    pub bytes: u64,
    /// The path of that variant.
    pub path: PathBuf,
}

/// The crashes that a search has found beside the one under search.
#[derive(Clone, Debug, Default)]
pub struct CrashCollection {
    /// The directory of the variants and the suffix of their names; `None` if nothing is collected.
    target: Option<(PathBuf, String)>,
    /// The crash under search.
    wanted: Option<String>,
    found: Vec<OtherCrash>,
}

impl CrashCollection {
    /// Creates a collection of crashes other than `wanted`, in files or folders of `dir` called `NUMBER-name`.
    pub fn new(dir: PathBuf, name: String, wanted: Option<String>) -> Self {
        Self { target: Some((dir, name)), wanted, found: Vec::new() }
    }

    /// The crashes so far, in the order in which they were found.
    pub fn list(&self) -> &[OtherCrash] {
        &self.found
    }

    /// Whether crashes are collected at all.
    pub(crate) fn is_collecting(&self) -> bool {
        self.target.is_some()
    }

    /// The directory of the variants.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.target.as_ref().map(|(directory, _)| directory.as_path())
    }

    /// Whether a variant of `bytes` bytes with this crash should be added: the crash is new, or the variant is smaller
    /// than the known one.
    pub(crate) fn lacks(&self, crash: &str, bytes: u64) -> bool {
        let known = self.found.iter().find(|other| other.crash == crash);
        let is_wanted = self.wanted.as_deref() == Some(crash);
        self.target.is_some() && !is_wanted && known.is_none_or(|known| bytes < known.bytes)
    }

    /// Writes a variant that shows a crash.
    pub(crate) fn add(&mut self, crash: &str, variant: &Variant) -> io::Result<()> {
        let Some((dir, name)) = &self.target else { return Ok(()) };
        let index =
            self.found.iter().position(|other| other.crash == crash).unwrap_or(self.found.len());
        let path = dir.join(format!("{}-{name}", index + 1));
        std::fs::create_dir_all(dir)?;
        match variant {
            Variant::Folder(folder) => {
                write_folder_atomically(&path, folder, "crash", Durability::Buffered)?
            }
            other => {
                let bytes = other.beginning(usize::MAX);
                write_file_atomically(&path, &bytes, 0o644, "crash", Durability::Buffered)?
            }
        }
        let other = OtherCrash { crash: crash.to_owned(), bytes: variant.size(), path };
        match self.found.get_mut(index) {
            Some(known) => *known = other,
            None => self.found.push(other),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_crash_is_kept_once_with_its_smallest_variant() {
        let dir = tempfile::tempdir().unwrap();
        let (crashes, wanted) = (dir.path().join("crashes"), Some("the bug".to_owned()));
        let mut collection = CrashCollection::new(crashes, "in.c".to_owned(), wanted);
        assert!(!collection.lacks("the bug", 1));
        for (crash, text) in [("one", "long"), ("two", "x"), ("one", "ab"), ("one", "abc")] {
            let variant = Variant::Bytes(text.into());
            if collection.lacks(crash, variant.size()) {
                collection.add(crash, &variant).unwrap();
            }
        }
        let found: Vec<(&str, u64)> =
            collection.list().iter().map(|other| (other.crash.as_str(), other.bytes)).collect();
        assert_eq!(found, [("one", 2), ("two", 1)]);
        assert_eq!(std::fs::read(&collection.list()[0].path).unwrap(), b"ab");
    }
}
