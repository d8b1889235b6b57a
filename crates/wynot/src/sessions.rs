//! Sessions on disk: finding them by their directories, by their results, or by the directory from which they were
//! started; opening and reading their journals.

use crate::error::{Error, ErrorKind};
use crate::notes::Notes;
use crate::plan::state_dirs;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use wynot_session::files::{NotPrivate, is_private_dir};
use wynot_session::{
    CommandLine, Digest, EndRecord, EndStatus, Journal, JournalContents, JournalDamage,
    JournalError, Record,
};

/// A session that was found, and by what: it may have served several directories with the same input and test.
#[derive(Clone, Debug)]
pub struct FoundSession {
    /// The directory of the session.
    pub directory: PathBuf,
    /// What the command line of a run has to match.
    wanted: Wanted,
}

/// By what a session was found.
#[derive(Clone, Debug)]
enum Wanted {
    /// By its own directory, so that every run of it matches.
    Session,
    /// By the result of a run.
    Result(PathBuf),
    /// By the directory in which a run was started.
    StartedIn(PathBuf),
}

impl Wanted {
    fn matches(&self, line: &CommandLine) -> bool {
        match self {
            Self::Session => true,
            Self::Result(result) => Path::new(&line.output) == result,
            Self::StartedIn(directory) => Path::new(&line.directory) == directory,
        }
    }
}

/// One run of a session, with its records.
#[derive(Clone, Copy, Debug)]
pub struct SessionRun<'r> {
    /// The verb of the run.
    pub command: &'r str,
    /// The command line of the run.
    pub line: &'r CommandLine,
    /// All records up to the end of the run.
    pub records: &'r [Record],
    /// The end of the run, if it has ended.
    pub end: Option<&'r EndRecord>,
}

impl FoundSession {
    /// The last run of the session by which it was found.
    pub fn last_run<'r>(&self, records: &'r [Record]) -> Result<SessionRun<'r>, Error> {
        self.runs(records).next_back().ok_or_else(|| {
            let message = format!("{} does not say how it was started", self.directory.display());
            Error::usage(message).hint("run the same command again instead")
        })
    }

    /// The last of these runs that has proved something, with its proof.
    pub fn last_proof<'r>(
        &self,
        records: &'r [Record],
    ) -> Result<(SessionRun<'r>, &'r EndRecord), Error> {
        let last = self.last_run(records)?;
        let mut proofs = self.runs(records).rev().filter_map(|run| Some((run, run.proof()?)));
        proofs.next().ok_or_else(|| {
            let output = &last.line.output;
            match last.end {
                Some(end) if end.status == EndStatus::Minimal => {
                    let message = format!("the search has ended and proved nothing about {output}");
                    Error::usage(message).hint("what is not proved cannot be checked by new tests")
                }
                _ => Error::usage(format!("nothing is proved yet about {output}"))
                    .hint("wynot resume goes on with it"),
            }
        })
    }

    /// The runs of the session by which it was found.
    fn runs<'s, 'r: 's>(
        &'s self,
        records: &'r [Record],
    ) -> impl DoubleEndedIterator<Item = SessionRun<'r>> + 's {
        runs(records).filter(|run| self.wanted.matches(run.line))
    }
}

impl<'r> SessionRun<'r> {
    /// The end of the run, if it has proved something about its result.
    pub fn proof(&self) -> Option<&'r EndRecord> {
        self.end.filter(|end| end.certificate.is_some())
    }
}

/// The runs among some records whose command line is known.
fn runs(records: &[Record]) -> impl DoubleEndedIterator<Item = SessionRun<'_>> {
    records.iter().enumerate().filter_map(move |(at, record)| {
        let Record::Run(run) = record else { return None };
        let is_run = |record: &Record| matches!(record, Record::Run(_));
        let length = records[at + 1..].iter().position(is_run).unwrap_or(records.len() - at - 1);
        let records = &records[..at + 1 + length];
        let end = records[at..].iter().rev().find_map(|record| match record {
            Record::End(end) => Some(end),
            _ => None,
        });
        let (command, line) = (run.command.as_str(), run.command_line.as_ref()?);
        Some(SessionRun { command, line, records, end })
    })
}

/// Finds a session. `named` is its directory or a result of it; without it, the newest session that was started from
/// `here` is found.
pub fn find(named: Option<&Path>, here: &Path) -> Result<FoundSession, Error> {
    let Some(named) = named else {
        let wanted = Wanted::StartedIn(here.to_owned());
        return find_newest(wanted).ok_or_else(|| {
            Error::usage("no session was started from this directory")
                .hint("give a result, or the directory of a session; wynot sessions lists them")
        });
    };
    let resolved = here.join(named).canonicalize().map_err(|_| {
        Error::usage(format!("there is no session and no result {}", named.display()))
            .hint("wynot sessions lists the sessions with their commands")
    })?;
    if resolved.is_dir() && Journal::changed(&resolved).is_some() {
        return Ok(FoundSession { directory: resolved, wanted: Wanted::Session });
    }
    let is_dir = resolved.is_dir();
    let failing = failing_side(&resolved);
    let found = find_newest(Wanted::Result(resolved));
    found.or_else(|| find_newest(Wanted::Result(failing?))).ok_or_else(|| {
        let shown = named.display();
        let message = match is_dir {
            true => format!("there is no session in {shown}, and none has written it"),
            false => format!("no session has written {shown}"),
        };
        Error::usage(message)
            .hint("give a result, or the directory of a session; wynot sessions lists them")
    })
}

/// The path of the failing side that is beside a passing one, which stands for both.
fn failing_side(passing: &Path) -> Option<PathBuf> {
    let name = passing.file_name()?.to_str()?;
    let (before, after) = name.rsplit_once(".passing")?;
    Some(passing.with_file_name(format!("{before}.failing{after}")))
}

