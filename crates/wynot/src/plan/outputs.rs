//! The paths of results, and the check that they replace neither inputs nor unrelated files.

use super::input::{SearchInput, file_name};
use super::result_names::{
    tag_directory_name, tag_file_name, untag_directory_name, untag_file_name,
};
use crate::error::Error;
use crate::request::{Algorithm, Request, Verb};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::FileTypeExt;
use std::path::{Component, Path, PathBuf};
use wynot_exec::VariantForm;
use wynot_session::ResultFiles;
use wynot_subjects::quote;

/// The paths of the results, as the user wrote them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutputPaths {
    /// The path of the failing side; empty if it is not written.
    pub failing: PathBuf,
    /// The path of the passing side, if the result is a pair.
    pub passing: Option<PathBuf>,
}

impl OutputPaths {
    /// Chooses the paths. The input itself is replaced only with `--in-place`, after a copy of it is kept. The path is
    /// empty for results about options, unless the user names a file: they go to the directory of the session.
    pub(super) fn choose(
        request: &Request,
        algorithm: Algorithm,
        input: &SearchInput,
    ) -> Result<Self, Error> {
        let tag = if request.verb == Verb::Isolate { "failing" } else { "min" };
        let failing = failing_path(request, input, tag)?;
        let first = request.inputs.first();
        let is_pair = algorithm.isolates() && !request.compares_versions();
        let passing = is_pair.then(|| {
            let base = first.filter(|_| request.input.in_place).unwrap_or(&failing);
            let name = base.file_name().unwrap_or_default();
            base.with_file_name(match input.form {
                VariantForm::Folder => {
                    tag_directory_name(&untag_directory_name(name, tag), "passing")
                }
                _ => tag_file_name(&untag_file_name(name, tag), "passing"),
            })
        });
        let paths = Self { failing, passing };
        paths.check(request, input)?;
        Ok(paths)
    }

    /// Refuses results that would replace an input, or something that cannot be a result.
    fn check(&self, request: &Request, input: &SearchInput) -> Result<(), Error> {
        let is_same = |a: &Path, b: &Path| {
            let resolve = |path: &Path| request.at(path).canonicalize().ok();
            resolve(a).zip(resolve(b)).is_some_and(|(a, b)| a == b)
        };
        let is_input = |path: &Path| {
            !request.input.in_place && request.inputs.iter().any(|input| is_same(path, input))
        };
        if is_input(&self.failing) {
            let message = format!("-o {}: that is the input itself", self.failing.display());
            return Err(Error::usage(message).hint("use --in-place to replace it"));
        }
        let results = [Some(&self.failing), self.passing.as_ref()];
        for path in results.into_iter().flatten().chain(&request.written_by_caller) {
            let is_baseline =
                request.passing.as_deref().is_some_and(|baseline| is_same(path, baseline));
            if is_input(path) || is_baseline {
                let message = format!("{} is an input and would be overwritten", path.display());
                return Err(Error::usage(message).hint("choose other names, for instance with -o"));
            }
            let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
            if parent.is_some_and(|parent| !request.at(parent).is_dir()) {
                let message =
                    format!("cannot write {}: there is no such directory", path.display());
                let parent = parent.map(|parent| parent.display().to_string()).unwrap_or_default();
                let line = format!("mkdir -p {}", quote::command(&[parent]));
                return Err(Error::usage(message).hint(format!("{line} makes it")));
            }
            let is_result = results.contains(&Some(path));
            let is_folder = input.form == VariantForm::Folder && is_result;
            let is_replaceable = |metadata: &fs::Metadata| match is_folder {
                true => metadata.is_dir(),
                // Results are replaced. Other files are only written, which a pipe or a terminal allows, too.
                false => metadata.is_file() || !is_result && is_stream(metadata),
            };
            let is_written = !path.as_os_str().is_empty();
            if is_written && fs::metadata(request.at(path)).is_ok_and(|m| !is_replaceable(&m)) {
                let kind = if is_folder { "directory" } else { "ordinary file" };
                let message = format!("{} is no {kind} and would be replaced", path.display());
                return Err(Error::usage(message));
            }
        }
        let is_within_input = |path: &Path| {
            let path = request.at(path);
            request.inputs.iter().any(|input| is_within(&path, &request.at(input)))
        };
        let mut written = results.into_iter().flatten().filter(|p| !p.as_os_str().is_empty());
        match written.find(|path| is_within_input(path)) {
            Some(path) => {
                let message = format!("{} lies within the input", path.display());
                Err(Error::usage(message).hint("choose a place outside of it with -o"))
            }
            None => Ok(()),
        }
    }

