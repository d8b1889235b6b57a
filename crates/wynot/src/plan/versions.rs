//! The two versions that are compared: directories, archives, revisions of a git repository, or lock files.

use super::carried_files::CarriedFiles;
use super::lock_files;
use crate::error::Error;
use crate::notes::Notes;
use crate::request::{ChangeScope, VersionOptions};
use crate::similar_name::{similar_file, similar_name};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wynot_exec::sources::{ArchiveError, OmittedSubmodule, Repository, unpack};
use wynot_session::files::{read_tree, special_file};
use wynot_session::plain;
use wynot_subjects::{Folder, FolderEntry, FolderLevel, FolderSubject, Units, UpgradeSubject};

/// A good and a bad version, and the history between them.
#[derive(Debug)]
pub struct VersionPair {
    /// The files of the good version.
    pub good: Folder,
    /// The files of the bad version.
    pub bad: Folder,
    /// The names of the good and the bad version, as the user wrote them.
    pub names: (String, String),
    /// The directory of the checkout, if both are revisions.
    pub root: Option<PathBuf>,
    /// The versions between them, if both belong to one repository.
    pub history: Option<VersionHistory>,
    /// The upgrades between them, if they are compared by their lock files.
    pub upgrades: Option<Arc<UpgradeSubject>>,
}

/// The versions from a good to a bad one.
#[derive(Debug)]
pub struct VersionHistory {
    /// The repository of both versions.
    pub repository: Repository,
    /// The revisions in order: from the good version, or its common ancestor with the bad one, to the bad version.
    pub row: Vec<String>,
    /// The files that all versions get.
    pub carried: CarriedFiles,
}

/// The source of a version's files.
enum Source {
    Files(Folder),
    Revision(String),
}

impl VersionPair {
    /// Reads both versions.
    pub fn read(
        options: &VersionOptions,
        here: &Path,
        notes: &mut dyn Notes,
    ) -> Result<Self, Error> {
        let names = (options.good.clone(), options.bad.clone());
        if let Some(upgrades) = lock_files::read_upgrades(options, here)? {
            if let Some(path) = options.with.first() {
                let message = format!("--with {}: lock files bring their project", path.display());
                return Err(Error::usage(message).hint("put it into the project of the bad one"));
            }
            let (good, bad, upgrades) = lock_files::sides(upgrades);
            let upgrades = Some(upgrades);
            return Ok(Self { good, bad, names, root: None, history: None, upgrades });
        }
        let repository = Repository::of(here);
        let root = repository.top_level();
        let added = added_files(&options.with, root.as_deref().unwrap_or(here), here)?;
        let repository = repository.adding(added.clone());
        let (good, bad) =
            (source(&options.good, &repository, here)?, source(&options.bad, &repository, here)?);
        let history = match (&good, &bad) {
            (Source::Revision(good), Source::Revision(bad))
                if matches!(options.group, None | Some(ChangeScope::Commit)) =>
            {
                Some(list_versions(&repository, good, bad, notes)?)
            }
            _ => None,
        };
        let files = |source: Source| match source {
            Source::Files(folder) => Ok(added.overlay(&with_plain_modes(&folder))),
            Source::Revision(id) => repository.tree(&id).map_err(Error::usage),
        };
        let are_revisions = matches!((&good, &bad), (Source::Revision(_), Source::Revision(_)));
        let root = root.filter(|_| are_revisions);
        let (mut good, bad) = (files(good)?, files(bad)?);
        if let Some(row) = &history {
            // If the good version is on another branch, its common ancestor with the bad one is compared.
            good = repository.tree(&row[0]).map_err(Error::usage)?;
        }
        for OmittedSubmodule { path, changes } in repository.omitted_submodules() {
            let path = path.display();
            let changes = if changes { ", although it has changed" } else { "" };
            notes.warn(&format!(
                "leaving out the submodule {path}{changes}; git submodule update --init brings it"
            ));
        }
        let carried = CarriedFiles::default();
        let history = history.map(|row| VersionHistory { repository, row, carried });
        Ok(Self { good, bad, names, root, history, upgrades: None })
    }