/// Whether a session has written a file or directory.
pub(crate) fn has_written(result: &Path) -> bool {
    result.canonicalize().is_ok_and(|resolved| find_newest(Wanted::Result(resolved)).is_some())
}

/// The session that changed last among those in the usual places with a run that matches.
fn find_newest(wanted: Wanted) -> Option<FoundSession> {
    let dirs = state_dirs().into_iter().filter(|dir| is_private_dir(dir));
    let dirs = dirs.filter_map(|dir| fs::read_dir(dir).ok());
    let sessions = dirs.flatten().flatten().filter_map(|entry| {
        let dir = entry.path().canonicalize().ok()?;
        Some((Journal::changed(&dir)?, dir))
    });
    let mut sessions: Vec<(SystemTime, PathBuf)> = sessions.collect();
    sessions.sort();
    let has_match = |dir: &PathBuf| {
        let mut runs = Journal::runs(dir).into_iter();
        runs.any(|run| run.command_line.is_some_and(|line| wanted.matches(&line)))
    };
    let directory = sessions.into_iter().rev().map(|(_, dir)| dir).find(has_match)?;
    Some(FoundSession { directory, wanted })
}

/// Opens the journal of a session, with the records of earlier runs; without these if `fresh`.
pub(crate) fn open_journal(
    session: &Path,
    key: Digest,
    fresh: bool,
    notes: &mut dyn Notes,
) -> Result<(Journal, Vec<Record>), Error> {
    let (journal, contents) = Journal::open(session, key, fresh).map_err(|error| {
        let refusal = Error::unexpected(&error);
        match error {
            JournalError::InUse(_) => {
                refusal.hint("wait for it, or choose another place with --session DIR")
            }
            JournalError::Io { .. } => refusal.hint("choose another place with --session DIR"),
            JournalError::Untrusted { path, reason } => refusal.hint(untrusted_hint(&path, reason)),
            _ => refusal.hint("use --fresh to start over, or another place with --session DIR"),
        }
    })?;
    if let Some(JournalDamage { line, lost_outcomes }) = contents.damage {
        notes.warn(&format!(
            "the journal {} is damaged at line {line} and not used from there on; tests that run again: {lost_outcomes}",
            journal.path().display()
        ));
    }
    Ok((journal, contents.records))
}

/// What the user can do about a session that is not trusted.
fn untrusted_hint(path: &Path, reason: NotPrivate) -> String {
    let other_place = "choose another place with --session DIR";
    match reason {
        NotPrivate::OtherOwner => other_place.to_owned(),
        NotPrivate::OtherWriters => format!(
            "if only you have used it, chmod go-w {}; otherwise {other_place}",
            path.display()
        ),
    }
}

/// Whether a session has these records before anything was learned in it.
pub(crate) fn is_unused(records: &[Record]) -> bool {
    records.iter().all(|record| matches!(record, Record::Session { .. }))
}

/// The number of outcomes among some records.
pub(crate) fn known_outcomes(records: &[Record]) -> u64 {
    records.iter().filter(|record| matches!(record, Record::Test(_))).count() as u64
}

/// The records of a session. A damaged journal is refused: what it proved last may be missing.
pub fn records(session: &Path) -> Result<Vec<Record>, Error> {
    let contents = read_journal(session)?;
    match contents.damage {
        None => Ok(contents.records),
        Some(JournalDamage { line, .. }) => {
            let message = format!("the journal of {} is damaged at line {line}", session.display());
            Err(Error::new(ErrorKind::Unexpected, message)
                .hint("wynot resume runs the tests again that are lost"))
        }
    }
}

/// The records of a session up to the first damaged one.
pub fn intact_records(session: &Path) -> Result<Vec<Record>, Error> {
    read_journal(session).map(|contents| contents.records)
}

fn read_journal(session: &Path) -> Result<JournalContents, Error> {
    Journal::read(session).map_err(|error| {
        let refusal = Error::unexpected(&error);
        match error {
            JournalError::OtherVersion { .. } | JournalError::Unreadable(_) => {
                refusal.hint("run the search again with --fresh")
            }
            JournalError::Untrusted { path, reason } => refusal.hint(untrusted_hint(&path, reason)),
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

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_session::RunRecord;

    fn run(directory: &str) -> Record {
        let output = format!("{directory}/x.min");
        let line = CommandLine { arguments: Vec::new(), directory: directory.to_owned(), output };
        Record::Run(RunRecord {
            command: "reduce".to_owned(),
            algorithm: "ddmin".to_owned(),
            units: "line".to_owned(),
            input: "x".to_owned(),
            test: Vec::new(),
            reading: String::new(),
            bytes: 1,
            deltas: 1,
            excerpt: String::new(),
            command_line: Some(line),
        })
    }

    #[test]
    fn a_run_is_found_by_its_directory_or_result_although_others_came_later() {
        let records = [run("/a"), run("/b"), run("/a"), run("/b")];
        let found = |wanted| {
            let session = FoundSession { directory: PathBuf::new(), wanted };
            let run = session
                .last_run(&records)
                .map(|run| (run.line.directory.clone(), run.records.len()));
            run.ok()
        };
        assert_eq!(found(Wanted::StartedIn("/a".into())), Some(("/a".to_owned(), 3)));
        assert_eq!(found(Wanted::Result("/a/x.min".into())), Some(("/a".to_owned(), 3)));
        assert_eq!(found(Wanted::Session), Some(("/b".to_owned(), 4)));
        assert_eq!(found(Wanted::Result("/c/x.min".into())), None);
    }
}
