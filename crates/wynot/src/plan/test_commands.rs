//! The commands of a search besides the test itself, and the errors of commands that cannot be started.

use super::versions::VersionPair;
use crate::error::Error;
use crate::request::Request;
use crate::similar_name::similar_file;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::Path;
use wynot_exec::TestCommand;
use wynot_exec::command::{BadCommand, BadProgram};
use wynot_subjects::split_words;

/// The command that must succeed on a variant that fails, or on one that passes as well, if the request has one.
pub(super) fn validity(
    request: &Request,
    versions: Option<&VersionPair>,
) -> Result<Option<TestCommand>, Error> {
    let outcome = &request.outcome;
    let option = if outcome.guard.is_some() { "--guard" } else { "--valid-when" };
    let Some(text) = outcome.guard.as_ref().or(outcome.valid_when.as_ref()) else {
        return Ok(None);
    };
    let here = &request.directory;
    if request.vary.is_some() || request.version_list.is_some() {
        return Err(Error::usage("--valid-when checks files; here, the call of the test varies"));
    }
    let is_plain = !text.contains(['|', '&', ';', '<', '>', '$', '`', '(', '*', '~', '\n']);
    let words: Vec<OsString> = match is_plain {
        true => {
            let words = split_words(text.as_bytes())
                .map_err(|error| Error::usage(format!("{option}: {error}")))?;
            words.into_iter().map(OsString::from_vec).collect()
        }
        false => ["/bin/sh", "-c", text].map(OsString::from).to_vec(),
    };
    if words.is_empty() {
        return Err(Error::usage(format!("{option}: there is no command")));
    }
    let command = match versions {
        Some(versions) => {
            let build = request.build().filter(|_| outcome.guard.is_some());
            in_folder(&words, build, versions, here)
        }
        None => TestCommand::new(&words, None, &request.inputs, here),
    };
    command.map(Some).map_err(|error| {
        let refusal = bad_command(&error, here);
        Error { message: format!("{option}: {}", refusal.message), ..refusal }
    })
}

/// A command that runs in the versions of a pair.
pub(super) fn in_folder(
    words: &[OsString],
    build: Option<&str>,
    versions: &VersionPair,
    here: &Path,
) -> Result<TestCommand, BadCommand> {
    TestCommand::in_folder(words, build, &versions.bad, versions.root.as_deref(), here)
}

/// The refusal of a project beside versions.
pub(super) fn not_with_versions(dir: &Path) -> Error {
    let message = format!("--in {}: here, each test runs in a whole version", dir.display());
    Error::usage(message).hint("--with PATH adds files to every version")
}

/// The error of a command that cannot be started, with hints.
pub(super) fn bad_command(error: &BadCommand, here: &Path) -> Error {
    let program = error.program.to_string_lossy();
    let refusal = Error::usage(error);
    match &error.reason {
        BadProgram::Missing if here.join(&error.program).is_file() => refusal
            .hint(format!("commands are looked up in PATH; for the file here, write ./{program}")),
        BadProgram::Missing if program.contains(' ') => refusal.hint(format!(
            "write the words of the command without quotes around them all, or use sh -c '{program}'"
        )),
        BadProgram::Missing => match similar_file(Path::new(&error.program), here) {
            Some(similar) if program.contains('/') => refusal.hint(format!("did you mean {similar}?")),
            _ => refusal,
        },
        BadProgram::NotExecutable => refusal.hint(format!("chmod +x {program}")),
        BadProgram::NoInterpreter => {
            refusal.hint(format!("begin {program} with a line such as #!/bin/sh"))
        }
        _ => refusal,
    }
}
