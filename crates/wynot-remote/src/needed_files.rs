//! The files of this machine that a test needs on a worker.
//!
//! A test names programs and files. Those of the system are expected on workers. Scripts and other files of the user are
//! sent along, and the words of the command that name them are changed to where they are on the worker. Other paths that a
//! command mentions are doubtful.

use crate::remote_options::NeededFile;
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use wynot_exec::TestSpec;
use wynot_session::files::{UnreadableFile, read_tree};
use wynot_subjects::Folder;
use wynot_supervisor::Output;
use wynot_supervisor::runner::worker_request::FILES_PATH;
use wynot_supervisor::supervisor::setup::Bytes;

/// Directories that belong to the system, so that workers are expected to have the same.
const SYSTEM_DIRECTORIES: [&str; 14] = [
    "/bin", "/dev", "/etc", "/gnu", "/lib", "/lib32", "/lib64", "/libx32", "/nix", "/opt", "/proc",
    "/sbin", "/sys", "/usr",
];

/// The files that a test needs, and paths of which that is not known.
#[derive(Clone, Debug, Default)]
pub(crate) struct NeededFiles {
    files: Vec<NeededFile>,
    doubtful: Vec<PathBuf>,
}

impl NeededFiles {
    /// The files that the command of a test names, and those that the user names.
    pub(crate) fn new(spec: &TestSpec, named: &[NeededFile]) -> Self {
        let command = &spec.command;
        let mut needed = Self { files: named.to_vec(), doubtful: Vec::new() };
        let is_in_project =
            |path: &Path| spec.project.as_deref().is_some_and(|project| path.starts_with(project));
        let on_search_path = command.program.parent().is_some_and(is_on_search_path);
        let program = Some(&command.program).filter(|_| !on_search_path);
        let words = command.args.iter().map(PathBuf::from).collect::<Vec<_>>();
        for path in program.into_iter().chain(&command.fallback).chain(&words) {
            if is_private(path) && path.is_file() && !is_in_project(path) {
                needed.add(path, &command.here);
            }
        }
        let texts = command.args.iter().chain(&command.build).map(|text| text.as_bytes());
        let mut mentioned: BTreeSet<PathBuf> = texts.flat_map(absolute_paths).collect();
        mentioned.extend(Some(command.program.clone()).filter(|_| on_search_path));
        let is_known = |path: &PathBuf| {
            is_in_project(path) || needed.files.iter().any(|file| path.starts_with(&file.path))
        };
        let doubtful = mentioned.into_iter().filter(|path| is_private(path) && !is_known(path));
        needed.doubtful = doubtful.collect();
        needed
    }

    /// Adds a file under a name that no other file has.
    fn add(&mut self, path: &Path, here: &Path) {
        if self.files.iter().any(|file| path.starts_with(&file.path)) {
            return;
        }
        let name = match path.strip_prefix(here) {
            Ok(inside) => inside.to_owned(),
            Err(_) => PathBuf::from(path.file_name().unwrap_or_default()),
        };
        let is_free = |name: &Path| !self.files.iter().any(|file| file.name == name);
        let numbered = (1..).map(|number| Path::new(&format!("other-{number}")).join(&name));
        let free = std::iter::once(name.clone()).chain(numbered).find(|name| is_free(name));
        self.files.push(NeededFile { path: path.to_owned(), name: free.unwrap_or(name) });
    }

    /// The paths that the command mentions, and that workers may not have.
    pub(crate) fn doubtful(&self) -> &[PathBuf] {
        &self.doubtful
    }

    /// Reads the files.
    pub(crate) fn read(&self) -> Result<Folder, UnreadableFile> {
        let mut folder = Folder::default();
        for file in &self.files {
            for (path, entry) in read_tree(&file.path, &file.name, &[])?.entries() {
                folder.insert(path.clone(), entry.clone());
            }
        }
        Ok(folder)
    }

    /// Replaces the paths of the files in the output of a test by those that it prints on a worker.
    pub(crate) fn hide(&self, output: &mut Output) {
        for file in &self.files {
            let before = output.kept.len() as u64;
            let there = Path::new(".").join(&file.name);
            output.kept = with_path(&Bytes::from(&output.kept), &file.path, &there).os().into_vec();
            output.total = output.total + output.kept.len() as u64 - before;
        }
    }

    /// Changes the paths in a word to those on a worker.
    pub(crate) fn redirect(&self, word: &mut Bytes) {
        for file in &self.files {
            let there = Path::new(FILES_PATH).join(&file.name);
            *word = with_path(word, &file.path, &there);
        }
    }
}

/// Replaces a path where it occurs as a whole, or as the beginning of a longer path.
fn with_path(word: &Bytes, path: &Path, by: &Path) -> Bytes {
    let text = word.os().into_vec();
    let path = path.as_os_str().as_bytes();
    let (mut from, mut result) = (0, Vec::with_capacity(text.len()));
    while let Some(found) = text[from..].windows(path.len()).position(|window| window == path) {
        let (at, end) = (from + found, from + found + path.len());
        let is_whole = text.get(end).is_none_or(|byte| *byte == b'/' || !is_path_byte(*byte));
        result.extend_from_slice(&text[from..at]);
        result.extend_from_slice(match is_whole && begins_path(&text, at) {
            true => by.as_os_str().as_bytes(),
            false => path,
        });
        from = end;
    }
    result.extend_from_slice(&text[from..]);
    Bytes::from(&result)
}

/// The existing absolute paths in a text.
fn absolute_paths(text: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let begins = text[at] == b'/' && begins_path(text, at);
        let length = text[at..].iter().take_while(|byte| is_path_byte(**byte)).count();
        if begins && length > 1 {
            let path = Path::new(OsStr::from_bytes(&text[at..at + length]));
            if path.components().count() > 2 && path.exists() {
                found.push(path.to_owned());
            }
        }
        at += if begins { length.max(1) } else { 1 };
    }
    found
}

/// Whether a path begins at a slash: not in the middle of another path, but perhaps directly after an option.
fn begins_path(text: &[u8], at: usize) -> bool {
    let before = text[..at].iter().rev().take_while(|byte| is_path_byte(**byte)).count();
    let word = &text[at - before..at];
    word.is_empty() || (word[0] == b'-' && !word.contains(&b'/'))
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || b"/._-+@%~".contains(&byte)
}

/// Whether a path does not belong to the system.
fn is_private(path: &Path) -> bool {
    path.is_absolute() && !SYSTEM_DIRECTORIES.iter().any(|system| path.starts_with(system))
}

/// Whether programs are looked up in a directory.
fn is_on_search_path(directory: &Path) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|entry| entry == directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_replaced_as_a_whole() {
        let word =
            Bytes::from(&b"-I/home/u/lib -L/home/u/library /home/u/lib/x /x/home/u/lib".to_vec());
        let there = Path::new("/w/lib");
        let replaced = with_path(&word, Path::new("/home/u/lib"), there);
        let expected = "-I/w/lib -L/home/u/library /w/lib/x /x/home/u/lib";
        assert_eq!(replaced.os(), expected);
    }

    #[test]
    fn only_existing_paths_are_mentioned() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_str().unwrap();
        let text = format!("cc -I{path} -x={path}/none '{path}' a/b /");
        assert_eq!(absolute_paths(text.as_bytes()), [path, path].map(PathBuf::from));
    }
}
