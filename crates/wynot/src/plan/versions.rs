//! The two versions that are compared: directories, archives or revisions of a repository.

use crate::error::Error;
use crate::notes::Notes;
use crate::request::{ChangeScope, VersionOptions};
use std::path::Path;
use wynot_exec::sources::{OmittedSubmodule, Repository, unpack};
use wynot_session::files::read_tree;
use wynot_subjects::{Folder, FolderLevel, FolderSubject, Units};

/// A version that works and one that does not, and what lies between them.
#[derive(Debug)]
pub struct VersionPair {
    /// The files of the version that works.
    pub good: Folder,
    /// The files of the version that does not.
    pub bad: Folder,
    /// As they were typed.
    pub names: (String, String),
    /// The versions between them, if both are of one repository.
    pub history: Option<VersionHistory>,
}

/// A row of versions.
#[derive(Debug)]
pub struct VersionHistory {
    /// The repository of both.
    pub repository: Repository,
    /// From the good one, or what it shares with the bad one, to the bad one.
    pub row: Vec<String>,
}

/// Where a version comes from.
enum Source {
    Files(Folder),
    Revision(String),
}

impl VersionPair {
    /// Reads both versions.
    pub fn read(
        wanted: &VersionOptions,
        here: &Path,
        notes: &mut dyn Notes,
    ) -> Result<Self, Error> {
        let repository = Repository::of(here);
        let (good, bad) =
            (source(&wanted.good, &repository, here)?, source(&wanted.bad, &repository, here)?);
        let history = match (&good, &bad) {
            (Source::Revision(good), Source::Revision(bad))
                if matches!(wanted.group, None | Some(ChangeScope::Commit)) =>
            {
                Some(row(&repository, good, bad, notes)?)
            }
            _ => None,
        };
        let files = |source: Source| match source {
            Source::Files(folder) => Ok(folder),
            Source::Revision(id) => repository.tree(&id).map_err(Error::usage),
        };
        let (mut good, bad) = (files(good)?, files(bad)?);
        if let Some(row) = &history {
            // Of a good version on another branch, what it shares with the bad one is compared.
            good = repository.tree(&row[0]).map_err(Error::usage)?;
        }
        for OmittedSubmodule { path, changes } in repository.omitted_submodules() {
            let path = path.display();
            let changes = if changes { ", although it has changed" } else { "" };
            notes.warn(&format!(
                "leaving out the submodule {path}{changes}; git submodule update --init brings it"
            ));
        }
        let names = (wanted.good.clone(), wanted.bad.clone());
        let history = history.map(|row| VersionHistory { repository, row });
        Ok(Self { good, bad, names, history })
    }

    /// The changes between two trees.
    pub fn compared(
        &self,
        old: &Folder,
        new: &Folder,
        group: Option<ChangeScope>,
    ) -> Result<FolderSubject, Error> {
        let lines: Units = "line".parse().map_err(Error::usage)?;
        let levels: &[FolderLevel] = match group {
            None | Some(ChangeScope::Commit | ChangeScope::Directory) => &[
                FolderLevel::Directory,
                FolderLevel::File,
                FolderLevel::Function,
                FolderLevel::Hunk,
            ],
            Some(ChangeScope::File) => {
                &[FolderLevel::File, FolderLevel::Function, FolderLevel::Hunk]
            }
            Some(ChangeScope::Function) => &[FolderLevel::Function, FolderLevel::Hunk],
            Some(ChangeScope::None) => &[],
        };
        let compared = FolderSubject::with_levels(old, new.clone(), &lines, levels);
        compared.map_err(|error| Error::usage(format!("{}: {error}", self.names.1)))
    }
}

/// The versions from one to the other, each made from the one before it, if one is an ancestor of the other or both
/// share one.
fn row(
    repository: &Repository,
    good: &str,
    bad: &str,
    notes: &mut dyn Notes,
) -> Result<Vec<String>, Error> {
    if good != bad && repository.is_ancestor(bad, good) {
        return Err(Error::usage("the bad version is an ancestor of the good one")
            .hint("are --good and --bad the other way round?"));
    }
    let start = match repository.is_ancestor(good, bad) {
        true => good.to_owned(),
        false => repository
            .merge_base(good, bad)
            .inspect(|shared| {
                let short = &shared[..shared.len().min(12)];
                notes.warn(&format!(
                    "the good version is no ancestor of the bad one; from {short}, which they share"
                ));
            })
            .map_err(|_| {
                let message = "the two revisions share no history".to_owned();
                let failure = Error::usage(message);
                match repository.is_shallow() {
                    true => {
                        failure.hint("the clone is shallow: git fetch --unshallow brings the rest")
                    }
                    false => failure.hint("--group directory compares them without their history"),
                }
            })?,
    };
    let after = repository.path(&start, bad).map_err(Error::usage)?;
    Ok(std::iter::once(start).chain(after).collect())
}

fn source(named: &str, repository: &Repository, here: &Path) -> Result<Source, Error> {
    let path = here.join(named);
    if path.is_dir() {
        let files = read_tree(&path, Path::new(""), &[path.join(".git")]).map_err(Error::usage)?;
        return Ok(Source::Files(files));
    }
    if path.is_file() {
        let unpacked = unpack(&path)
            .map_err(|error| Error::usage(format!("cannot unpack {named}: {}", error.message)));
        return unpacked.map(Source::Files);
    }
    match repository.commit(named) {
        Ok(commit) => Ok(Source::Revision(commit.id)),
        Err(_) => {
            let message = format!("{named} is no directory, no archive and no revision here");
            Err(Error::usage(message)
                .hint("revisions are looked up in the git repository of the current directory"))
        }
    }
}
