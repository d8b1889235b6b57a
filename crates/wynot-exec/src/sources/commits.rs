//! A sequence of commits as a subject.

use super::git::Repository;
use super::git_error::GitError;
use std::cell::RefCell;
use std::collections::HashMap;
use wynot_core::{Configuration, Outcome};
use wynot_session::{Compose, Digest};
use wynot_subjects::{Folder, Variant};

/// The number of trees that are kept, so that a walk through a long history does not keep all of it in memory.
const MAX_TREES: usize = 256;

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
                let mut trees = self.trees.borrow_mut();
                if trees.len() >= MAX_TREES {
                    trees.clear();
                }
                trees.insert(index, tree.clone());
                tree
            }
            Err(error) => {
                self.failure.borrow_mut().get_or_insert(error);
                Folder::default()
            }
        }
    }
}

impl Repository {
    /// The first parents of a commit, with the commit itself at the end; the oldest comes first.
    pub fn first_parents(&self, id: &str) -> Result<Vec<String>, GitError> {
        let listed = self.git_text(&["rev-list", "--first-parent", "--reverse", id])?;
        Ok(listed.lines().map(ToOwned::to_owned).collect())
    }

    /// The commits after `old` up to `new`, by first parents, that change a line with one of some names.
    pub fn commits_about(
        &self,
        names: &[&str],
        old: &str,
        new: &str,
    ) -> Result<Vec<String>, GitError> {
        let names: Vec<String> = names.iter().map(|name| name.replace('$', "\\$")).collect();
        let names = names.join("|");
        let about = format!("-G(^|[^A-Za-z0-9_])({names})([^A-Za-z0-9_]|$)");
        let range = format!("{old}..{new}");
        let log = ["log", "--first-parent", "-m", "--no-ext-diff", "--no-textconv", "--format=%H"];
        let listed = self.git_text(&[&log[..], &[&about, &range]].concat())?;
        Ok(listed.lines().map(ToOwned::to_owned).collect())
    }

    /// Whether a file with this path belonged to a revision or to one before it.
    pub fn was_ever_tracked(&self, revision: &str, path: &str) -> bool {
        let listed = self.git_text(&["log", "-1", "--format=%H", revision, "--", path]);
        listed.is_ok_and(|listed| !listed.trim().is_empty())
    }

    /// Whether files that git tracks have changes that are not committed.
    pub fn is_dirty(&self) -> bool {
        self.git_text(&["--no-optional-locks", "status", "--porcelain", "--untracked-files=no"])
            .is_ok_and(|changes| !changes.is_empty())
    }

    /// Whether the directory belongs to a repository.
    pub fn is_repository(&self) -> bool {
        self.git(&["rev-parse", "--git-dir"]).is_ok()
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
