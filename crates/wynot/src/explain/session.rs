//! The session of an explanation: its key, its directory and its first records.

use super::explain_request::ExplainRequest;
use super::runs::ComparedRuns;
use crate::error::Error;
use crate::notes::Notes;
use crate::plan::default_session;
use crate::sessions::{command_line_to_record, open_journal};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wynot_session::judge::Condition;
use wynot_session::{Digest, Fingerprint, Journal, Record, RunRecord};
use wynot_state::process::Invocation;

/// Environment variables that differ between shells and do not affect programs.
const IGNORED_VARIABLES: [&str; 3] = ["_", "SHLVL", "OLDPWD"];

/// Opens the session: its directory, its journal, and the records of earlier runs.
pub(super) fn open_session(
    request: &ExplainRequest,
    runs: &ComparedRuns,
    notes: &mut dyn Notes,
) -> Result<(PathBuf, Journal, Vec<Record>), Error> {
    let key = key(request, runs);
    let session = match &request.session {
        Some(dir) => request.directory.join(dir),
        None => default_session(&key.to_string())?,
    };
    let (journal, past) = open_journal(&session, key, request.fresh, notes)?;
    Ok((session, journal, past))
}

/// The digest of everything that outcomes are known to depend on.
fn key(request: &ExplainRequest, runs: &ComparedRuns) -> Digest {
    let mut print = Fingerprint::default();
    print.add("format", "explain 1").add_file(&runs.program);
    for invocation in [&runs.passing, &runs.failing].into_iter().chain(&runs.others) {
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

/// Adds a run: its arguments, the files that they name, its standard input, and its environment.
fn add_invocation(print: &mut Fingerprint, invocation: &Invocation) {
    let Invocation { arguments, input, directory, environment, private_files, substituted, .. } =
        invocation;
    print.add("private", [u8::from(private_files.is_some())]);
    for file in substituted {
        print.add_file(&file.contents);
    }
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
    let arguments = request.command_line.as_deref();
    RunRecord {
        command: "explain".to_owned(),
        algorithm: "dd".to_owned(),
        units: "state".to_owned(),
        input: runs.command_lines.1.clone(),
        test: [&runs.command_lines.0, &runs.command_lines.1]
            .into_iter()
            .chain(&runs.other_lines)
            .cloned()
            .collect(),
        reading: "an experiment fails if it ends like the failing run".to_owned(),
        bytes: 0,
        deltas: 0,
        excerpt: String::new(),
        command_line: command_line_to_record(arguments, &request.directory, session),
    }
}
