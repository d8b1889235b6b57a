//! Lock files as versions: the project of the bad one, with the packages of either.

use crate::error::Error;
use crate::request::VersionOptions;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wynot_session::files::{read_file, read_tree};
use wynot_session::plain;
use wynot_subjects::{Folder, FolderEntry, LockError, LockKind, UpgradeError, UpgradeSubject};

/// The number of bytes at the start of a file that decide whether it is a lock file.
const BYTES_RECOGNISED: u64 = 2000;

/// Directories that installers and builds make, which are not part of a project.
const INSTALLED: [&str; 4] = [".git", "node_modules", "target", ".venv"];

/// A lock file and the project that it belongs to.
struct LockPath {
    kind: LockKind,
    path: PathBuf,
}

impl LockPath {
    /// The lock file at a path; `None` if there is none.
    fn of_file(path: &Path) -> Option<Self> {
        let path = match path.ends_with("go.sum") {
            true => path.with_file_name(LockKind::Go.file_name()),
            false => path.to_owned(),
        };
        let mut start = Vec::new();
        // A pipe would be waited for.
        let file = path.is_file().then(|| fs::File::open(&path).ok()).flatten()?;
        file.take(BYTES_RECOGNISED).read_to_end(&mut start).ok()?;
        LockKind::of_file(&path, &start).map(|kind| Self { kind, path })
    }

    /// The lock file of a kind in a directory.
    fn of_directory(dir: &Path, kind: LockKind) -> Option<Self> {
        let path = dir.join(kind.file_name());
        path.is_file().then_some(Self { kind, path })
    }

    fn project(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }
}

/// The upgrades between two lock files, if the versions are lock files, or directories that differ in nothing else.
pub(super) fn read_upgrades(
    options: &VersionOptions,
    here: &Path,
) -> Result<Option<UpgradeSubject>, Error> {
    if options.group.is_some() {
        return Ok(None);
    }
    let (good, bad) = (here.join(&options.good), here.join(&options.bad));
    if good.is_dir() && bad.is_dir() {
        return between_directories(options, &good, &bad);
    }
    let (found, other) = (LockPath::of_file(&good), LockPath::of_file(&bad));
    let found = match (found, other) {
        (None, None) => return Ok(None),
        (Some(good), None) => {
            let bad = LockPath::of_directory(&bad, good.kind);
            bad.map(|bad| (good, bad)).ok_or((&options.good, &options.bad))
        }
        (None, Some(bad)) => {
            let good = LockPath::of_directory(&good, bad.kind);
            good.map(|good| (good, bad)).ok_or((&options.bad, &options.good))
        }
        (Some(good), Some(bad)) => Ok((good, bad)),
    };
    let (good, bad) = found.map_err(|(lock, other)| {
        Error::usage(format!("{lock} is a lock file, {other} is not"))
            .hint("give two lock files, or the directories of two versions")
    })?;
    if good.kind != bad.kind {
        let [first, second] = [good.kind, bad.kind].map(LockKind::file_name);
        let message = format!(
            "{} and {} are lock files of different kinds: {first} and {second}",
            options.good, options.bad
        );
        return Err(Error::usage(message));
    }
    compare(options, &good, &bad).map(Some)
}

/// The upgrades between two directories, if they differ in their lock files and manifests and in nothing else.
fn between_directories(
    options: &VersionOptions,
    good: &Path,
    bad: &Path,
) -> Result<Option<UpgradeSubject>, Error> {
    let differs = |locks: &(LockPath, LockPath)| matches!((fs::read(&locks.0.path), fs::read(&locks.1.path)), (Ok(a), Ok(b)) if a != b);
    let both = LockKind::ALL.into_iter().filter_map(|kind| {
        LockPath::of_directory(good, kind).zip(LockPath::of_directory(bad, kind))
    });
    let mut changed: Vec<(LockPath, LockPath)> = both.filter(differs).collect();
    let (Some((old, new)), true) = (changed.pop(), changed.is_empty()) else { return Ok(None) };
    let is_of_lock = |path: &Path| {
        let names =
            [Some(new.kind.file_name()), new.kind.manifest_name(), new.kind.checksums_name()];
        names.into_iter().flatten().any(|name| path.ends_with(name))
    };
    let (good, bad) = (project_files(good)?, project_files(bad)?);
    let others = |folder: &Folder| -> Vec<(PathBuf, FolderEntry)> {
        let files = folder.entries().filter(|(path, _)| !is_of_lock(path));
        files.map(|(path, entry)| (path.to_path_buf(), entry.clone())).collect()
    };
    match others(&good) == others(&bad) {
        true => compare(options, &old, &new).map(Some),
        false => Ok(None),
    }
}

/// Compares the project of the bad lock file with the same project as the good lock file has it.
fn compare(
    options: &VersionOptions,
    good: &LockPath,
    bad: &LockPath,
) -> Result<UpgradeSubject, Error> {
    let kind = bad.kind;
    let lock = PathBuf::from(bad.path.file_name().unwrap_or_default());
    let with_bad = project_files(bad.project())?;
    let mut with_good = with_bad.with_contents(&lock, contents(&good.path)?);
    let other_names = [kind.manifest_name(), kind.checksums_name()];
    for (path, _) in with_bad.leaves() {
        let is_other = other_names.iter().flatten().any(|name| path.ends_with(name));
        let counterpart = good.project().join(path);
        if is_other && counterpart.is_file() {
            with_good = with_good.with_contents(path, contents(&counterpart)?);
        }
    }
    UpgradeSubject::between(with_good, with_bad, kind, &lock).map_err(|error| match &error {
        UpgradeError::Good(reason) => refusal(&options.good, kind, reason),
        UpgradeError::Bad(reason) => refusal(&options.bad, kind, reason),
        UpgradeError::Manifest(..) => Error::usage(error),
    })
}

/// The files of a project without what was installed or built in it.
fn project_files(dir: &Path) -> Result<Folder, Error> {
    let mut except = Vec::new();
    add_installed(dir, &mut except);
    read_tree(dir, Path::new(""), &except).map_err(Error::usage)
}

fn add_installed(dir: &Path, found: &mut Vec<PathBuf>) {
    let directories = fs::read_dir(dir).into_iter().flatten().flatten();
    for entry in directories.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
        match INSTALLED.iter().any(|name| entry.file_name() == *name) {
            true => found.push(entry.path()),
            false => add_installed(&entry.path(), found),
        }
    }
}

fn contents(path: &Path) -> Result<Vec<u8>, Error> {
    read_file(path)
        .map_err(|error| Error::usage(format!("cannot read {}: {}", path.display(), plain(&error))))
}

/// The error of a lock file that cannot be compared.
fn refusal(name: &str, kind: LockKind, reason: &LockError) -> Error {
    let error = Error::usage(format!("{name}: {reason}"));
    match (reason, kind) {
        (LockError::Version { .. }, LockKind::Npm) => error
            .hint("npm install --package-lock-only --lockfile-version 3 writes a newer version"),
        (LockError::Version { .. }, LockKind::Cargo) => {
            error.hint("a newer Cargo rewrites it with the first command that changes it")
        }
        (LockError::Empty, LockKind::Requirements) => {
            error.hint("versions are pinned with ==; pip freeze and pip-compile write such files")
        }
        _ => error,
    }
}

/// The two projects of a comparison, as versions.
pub(super) fn sides(upgrades: UpgradeSubject) -> (Folder, Folder, Arc<UpgradeSubject>) {
    let good = upgrades.compose(&wynot_core::Configuration::empty());
    (good, upgrades.original().clone(), Arc::new(upgrades))
}
