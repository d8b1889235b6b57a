//! The files that tests in a sandbox can see.
//!
//! Hidden are the home directories, the temporary directories, other disks, and `/run`, where the sockets of services are.
//! Of these, a test needs the directory in which wynot was started, the program and the files that its command names, the
//! project, and the programs in PATH with their libraries. A directory that contains a hidden one is never shown as a
//! whole, unless the user names it.

use crate::command::{TestCommand, WorkDir};
use crate::spec::{SandboxSpec, TestSpec};
use std::path::{Path, PathBuf};
use wynot_session::ExecutorError;
use wynot_supervisor::supervisor::setup::SandboxSetup;

/// The directories that are always hidden.
const HIDDEN: [&str; 8] = ["/boot", "/home", "/media", "/mnt", "/root", "/run", "/tmp", "/var/tmp"];

/// The names of directories with programs, and of what such programs need beside them.
const PROGRAM_DIRECTORIES: [&str; 2] = ["bin", "sbin"];
const NEEDED_BY_PROGRAMS: [&str; 5] = ["lib", "lib64", "libexec", "include", "pyvenv.cfg"];

/// The name of directories with small programs that start those of the version in use, which is beside them.
const SHIM_DIRECTORY: &str = "shims";

/// A program that starts those of the version in use, the variable with their directory, and its default at home.
const RUSTUP: (&str, &str, &str) = ("rustup", "RUSTUP_HOME", ".rustup");

/// The setup of the sandbox of a test.
pub(crate) fn sandbox_setup(
    sandbox: &SandboxSpec,
    spec: &TestSpec,
) -> Result<SandboxSetup, ExecutorError> {
    let hidden = HiddenDirectories::new(&sandbox.hidden);
    let command = &spec.command;
    let is_shown = |path: &PathBuf| {
        let is_hidden = sandbox.hidden.iter().any(|hidden| path.starts_with(hidden));
        !is_hidden || path.starts_with(&command.here)
    };
    let shown_part = |paths| {
        let mut shown = hidden.shown_part(paths);
        shown.retain(is_shown);
        shown
    };
    let needed = shown_part(needed_paths(spec));
    let programs = shown_part(program_directories(spec));
    if command.work_dir == WorkDir::Here && hidden.contain(&command.here) {
        let mut shown = needed.iter().chain(&sandbox.shown);
        if !shown.any(|shown| command.here.starts_with(shown)) {
            return Err(ExecutorError::HiddenDirectory(command.here.clone()));
        }
    }
    let to_bytes = |paths: &[PathBuf]| paths.iter().map(|path| path.as_path().into()).collect();
    Ok(SandboxSetup {
        partial: sandbox.partial,
        hidden: to_bytes(&hidden.0),
        programs: to_bytes(&programs),
        needed: to_bytes(&needed),
        shown: to_bytes(&sandbox.shown),
    })
}

/// The directories that are hidden in every sandbox, and others.
pub fn hidden_directories(others: &[PathBuf]) -> Vec<PathBuf> {
    HiddenDirectories::new(others).0
}

/// The directories of a program and of those in PATH that are hidden otherwise, with their libraries.
pub fn directories_of_programs(program: &Path) -> Vec<PathBuf> {
    HiddenDirectories::new(&[]).shown_part(directories_in_path(program.parent()))
}

/// The hidden directories.
struct HiddenDirectories(Vec<PathBuf>);

impl HiddenDirectories {
    /// The directories that are always hidden, and others.
    fn new(others: &[PathBuf]) -> Self {
        let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
        let fixed = HIDDEN.iter().filter_map(|path| Path::new(path).canonicalize().ok());
        let mut hidden: Vec<PathBuf> = fixed.chain(home).chain(others.iter().cloned()).collect();
        hidden.retain(|path| path.is_dir() && path.parent().is_some());
        hidden.sort();
        hidden.dedup();
        Self(hidden)
    }

    /// Whether a path is hidden.
    fn contain(&self, path: &Path) -> bool {
        self.0.iter().any(|hidden| path.starts_with(hidden))
    }

    /// The paths that have to be shown because they are hidden, without those that contain a hidden directory, and with
    /// directories before their contents.
    fn shown_part(&self, paths: Vec<PathBuf>) -> Vec<PathBuf> {
        let hidden = paths.into_iter().filter(|path| self.contain(path));
        let mut shown: Vec<PathBuf> = hidden.filter_map(|path| path.canonicalize().ok()).collect();
        shown.retain(|path| !self.0.iter().any(|hidden| hidden.starts_with(path)));
        shown.sort();
        shown.dedup();
        shown
    }
}

/// The files and directories that a test needs, apart from programs in PATH.
fn needed_paths(spec: &TestSpec) -> Vec<PathBuf> {
    let TestCommand { program, fallback, args, here, .. } = &spec.command;
    let words = args.iter().map(PathBuf::from).filter(|word| !word.as_os_str().is_empty());
    let named = [program].into_iter().chain(fallback).cloned().chain(words);
    let named = named.map(|path| here.join(path)).filter(|path| path.exists());
    [here.clone()].into_iter().chain(spec.project.clone()).chain(named).collect()
}

/// The directories of the program of the test and of those in PATH, with their libraries.
fn program_directories(spec: &TestSpec) -> Vec<PathBuf> {
    let own = spec.command.program.parent().map(|parent| spec.command.here.join(parent));
    directories_in_path(own.as_deref())
}

/// A directory and those of PATH, with their libraries.
fn directories_in_path(own: Option<&Path>) -> Vec<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let all = std::env::split_paths(&path).chain(own.map(Path::to_owned));
    let directories = all.filter(|path| path.is_absolute());
    directories.flat_map(|directory| with_libraries(&directory)).collect()
}

/// A directory of programs, and what the programs need besides it.
fn with_libraries(directory: &Path) -> Vec<PathBuf> {
    let mut paths = vec![directory.to_owned()];
    if let (Some(prefix), Some(name)) = (directory.parent(), directory.file_name()) {
        if name == SHIM_DIRECTORY {
            paths.push(prefix.to_owned());
        } else if PROGRAM_DIRECTORIES.iter().any(|bin| name == *bin) {
            paths.extend(NEEDED_BY_PROGRAMS.map(|needed| prefix.join(needed)));
        }
    }
    let (program, variable, default) = RUSTUP;
    if directory.join(program).exists() {
        let named = std::env::var_os(variable).map(PathBuf::from);
        paths.extend(named.or_else(|| Some(std::env::home_dir()?.join(default))));
    }
    paths.retain(|path| path.exists());
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_come_with_the_libraries_beside_them() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["bin", "lib", "secret"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let bin = dir.path().join("bin");
        assert_eq!(with_libraries(&bin), [bin.clone(), dir.path().join("lib")]);
        assert_eq!(with_libraries(&dir.path().join("secret")), [dir.path().join("secret")]);
    }
}
