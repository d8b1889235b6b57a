//! A row of versions that a file lists, as a subject.

use super::input::{SearchInput, read as read_input};
use super::test_commands::bad_command;
use crate::error::Error;
use crate::request::{AlgorithmOptions, Request, VersionListOptions};
use std::ffi::OsStr;
use std::path::PathBuf;
use wynot_exec::command::mentions_version;
use wynot_exec::{TestCommand, VariantForm};
use wynot_session::shown_path;
use wynot_subjects::{Subject, VersionRow, VersionRowError};

/// What a list of versions looks like.
const FORMAT_HINT: &str =
    "--versions names a file with one version per line, the oldest first; # begins a comment";

/// Reads a list of versions, and resolves the test that gets them.
pub(super) fn read(
    options: &VersionListOptions,
    request: &Request,
) -> Result<(TestCommand, SearchInput), Error> {
    check_algorithm(&request.algorithm)?;
    let row = read_row(options, request)?;
    let build = options.build.as_deref();
    let words = request.test.iter().map(|word| word.as_os_str()).chain(build.map(OsStr::new));
    if !words.into_iter().any(mentions_version) {
        let message = "neither the test nor --build says where the version goes";
        return Err(Error::usage(message).hint(
            "write {version} among the words of the test, or in --build: -- ./test.sh {version}",
        ));
    }
    let here = &request.directory;
    let bad = row.names().last().cloned().unwrap_or_default();
    let command = TestCommand::for_versions(&request.test, build, &bad, here)
        .map_err(|error| bad_command(&error, here))?;
    let subject = SearchInput::new(Subject::Versions(row), VariantForm::Call, bad.into());
    Ok((command, SearchInput { variant: PathBuf::from("variant"), ..subject }))
}

/// Refuses options of algorithms that take changes apart.
fn check_algorithm(options: &AlgorithmOptions) -> Result<(), Error> {
    let is_default =
        options.algorithm.is_none() && options.minimality == 1 && !options.assume_monotone;
    match is_default {
        true => Ok(()),
        false => Err(Error::usage(
            "a row of versions is bisected: --algorithm, --minimality and --assume-monotone have no meaning there",
        )),
    }
}

fn read_row(options: &VersionListOptions, request: &Request) -> Result<VersionRow, Error> {
    let shown = shown_path(&options.file);
    if options.file.as_os_str() == "-" {
        let message = "--versions -: the list has to be a file, so that the search can be resumed";
        return Err(Error::usage(message).hint(FORMAT_HINT));
    }
    let contents = read_input(&options.file, &request.directory)
        .map_err(|refusal| refusal.hint(FORMAT_HINT))?;
    let list = String::from_utf8(contents)
        .map_err(|_| Error::usage(format!("{shown} is not UTF-8")).hint(FORMAT_HINT))?;
    VersionRow::parse(&list, options.good.as_deref(), options.bad.as_deref()).map_err(|error| {
        let refusal = Error::usage(format!("{shown}: {error}"));
        match error {
            VersionRowError::Duplicate { .. } => refusal.hint("a version has one place in its row"),
            VersionRowError::Unknown(_) => refusal.hint("--good and --bad name lines of the list"),
            VersionRowError::WrongOrder { .. } => refusal
                .hint("the list goes from old to new; are --good and --bad the other way round?"),
            _ => refusal.hint(FORMAT_HINT),
        }
    })
}
