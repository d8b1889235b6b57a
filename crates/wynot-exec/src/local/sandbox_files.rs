//! The files that tests in a sandbox can see.
//!
//! Hidden are the home directories, the temporary directories and `/run`, where the sockets of services are. Of these,
//! a test needs the directory in which wynot was started, the program and the files that its command names, the
//! project, and the programs in PATH with their libraries. A directory that contains a hidden one is never shown as a
//! whole, unless the user names it.

use crate::command::{TestCommand, WorkDir};
use crate::spec::{SandboxSpec, TestSpec};
use crate::supervisor::setup::{Bytes, SandboxSetup};
use std::path::{Path, PathBuf};
use wynot_session::ExecutorError;

/// The directories that are always hidden.
const HIDDEN: [&str; 5] = ["/home", "/root", "/run", "/tmp", "/var/tmp"];

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
    let hidden = hidden_directories();
    let is_visible = |path: &&PathBuf| !hidden.iter().any(|hidden| hidden.starts_with(path));
    let needed = needed_paths(spec);
    let needed: Vec<&PathBuf> = needed.iter().filter(is_visible).collect();
    let command = &spec.command;
    if command.work_dir == WorkDir::Here {
        let here = &command.here;
        let is_hidden = hidden.iter().any(|hidden| here.starts_with(hidden));
        let shown = needed.iter().copied().chain(&sandbox.shown);
        if is_hidden && !shown.into_iter().any(|shown| here.starts_with(shown)) {
            return Err(ExecutorError::HiddenDirectory(here.clone()));
        }
    }
    let to_bytes = |path: &PathBuf| Bytes::from(path.as_path());
    Ok(SandboxSetup {
        partial: sandbox.partial,
        hidden: hidden.iter().map(to_bytes).collect(),
        needed: needed.into_iter().map(to_bytes).collect(),
        shown: sandbox.shown.iter().map(to_bytes).collect(),
    })
}

/// The hidden directories.
fn hidden_directories() -> Vec<PathBuf> {
    let home = std::env::home_dir().and_then(|home| home.canonicalize().ok());
    let fixed = HIDDEN.iter().filter_map(|path| Path::new(path).canonicalize().ok());
    let mut hidden: Vec<PathBuf> =
        fixed.chain(home).filter(|path| path.is_dir() && path.parent().is_some()).collect();
    hidden.sort();
    hidden.dedup();
    hidden
}

/// The files and directories that a test needs, with directories before their contents.
fn needed_paths(spec: &TestSpec) -> Vec<PathBuf> {
    let TestCommand { program, fallback, args, here, .. } = &spec.command;
    let words = args.iter().map(PathBuf::from).filter(|word| !word.as_os_str().is_empty());
    let named = [program].into_iter().chain(fallback).cloned().chain(words);
    let named = named.map(|path| here.join(path)).filter(|path| path.exists());
    let path = std::env::var_os("PATH").unwrap_or_default();
    let directories: Vec<PathBuf> = std::env::split_paths(&path)
        .chain(program.parent().map(|parent| here.join(parent)))
        .filter(|directory| directory.is_absolute())
        .flat_map(|directory| with_libraries(&directory))
        .collect();
    let project = spec.project.iter().cloned();
    let all = [here.clone()].into_iter().chain(project).chain(directories).chain(named);
    let mut all: Vec<PathBuf> = all.filter_map(|path| path.canonicalize().ok()).collect();
    all.sort();
    all.dedup();
    all
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
