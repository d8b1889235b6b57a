//! The session of an explanation: its key, its directory and its first records.

use super::explain_request::ExplainRequest;
use super::runs::ComparedRuns;
use crate::error::Error;
use crate::plan::default_session;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wynot_session::judge::Condition;
use wynot_session::{CommandLine, Digest, Fingerprint, Journal, JournalError, Record, RunRecord};
use wynot_state::process::Invocation;

/// Environment variables that differ from shell to shell without meaning.
const IGNORED_VARIABLES: [&str; 3] = ["_", "SHLVL", "OLDPWD"];

/// Opens the session: its directory, its journal, and the records of earlier runs.
pub(super) fn open_session(
    request: &ExplainRequest,
    runs: &ComparedRuns,
) -> Result<(PathBuf, Journal, Vec<Record>), Error> {
    let key = key(request, runs);
    let session = match &request.session {
        Some(dir) => request.directory.join(dir),
        None => default_session(&key.to_string()),
    };
    let (journal, past) = Journal::open(&session, key, request.fresh).map_err(|error| {
        let refused = Error::unexpected(&error);
        match error {
            JournalError::InUse(_) => {
                refused.hint("wait for it, or choose another place with --session DIR")
            }
            JournalError::Io { .. } => refused.hint("choose another place with --session DIR"),
            _ => refused.hint("use --fresh to start over, or another place with --session DIR"),
        }
    })?;
    Ok((session, journal, past))
}

/// The digest of everything that outcomes depend on, as far as it can be seen.
fn key(request: &ExplainRequest, runs: &ComparedRuns) -> Digest {
    let mut print = Fingerprint::default();
    print.add("format", "explain 1").add_file(&runs.program);
    for invocation in [&runs.passing, &runs.failing] {
        add_invocation(&mut print, invocation);
    }
    if let Some(hints) = &request.hints {
        print.add_file(&request.directory.join(hints));
    }
    let conditions = |conditions: &[Condition]| {
        conditions.iter().map(|condition| format!("{condition}\n")).collect::<String>()
    };
    print
        .add("fail", conditions(&request.fail_when))
        .add("pass", conditions(&request.pass_when))
        .add("output", [u8::from(request.same_output)])
        .add("timeout", format!("{:?}", request.timeout));
    print.digest()
}

/// Adds a run: its arguments, the files that they name, what it reads, and its environment.
fn add_invocation(print: &mut Fingerprint, invocation: &Invocation) {
    let Invocation { arguments, input, directory, environment, .. } = invocation;
    print.add("directory", directory.as_os_str().as_bytes());
    for argument in arguments {
        print.add("argument", argument.as_bytes());
        let path = directory.join(argument);
        if path.is_file() {
            print.add_file(&path);
        }
    }
    if let Some(input) = input {
        print.add_file(&directory.join(input));
    }
    for (name, value) in environment {
        if !IGNORED_VARIABLES.iter().any(|ignored| name == ignored) {
            print.add("variable", name.as_bytes()).add("value", value.as_bytes());
        }
    }
}

/// The record of a run of `explain`.
pub(super) fn run_record(
    request: &ExplainRequest,
    runs: &ComparedRuns,
    session: &Path,
) -> RunRecord {
    let directory = request.directory.clone().into_os_string().into_string();
    let command_line = || {
        Some(CommandLine {
            arguments: request.command_line.clone()?,
            directory: directory.ok()?,
            output: session.to_str()?.to_owned(),
        })
    };
    RunRecord {
        command: "explain".to_owned(),
        algorithm: "dd".to_owned(),
        units: "state".to_owned(),
        input: runs.command_lines.1.clone(),
        test: vec![runs.command_lines.0.clone(), runs.command_lines.1.clone()],
        reading: "an experiment fails if it ends like the failing run".to_owned(),
        bytes: 0,
        deltas: 0,
        excerpt: String::new(),
        command_line: command_line(),
    }
}
