//! A row of versions as what a test is given.

use super::git::{GitError, Repository};
use std::cell::RefCell;
use std::collections::HashMap;
use wynot_core::{Configuration, Outcome};
use wynot_session::{Compose, Digest};
use wynot_subjects::{Folder, Variant};

/// CommitRow of a repository, the oldest first. Trees are read when they are needed.
#[derive(Debug)]
pub struct CommitRow<'a> {
    repository: &'a Repository,
    row: &'a [String],
    trees: RefCell<HashMap<usize, Folder>>,
    failure: RefCell<Option<GitError>>,
}

impl<'a> CommitRow<'a> {
    /// The given versions, of which the first passes and the last fails.
    pub fn new(repository: &'a Repository, row: &'a [String]) -> Self {
        Self { repository, row, trees: RefCell::default(), failure: RefCell::default() }
    }

    /// Why a version could not be read, if one could not. It was tested as an empty tree then.
    pub fn failure(&self) -> Option<GitError> {
        self.failure.take()
    }

    /// The files of a version.
    pub fn tree(&self, version: usize) -> Folder {
        if let Some(tree) = self.trees.borrow().get(&version) {
            return tree.clone();
        }
        match self.repository.tree(&self.row[version]) {
            Ok(tree) => {
                self.trees.borrow_mut().insert(version, tree.clone());
                tree
            }
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                Folder::default()
            }
        }
    }
}

impl Compose<usize> for CommitRow<'_> {
    fn identity(&self, _: &usize) -> Option<Digest> {
        None
    }

    fn compose(&self, version: &usize, variant: &mut Variant) {
        *variant = Variant::Folder(self.tree(*version));
    }

    fn deltas(&self, version: &usize) -> u64 {
        *version as u64
    }

    fn size(&self) -> u64 {
        self.tree(self.row.len() - 1).size()
    }

    fn configuration<'c>(&self, _: &'c usize) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let digest = |version| Digest::of(&Variant::Folder(self.tree(version)));
        vec![(digest(0), Outcome::Pass), (digest(self.row.len() - 1), Outcome::Fail)]
    }
}
