//! A sequence of commits as a subject.

use super::git::{GitError, Repository};
use std::cell::RefCell;
use std::collections::HashMap;
use wynot_core::{Configuration, Outcome};
use wynot_session::{Compose, Digest};
use wynot_subjects::{Folder, Variant};

/// A sequence of commits of a repository, the oldest first. A candidate is an index; its variant is the tree of that
/// commit, which is read when it is needed.
#[derive(Debug)]
pub struct CommitRow<'a> {
    repository: &'a Repository,
    row: &'a [String],
    trees: RefCell<HashMap<usize, Folder>>,
    failure: RefCell<Option<GitError>>,
}

impl<'a> CommitRow<'a> {
    /// Creates a subject from commits, of which the first passes and the last fails.
    pub fn new(repository: &'a Repository, row: &'a [String]) -> Self {
        Self { repository, row, trees: RefCell::default(), failure: RefCell::default() }
    }

    /// The first error while reading a commit, if there was one. Such a commit is tested as an empty tree.
    pub fn failure(&self) -> Option<GitError> {
        self.failure.take()
    }

    /// The files of the commit at an index.
    pub fn tree(&self, index: usize) -> Folder {
        if let Some(tree) = self.trees.borrow().get(&index) {
            return tree.clone();
        }
        match self.repository.tree(&self.row[index]) {
            Ok(tree) => {
                self.trees.borrow_mut().insert(index, tree.clone());
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

    fn compose(&self, index: &usize, variant: &mut Variant) {
        *variant = Variant::Folder(self.tree(*index));
    }

    fn deltas(&self, index: &usize) -> u64 {
        *index as u64
    }

    fn version(&self, index: &usize) -> Option<&str> {
        Some(&self.row[*index])
    }

    fn size(&self) -> u64 {
        self.tree(self.row.len() - 1).size()
    }

    fn configuration<'c>(&self, _: &'c usize) -> Option<&'c Configuration> {
        None
    }

    fn axioms(&self) -> Vec<(Digest, Outcome)> {
        let digest = |index| Digest::of(&Variant::Folder(self.tree(index)));
        vec![(digest(0), Outcome::Pass), (digest(self.row.len() - 1), Outcome::Fail)]
    }
}