    /// The subject of the changes between two trees, divided from the scope `group` down to lines.
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
        FolderSubject::with_levels(old, new.clone(), &lines, levels)
            .map_err(|error| Error::usage(format!("{}: {error}", self.names.1)))
    }
}

/// Files of the checkout that are added to every version.
pub(super) fn added_files(paths: &[PathBuf], root: &Path, here: &Path) -> Result<Folder, Error> {
    let mut added = Folder::default();
    for path in paths {
        let whole = here.join(path).canonicalize().map_err(|error| {
            Error::usage(format!("cannot read {}: {}", path.display(), plain(&error)))
        })?;
        let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
        let place = whole.strip_prefix(&root).map_err(|_| {
            Error::usage(format!("--with {}: it is not in {}", path.display(), root.display()))
        })?;
        let files = read_tree(&whole, place, &[whole.join(".git")]).map_err(Error::usage)?;
        added = added.overlay(&with_plain_modes(&files));
    }
    Ok(added)
}

/// A folder whose files are either executable or not, as git has them. Other permissions are no difference.
fn with_plain_modes(folder: &Folder) -> Folder {
    let plain = |(path, entry): (&Arc<Path>, &FolderEntry)| {
        let entry = match entry {
            FolderEntry::File { contents, mode, modified } => FolderEntry::File {
                contents: Arc::clone(contents),
                mode: if mode & 0o111 == 0 { 0o644 } else { 0o755 },
                modified: *modified,
            },
            other => other.clone(),
        };
        (Arc::clone(path), entry)
    };
    folder.entries().map(plain).collect()
}

/// The versions from the good one, or its common ancestor with the bad one, to the bad one. Each is a parent of the next.
fn list_versions(
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
                let error = Error::usage("the two revisions share no history");
                match repository.is_shallow() {
                    true => {
                        error.hint("the clone is shallow: git fetch --unshallow brings the rest")
                    }
                    false => error.hint("--group directory compares them without their history"),
                }
            })?,
    };
    let after = repository.path(&start, bad).map_err(Error::usage)?;
    Ok(std::iter::once(start).chain(after).collect())
}

/// Reads a directory or an archive, or finds a revision.
fn source(name: &str, repository: &Repository, here: &Path) -> Result<Source, Error> {
    let path = here.join(name);
    if path.is_dir() {
        let files = read_tree(&path, Path::new(""), &[path.join(".git")]).map_err(Error::usage)?;
        return Ok(Source::Files(files));
    }
    if path.is_file() {
        return unpack(&path).map(Source::Files).map_err(|error| {
            let refusal = Error::usage(format!("cannot unpack {name}: {}", error.reason));
            match error.reason {
                ArchiveError::Entry { .. } | ArchiveError::UnknownFormat => {
                    refusal.hint("unpack it yourself, and give the directory instead")
                }
                _ => refusal,
            }
        });
    }
    let kind = std::fs::metadata(&path).map(|metadata| metadata.file_type());
    if let Some(noun) = kind.ok().and_then(special_file) {
        let message = format!("{name} is {noun}, not a directory, an archive or a revision");
        return Err(Error::usage(message));
    }
    match repository.commit(name) {
        Ok(commit) => Ok(Source::Revision(commit.id)),
        Err(_) => {
            let message = format!("{name} is no directory, no archive and no revision here");
            let names = repository.ref_names();
            let near: Vec<&str> = names.iter().map(String::as_str).collect();
            let refusal = match similar_name(name, near)
                .map(str::to_owned)
                .or_else(|| similar_file(Path::new(name), here))
            {
                Some(similar) => Error::usage(message).hint(format!("did you mean {similar}?")),
                None => Error::usage(message)
                    .hint("revisions are looked up in the git repository of the current directory"),
            };
            Err(match repository.is_shallow() {
                true => refusal
                    .hint("the clone is shallow: git fetch --unshallow brings the older commits"),
                false => refusal,
            })
        }
    }
}
