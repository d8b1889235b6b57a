//! The history that is walked back through: its revisions, and the files that every version gets.

use super::carried_files::{CarriedFiles, is_test};
use super::input::SearchInput;
use super::test_commands::{bad_command, in_folder, not_with_versions};
use super::versions::{VersionHistory, VersionPair, added_files};
use crate::error::Error;
use crate::notes::Notes;
use crate::request::{HistoryOptions, Request};
use std::path::{Path, PathBuf};
use wynot_exec::sources::Repository;
use wynot_exec::{TestCommand, VariantForm};
use wynot_subjects::{Folder, FolderSubject, Subject};

/// Reads the failing revision and lists those before it.
pub(super) fn read(
    request: &Request,
    notes: &mut dyn Notes,
) -> Result<(TestCommand, SearchInput, Option<VersionPair>), Error> {
    let here = &request.directory;
    let Some(options) = &request.history else {
        return Err(Error::usage("there is no history to walk back through"));
    };
    if let Some(dir) = &request.run.project {
        return Err(not_with_versions(dir));
    }
    if request.outcome.flaky {
        let message = "history needs a test with one outcome for each version";
        return Err(Error::usage(message).hint("--repeat 5 --quorum 3 lets the majority decide"));
    }
    let mut versions = read_versions(options, here, notes)?;
    let build = options.build.as_deref();
    let command = in_folder(&request.test, build, &versions, here)
        .map_err(|error| bad_command(&error, here))?;
    let carried = carried_files(options, &command, &versions, here, notes)?;
    if let Some(history) = &mut versions.history {
        history.carried = carried;
    }
    let subject = FolderSubject::between(&Folder::default(), versions.bad.clone(), None)
        .map_err(|error| Error::usage(format!("{}: {error}", versions.names.1)))?;
    let (subject, name) = (Subject::Folder(subject.into()), versions.names.1.clone().into());
    Ok((command, SearchInput::new(subject, VariantForm::Folder, name), Some(versions)))
}

/// The failing revision, and those before it.
fn read_versions(
    options: &HistoryOptions,
    here: &Path,
    notes: &mut dyn Notes,
) -> Result<VersionPair, Error> {
    let repository = Repository::of(here);
    let from = options.from.as_deref().unwrap_or("HEAD");
    let newest = repository.commit(from).map_err(|_| no_revision(from, &repository))?;
    if let Some(branch) = options.branch.as_deref() {
        repository.check_new_branch(branch).map_err(|error| {
            Error::usage(format!("--branch {branch}: {error}")).hint("choose another name")
        })?;
    }
    if options.from.is_none() && repository.is_dirty() {
        notes.warn("uncommitted changes are not part of HEAD, which is tested");
    }
    let row = match options.until.as_deref() {
        None => repository.first_parents(&newest.id).map_err(Error::usage)?,
        Some(until) => {
            let oldest = repository.commit(until).map_err(|_| no_revision(until, &repository))?;
            if !repository.is_ancestor(&oldest.id, &newest.id) {
                let message = format!("--until {until} is no ancestor of {from}");
                return Err(Error::usage(message));
            }
            let after = repository.path(&oldest.id, &newest.id).map_err(Error::usage)?;
            std::iter::once(oldest.id).chain(after).collect()
        }
    };
    if repository.is_shallow() {
        notes.warn(
            "the clone is shallow and lacks older commits; git fetch --unshallow brings them",
        );
    }
    let root = repository.top_level();
    let added = added_files(&options.with, root.as_deref().unwrap_or(here), here)?;
    let repository = repository.adding(added);
    let bad = repository.tree(&newest.id).map_err(|error| Error::unexpected(&error))?;
    for omitted in repository.omitted_submodules() {
        let path = omitted.path.display();
        notes.warn(&format!(
            "leaving out the submodule {path}; git submodule update --init brings it"
        ));
    }
    let names = (options.until.clone().unwrap_or_else(|| "the first commit".into()), from.into());
    let history = Some(VersionHistory { repository, row, carried: CarriedFiles::default() });
    Ok(VersionPair { good: Folder::default(), bad, names, root, history, upgrades: None })
}

/// The error of a revision that is not there.
fn no_revision(name: &str, repository: &Repository) -> Error {
    if !repository.is_repository() || repository.commit("HEAD").is_err() {
        let refusal = Error::usage("there is no git repository with a commit here");
        return match repository.is_repository() {
            true => refusal.hint("the repository has no commit yet"),
            false => refusal.hint("run it in a clone; to compare two trees, use wynot changes"),
        };
    }
    let refusal = Error::usage(format!("{name} is no revision here"));
    match repository.is_shallow() {
        true => refusal.hint("the clone is shallow: git fetch --unshallow brings older commits"),
        false => refusal,
    }
}

/// The files that every version gets: those that the user names, and the tests that the command names.
fn carried_files(
    options: &HistoryOptions,
    command: &TestCommand,
    versions: &VersionPair,
    here: &Path,
    notes: &mut dyn Notes,
) -> Result<CarriedFiles, Error> {
    let mut carried = CarriedFiles::default();
    let prefix = versions.root.as_deref().and_then(|root| {
        let (here, root) = (here.canonicalize().ok()?, root.canonicalize().ok()?);
        here.strip_prefix(root).map(Path::to_owned).ok()
    });
    for path in &options.carry {
        let place: PathBuf = prefix.clone().unwrap_or_default().join(path);
        let place: PathBuf = place.components().filter(|part| part.as_os_str() != ".").collect();
        let found = versions.bad.leaves().filter(|(leaf, _)| leaf.starts_with(&place));
        let before = carried.always.file_count();
        found.for_each(|(leaf, entry)| carried.always.insert(&**leaf, entry.clone()));
        if carried.always.file_count() == before {
            let message =
                format!("--carry {}: {} has no such file", path.display(), versions.names.1);
            return Err(
                Error::usage(message).hint("--with PATH adds files that git does not track")
            );
        }
    }
    let words = std::iter::once(&command.program)
        .map(PathBuf::as_path)
        .chain(command.args.iter().map(Path::new));
    for path in words.filter(|path| path.is_relative()) {
        let path: PathBuf = path.components().filter(|part| part.as_os_str() != ".").collect();
        let entry = versions.bad.get(&path).filter(|entry| !entry.is_directory());
        if let Some(entry) = entry.filter(|_| is_test(&path)) {
            notes.note(&format!(
                "{} of {} is used in every version",
                path.display(),
                versions.names.1
            ));
            carried.always.insert(path.as_path(), entry.clone());
        }
    }
    if let Some(root) = &versions.root {
        warn_of_checkout(command, root, here, notes);
    }
    Ok(carried)
}

/// Warns if the command uses files of the checkout that no version has, and if it is called in a subdirectory.
fn warn_of_checkout(command: &TestCommand, root: &Path, here: &Path, notes: &mut dyn Notes) {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let words = std::iter::once(command.program.as_path());
    for path in words.chain(command.args.iter().map(Path::new)).filter(|path| path.is_absolute()) {
        let found = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        if let Ok(place) = found.strip_prefix(&root).map(Path::display)
            && found.is_file()
        {
            notes.warn(&format!(
                "{place} is not part of the failing version, so it runs in the checkout and may read today's files \
                 there; --with {place} puts it into every version"
            ));
        }
    }
    if here.canonicalize().is_ok_and(|here| here != root) {
        notes.note("tests run in the top directory of each version");
    }
}
