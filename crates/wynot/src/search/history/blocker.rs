//! Blockers: what stands in the way of testing old versions, and the patch that mends it.

use std::path::Path;
use std::sync::Arc;
use wynot_exec::sources::{GitError, patch_with_renames};
use wynot_subjects::{AppliedHunks, Folder, Hunk, carry_hunks};

/// The number of bytes of a blocker's name.
const MAX_NAME_BYTES: usize = 100;

/// Hunks that are applied to the versions up to one of a row.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    /// The hunks.
    pub hunks: Arc<[Hunk]>,
    /// The version that they were made for.
    pub origin: Folder,
    /// The index of the newest version that needs them; `None` for all versions, as on a merged branch.
    pub newest: Option<usize>,
}

impl Layer {
    /// A version with the hunks.
    pub(super) fn added_to(&self, version: &Folder) -> AppliedHunks {
        carry_hunks(&self.hunks, &self.origin, version)
    }

    /// Whether a version of the row is old enough to need the hunks.
    pub(super) fn applies_to(&self, index: usize) -> bool {
        self.newest.is_none_or(|newest| index <= newest)
    }
}

/// Something that stands in the way of testing old versions, and the least patch found that mends it.
#[derive(Clone, Debug)]
pub struct Blocker {
    /// The name: the error that the patch mends.
    pub name: String,
    /// Why the version could not be tested, such as "did not build".
    pub reason: String,
    /// The newest revision that needs the patch.
    pub from: String,
    /// The oldest revision that was tested with it.
    pub to: String,
    /// The same two, by their places in the row, where the oldest version is 0.
    pub interval: [usize; 2],
    /// The number of lines that were added and removed.
    pub lines: usize,
    /// The number of changed lines among which the patch was searched.
    pub lines_before: usize,
    /// The number of tests that the search for the patch took.
    pub tests: u64,
    /// The patch, for the newest revision that needs it with the blockers before this one.
    pub patch: Vec<u8>,
    /// Whether all changes of the commit were taken, since with the least patch no version passes.
    pub is_wide: bool,
    pub(super) derived: DerivedPatch,
}

impl Blocker {
    /// Takes other hunks for the patch, which is made in a directory in `scratch`.
    pub(super) fn take(&mut self, hunks: Arc<[Hunk]>, scratch: &Path) -> Result<(), GitError> {
        self.lines = hunks.iter().map(Hunk::lines).sum();
        self.derived.hunks = hunks;
        let origin = &self.derived.origin;
        let patched = self.derived.layer().added_to(origin).folder;
        self.patch = patch_with_renames(origin, &patched, scratch)?;
        Ok(())
    }
}

/// A patch that was derived between two neighbouring versions.
#[derive(Clone, Debug)]
pub(super) struct DerivedPatch {
    /// The index of the older one, which needs it.
    pub index: usize,
    /// That version, before the patch.
    pub origin: Folder,
    /// The hunks that are used.
    pub hunks: Arc<[Hunk]>,
    /// All hunks between the two versions.
    pub all: Arc<[Hunk]>,
}

impl DerivedPatch {
    /// The layer of the hunks that are used.
    pub(super) fn layer(&self) -> Layer {
        let (hunks, origin) = (Arc::clone(&self.hunks), self.origin.clone());
        Layer { hunks, origin, newest: Some(self.index) }
    }

    /// The layer of all hunks between the two versions.
    pub(super) fn wide_layer(&self) -> Layer {
        Layer { hunks: Arc::clone(&self.all), ..self.layer() }
    }
}

/// The name of a blocker, by the message of the version that could not be tested, and by the reason without one.
pub(super) fn blocker_name(message: Option<&str>, reason: &str) -> String {
    let message = message.map(str::trim).filter(|message| !message.is_empty()).unwrap_or(reason);
    let mut line = message.lines().next().unwrap_or(reason);
    // The program that complains, and the place of the error in a file, differ from version to version.
    while let Some((start, rest)) = line.split_once(": ")
        && !start.contains(' ')
        && start.contains(['/', '.'])
    {
        line = rest;
    }
    if line.len() <= MAX_NAME_BYTES {
        return line.to_owned();
    }
    let end = (0..=MAX_NAME_BYTES).rev().find(|&end| line.is_char_boundary(end)).unwrap_or(0);
    let end = line[..end].rfind(' ').unwrap_or(end);
    format!("{} …", &line[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_blocker_has_the_name_of_the_error_without_its_place() {
        let name = |message| blocker_name(Some(message), "did not build");
        let linker = "/usr/bin/ld: a.o:./a.c:1108: multiple definition of `yylloc'; b.o: first";
        assert_eq!(name(linker), "multiple definition of `yylloc'; b.o: first");
        assert_eq!(name("x.c:9:38: error: no major\nmore"), "error: no major");
        assert_eq!(name("test: cannot import x: y"), "test: cannot import x: y");
        assert_eq!(name(" \n"), "did not build");
        let long = name(&"é".repeat(300));
        assert!(long.len() < 120 && long.ends_with('…'), "{long}");
    }
}