    /// The files of the results, with absolute paths.
    pub(super) fn files(&self, here: &Path, input: &SearchInput) -> ResultFiles {
        let at = |path: &PathBuf| match path.as_os_str().is_empty() {
            true => PathBuf::new(),
            false => here.join(path),
        };
        ResultFiles {
            failing: at(&self.failing),
            passing: self.passing.as_ref().map(at),
            mode: input.mode,
            places: input.places.clone(),
            tag: String::new(),
        }
    }
}

/// Whether a file is a pipe or a character device, such as a terminal.
fn is_stream(metadata: &fs::Metadata) -> bool {
    let kind = metadata.file_type();
    kind.is_fifo() || kind.is_char_device()
}

/// The path of the failing side; empty if it is not written, or not beside an input.
fn failing_path(request: &Request, input: &SearchInput, tag: &str) -> Result<PathBuf, Error> {
    let here = &request.directory;
    let first = request.inputs.first();
    let name = first.map(|input| file_name(input, here)).transpose()?.unwrap_or_default();
    let is_beside = request.output.is_none() && !request.input.in_place;
    if let Some(input) = first.filter(|input| is_beside && is_among_devices(&request.at(input))) {
        let message = format!("no result can be written beside {}", input.display());
        return Err(Error::usage(message).hint("choose a place for it with -o"));
    }
    Ok(match (&request.output, first) {
        // The result is a patch, not a tree.
        _ if request.versions.is_some() || request.history.is_some() => PathBuf::new(),
        (Some(path), _) if request.at(path).is_dir() && input.form == VariantForm::File => {
            path.join(tag_file_name(&name, tag))
        }
        (Some(path), _) => path.clone(),
        // If the input is a symbolic link, the file that it leads to is replaced.
        (None, Some(input)) if request.input.in_place => {
            request.at(input).canonicalize().unwrap_or_else(|_| input.clone())
        }
        (None, Some(path)) if input.form == VariantForm::Folder => {
            path_beside(path, &tag_directory_name(&name, tag), here)
        }
        (None, Some(path)) => path_beside(path, &tag_file_name(&name, tag), here),
        (None, None) => PathBuf::new(),
    })
}

/// Whether an absolute path is one of those by which the system gives access to open files, such as `/dev/stdin`.
fn is_among_devices(path: &Path) -> bool {
    ["/dev", "/proc"].iter().any(|dir| path.starts_with(dir)) && !path.starts_with("/dev/shm")
}

/// The path of a file with this name in the directory that contains the input.
fn path_beside(input: &Path, name: &OsStr, here: &Path) -> PathBuf {
    match input.components().next_back() {
        Some(Component::Normal(_)) => input.with_file_name(name),
        // A path such as `.` is resolved first.
        _ => match here.join(input).canonicalize() {
            Ok(resolved) => resolved.with_file_name(name),
            Err(_) => PathBuf::from(name),
        },
    }
}

/// Whether an absolute path lies within a directory.
fn is_within(path: &Path, dir: &Path) -> bool {
    let parent = path.parent().unwrap_or(path).canonicalize();
    dir.is_dir() && parent.ok().zip(dir.canonicalize().ok()).is_some_and(|(p, d)| p.starts_with(d))
}
