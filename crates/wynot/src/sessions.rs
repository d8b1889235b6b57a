//! Finding sessions: by their directories, by their results, or by the directory from which they were started.

use crate::error::Error;
use crate::plan::state_dirs;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use wynot_session::{CommandLine, Journal, JournalError, Record};

/// The directory of a session: by that directory or by a result, else the newest one that was started from `here`.
pub fn find(named: Option<&Path>, here: &Path) -> Result<PathBuf, Error> {
    match named {
        Some(named) => {
            let whole = here.join(named).canonicalize().map_err(|_| {
                Error::usage(format!("there is no session and no result {}", named.display()))
            })?;
            if whole.is_dir() && Journal::changed(&whole).is_some() {
                return Ok(whole);
            }
            writer_of(&whole).ok_or_else(|| {
                let shown = named.display();
                let message = match whole.is_dir() {
                    true => format!("there is no session in {shown}, and none has written it"),
                    false => format!("no session has written {shown}"),
                };
                Error::usage(message).hint("give the session's directory; -v prints it")
            })
        }
        None => newest(|line| Path::new(&line.directory) == here).ok_or_else(|| {
            Error::usage("no session was started from this directory")
                .hint("give a session's directory, or a result of it")
        }),
    }
}

/// Whether a session has written a file or directory.
pub(crate) fn has_written(result: &Path) -> bool {
    result.canonicalize().is_ok_and(|whole| writer_of(&whole).is_some())
}

/// The newest session that has written a result.
fn writer_of(result: &Path) -> Option<PathBuf> {
    newest(|line| Path::new(&line.output) == result)
}

/// The session among all in the usual places that changed last.
fn newest(is_wanted: impl Fn(&CommandLine) -> bool) -> Option<PathBuf> {
    let dirs = state_dirs().into_iter().filter_map(|dir| fs::read_dir(dir).ok());
    let sessions = dirs.flatten().flatten().filter_map(|entry| {
        let dir = entry.path().canonicalize().ok()?;
        Some((Journal::changed(&dir)?, dir))
    });
    let mut sessions: Vec<(SystemTime, PathBuf)> = sessions.collect();
    sessions.sort();
    let is_writer = |dir: &PathBuf| {
        let mut runs = Journal::runs(dir).into_iter();
        runs.any(|run| run.command_line.is_some_and(|line| is_wanted(&line)))
    };
    sessions.into_iter().rev().map(|(_, dir)| dir).find(is_writer)
}

/// The records of a session.
pub fn records(session: &Path) -> Result<Vec<Record>, Error> {
    Journal::read(session).map_err(|error| {
        let refused = Error::unexpected(&error);
        match error {
            JournalError::OtherVersion { .. } => refused.hint("run the search again with --fresh"),
            _ => refused,
        }
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
