//! The files that older versions get from the failing one: the test is the same for all of them.

use std::collections::BTreeSet;
use std::path::Path;
use wynot_subjects::Folder;

/// Words in a path by which a file is one of the tests, and not of the program.
const TEST_WORDS: [&str; 11] = [
    "test",
    "tests",
    "testing",
    "spec",
    "specs",
    "check",
    "checks",
    "repro",
    "regress",
    "regression",
    "t",
];

/// The files that versions get from the failing one.
#[derive(Clone, Debug, Default)]
pub struct CarriedFiles {
    /// Those that replace what a version has in their place.
    pub always: Folder,
    /// Those that only versions without them get.
    pub missing: Folder,
}

impl CarriedFiles {
    /// A version with the files that it gets.
    pub fn added_to(&self, version: &Folder) -> Folder {
        match (self.missing.is_empty(), self.always.is_empty()) {
            (true, true) => version.clone(),
            (true, false) => version.overlay(&self.always),
            _ => self.missing.overlay(version).overlay(&self.always),
        }
    }

    /// The same, with those of some files that belong to the tests of a version. Versions without them get them.
    pub fn with_tests(&self, read: &BTreeSet<String>, version: &Folder) -> Self {
        let mut missing = self.missing.clone();
        for path in read.iter().map(Path::new).filter(|path| is_test(path)) {
            if let Some(entry) = version.get(path).filter(|entry| !entry.is_directory()) {
                missing.insert(path, entry.clone());
            }
        }
        Self { always: self.always.clone(), missing }
    }
}

/// Whether a file belongs to the tests of a program, by its path.
pub(super) fn is_test(path: &Path) -> bool {
    let text = path.to_string_lossy().to_lowercase();
    text.split(|c: char| !c.is_alphanumeric()).any(|word| TEST_WORDS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_recognised_by_their_paths() {
        let are = ["tests/check.sh", "t/0001.t", "src/foo_test.c", "spec/x.rb", "repro.py"];
        assert!(are.iter().all(|path| is_test(Path::new(path))));
        let are_not = ["src/main.py", "spellcheck.py", "tool.sh", "contest/a.c"];
        assert!(are_not.iter().all(|path| !is_test(Path::new(path))));
    }
}
