//! Crashes that are met on the way: each is kept with the smallest variant that shows it.

use crate::files::{write_file_atomically, write_folder_atomically};
use std::io;
use std::path::{Path, PathBuf};
use wynot_crash::{Crash, Identity};
use wynot_subjects::Variant;

/// By how many functions crashes are told apart.
const FUNCTIONS: u8 = 5;

/// What a crash is called here; `None` if it is not known well enough.
pub fn crash_name(crash: &Crash) -> Option<String> {
    Identity::of(crash, FUNCTIONS).ok().map(|identity| identity.to_string())
}

/// A crash that is not the one that is searched for.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct OtherCrash {
    /// Its signal or report, and its innermost functions.
    pub crash: String,
    /// The size of the smallest variant that shows it.
    pub bytes: u64,
    /// Where that is.
    pub path: PathBuf,
}

/// The crashes that were met.
#[derive(Clone, Debug, Default)]
pub struct CrashCollection {
    /// Where variants go and what they are called; nothing is collected without it.
    place: Option<(PathBuf, String)>,
    /// The crash that is searched for.
    wanted: Option<String>,
    met: Vec<OtherCrash>,
}

impl CrashCollection {
    /// Collects other crashes than the one that is `wanted` in a directory, in files with a name.
    pub fn new(dir: PathBuf, name: String, wanted: Option<String>) -> Self {
        Self { place: Some((dir, name)), wanted, met: Vec::new() }
    }

    /// The crashes so far, in the order in which they were met.
    pub fn list(&self) -> &[OtherCrash] {
        &self.met
    }

    /// Whether crashes are collected at all.
    pub(crate) fn is_collecting(&self) -> bool {
        self.place.is_some()
    }

    /// The directory that variants are kept in.
    pub(crate) fn directory(&self) -> Option<&Path> {
        self.place.as_ref().map(|(directory, _)| directory.as_path())
    }

    /// Whether a variant of a size shows something new, or something known with less.
    pub(crate) fn lacks(&self, crash: &str, bytes: u64) -> bool {
        let known = self.met.iter().find(|met| met.crash == crash);
        let wanted = self.wanted.as_deref() == Some(crash);
        self.place.is_some() && !wanted && known.is_none_or(|known| bytes < known.bytes)
    }

    /// Keeps a variant that shows a crash.
    pub(crate) fn add(&mut self, crash: &str, variant: &Variant) -> io::Result<()> {
        let Some((dir, name)) = &self.place else { return Ok(()) };
        let at = self.met.iter().position(|met| met.crash == crash).unwrap_or(self.met.len());
        let path = dir.join(format!("{}-{name}", at + 1));
        std::fs::create_dir_all(dir)?;
        match variant {
            Variant::Folder(folder) => write_folder_atomically(&path, folder, "crash")?,
            other => write_file_atomically(&path, &other.beginning(usize::MAX), 0o644, "crash")?,
        }
        let met = OtherCrash { crash: crash.to_owned(), bytes: variant.size(), path };
        match self.met.get_mut(at) {
            Some(known) => *known = met,
            None => self.met.push(met),
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
        let (place, wanted) = (dir.path().join("crashes"), Some("the bug".to_owned()));
        let mut collection = CrashCollection::new(place, "in.c".to_owned(), wanted);
        assert!(!collection.lacks("the bug", 1));
        for (crash, text) in [("one", "long"), ("two", "x"), ("one", "ab"), ("one", "abc")] {
            let variant = Variant::Bytes(text.into());
            if collection.lacks(crash, variant.size()) {
                collection.add(crash, &variant).unwrap();
            }
        }
        let met: Vec<(&str, u64)> =
            collection.list().iter().map(|met| (met.crash.as_str(), met.bytes)).collect();
        assert_eq!(met, [("one", 2), ("two", 1)]);
        assert_eq!(std::fs::read(&collection.list()[0].path).unwrap(), b"ab");
    }
}
