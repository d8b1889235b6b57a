//! Sessions on disk: finding them by their directories, by their results, or by the directory from which they were
//! started; opening and reading their journals.

use crate::error::Error;
use crate::plan::state_dirs;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use wynot_session::{CommandLine, Digest, Journal, JournalError, Record};

/// The directory of a session. `named` is that directory or a result of the session; without it, the newest session that
/// was started from `here` is found.
pub fn find(named: Option<&Path>, here: &Path) -> Result<PathBuf, Error> {
    match named {
        Some(named) => {
            let resolved = here.join(named).canonicalize().map_err(|_| {
                Error::usage(format!("there is no session and no result {}", named.display()))
            })?;
            if resolved.is_dir() && Journal::changed(&resolved).is_some() {
                return Ok(resolved);
            }
            find_writer(&resolved).ok_or_else(|| {
                let shown = named.display();
                let message = match resolved.is_dir() {
                    true => format!("there is no session in {shown}, and none has written it"),
                    false => format!("no session has written {shown}"),
                };
                Error::usage(message).hint("give the session's directory; -v prints it")
            })
        }
        None => find_newest(|line| Path::new(&line.directory) == here).ok_or_else(|| {
            Error::usage("no session was started from this directory")
                .hint("give a session's directory, or a result of it")
        }),
    }
}

/// Whether a session has written a file or directory.
pub(crate) fn has_written(result: &Path) -> bool {
    result.canonicalize().is_ok_and(|resolved| find_writer(&resolved).is_some())
}

/// The newest session that has written a result.
fn find_writer(result: &Path) -> Option<PathBuf> {
    find_newest(|line| Path::new(&line.output) == result)
}

/// The session that changed last among those in the usual places with a matching command line.
fn find_newest(matches: impl Fn(&CommandLine) -> bool) -> Option<PathBuf> {
    let dirs = state_dirs().into_iter().filter_map(|dir| fs::read_dir(dir).ok());
    let sessions = dirs.flatten().flatten().filter_map(|entry| {
        let dir = entry.path().canonicalize().ok()?;
        Some((Journal::changed(&dir)?, dir))
    });
    let mut sessions: Vec<(SystemTime, PathBuf)> = sessions.collect();
    sessions.sort();
    let has_match = |dir: &PathBuf| {
        let mut runs = Journal::runs(dir).into_iter();
        runs.any(|run| run.command_line.is_some_and(|line| matches(&line)))
    };
    sessions.into_iter().rev().map(|(_, dir)| dir).find(has_match)
}

/// Opens the journal of a session, with the records of earlier runs; without these if `fresh`.
pub(crate) fn open_journal(
    session: &Path,
    key: Digest,
    fresh: bool,
) -> Result<(Journal, Vec<Record>), Error> {
    Journal::open(session, key, fresh).map_err(|error| {
        let refusal = Error::unexpected(&error);
        match error {
            JournalError::InUse(_) => {
                refusal.hint("wait for it, or choose another place with --session DIR")
            }
            JournalError::Io { .. } => refusal.hint("choose another place with --session DIR"),
            _ => refusal.hint("use --fresh to start over, or another place with --session DIR"),
        }
    })
}

/// The number of outcomes among some records.
pub(crate) fn known_outcomes(records: &[Record]) -> u64 {
    records.iter().filter(|record| matches!(record, Record::Test(_))).count() as u64
}

/// The records of a session.
pub fn records(session: &Path) -> Result<Vec<Record>, Error> {
    Journal::read(session).map_err(|error| {
        let refusal = Error::unexpected(&error);
        match error {
            JournalError::OtherVersion { .. } => refusal.hint("run the search again with --fresh"),
            _ => refusal,
        }
    })
}

/// The command line of a run for its record; `None` if there is none, or if a path is not Unicode.
pub(crate) fn command_line_to_record(
    arguments: Option<&[String]>,
    directory: &Path,
    output: &Path,
) -> Option<CommandLine> {
    Some(CommandLine {
        arguments: arguments?.to_vec(),
        directory: directory.to_str()?.to_owned(),
        output: output.to_str()?.to_owned(),
    })
}

/// The command line of the last search among some records of a session.
pub fn command_line<'r>(session: &Path, records: &'r [Record]) -> Result<&'r CommandLine, Error> {
    let last = records.iter().rev().find_map(|record| match record {
        Record::Run(run) => Some(run),
        _ => None,
    });
    last.and_then(|run| run.command_line.as_ref()).ok_or_else(|| {
        let message = format!("{} does not say how it was started", session.display());
        Error::usage(message).hint("run the same command again instead")
    })
}
