//! What happened, on disk, as it happens.
//!
//! One line of JSON per record, appended with one write each. A process that is killed loses at most
//! the line it was writing; an incomplete last line is cut off when the journal is opened again. There
//! is no saved state: a run that goes on replays its deterministic search against the outcomes here.

use crate::digest::Digest;
use crate::record::{JOURNAL_SCHEMA, Record, RunRecord};
use crate::system_error::plain;
use rustix::process::geteuid;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The longest first line of a journal, in bytes.
const MAX_FIRST_LINE: u64 = 4096;

/// The file in a session's directory.
const FILE: &str = "journal.jsonl";

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process writes to it.
    #[error("another wynot is working in {}", .0.display())]
    InUse(PathBuf),
    /// It belongs to a run with other inputs or another test.
    #[error("the session in {} belongs to another run: its input, test or options differ", .0.display())]
    Foreign(PathBuf),
    /// Another version of wynot has written it.
    #[error(
        "the session in {} was written by another version of wynot (format {found}, this one reads {JOURNAL_SCHEMA})",
        path.display()
    )]
    OtherVersion {
        /// The directory of the session.
        path: PathBuf,
        /// The version of its format.
        found: u32,
    },
    /// It is no journal.
    #[error("{} is no journal of wynot", .0.display())]
    Unreadable(PathBuf),
    /// The system says no.
    #[error("cannot open the session in {}: {}", path.display(), plain(source))]
    Io {
        /// The directory.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
}

/// An open journal.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
}

impl Journal {
    /// Opens the journal of a session, making it if needed, and returns what it holds.
    ///
    /// With `fresh`, what was there before is thrown away.
    pub fn open(dir: &Path, key: Digest, fresh: bool) -> Result<(Self, Vec<Record>), JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(failed)?;
        let path = dir.join(FILE);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed)?;
        match locked(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(dir.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if fresh {
            file.set_len(0).map_err(failed)?;
        }
        if let Some(found) = other_version(&mut file).map_err(failed)? {
            return Err(JournalError::OtherVersion { path: dir.to_owned(), found });
        }
        let (records, intact, torn) = read(&mut file).map_err(failed)?;
        let first = Record::Session { schema: JOURNAL_SCHEMA, key: key.to_string() };
        match records.first() {
            None if serde_json::to_vec(&first).unwrap_or_default().starts_with(&torn) => {}
            None => return Err(JournalError::Unreadable(path)),
            Some(Record::Session { schema: JOURNAL_SCHEMA, key: known })
                if *known == key.to_string() => {}
            Some(Record::Session { schema: JOURNAL_SCHEMA, .. }) => {
                return Err(JournalError::Foreign(dir.to_owned()));
            }
            Some(_) => return Err(JournalError::Unreadable(path)),
        }
        file.set_len(intact).map_err(failed)?;
        let mut journal = Self { path, file, line: Vec::new() };
        if records.is_empty() {
            journal.append(&first).map_err(failed)?;
        }
        Ok((journal, records))
    }

    /// Reads the journal of a session without taking it over.
    pub fn read(dir: &Path) -> Result<Vec<Record>, JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        let mut file = File::open(dir.join(FILE)).map_err(failed)?;
        if let Some(found) = other_version(&mut file).map_err(failed)? {
            return Err(JournalError::OtherVersion { path: dir.to_owned(), found });
        }
        let (records, ..) = read(&mut file).map_err(failed)?;
        match records.first() {
            Some(Record::Session { schema: JOURNAL_SCHEMA, .. }) => Ok(records),
            _ => Err(JournalError::Unreadable(dir.join(FILE))),
        }
    }

    /// When a journal changed last; `None` if there is none in a directory, or it is not ours alone: what
    /// it says will be run must not come from somebody else.
    pub fn changed(dir: &Path) -> Option<SystemTime> {
        let ours = |metadata: &Metadata| {
            metadata.uid() == geteuid().as_raw() && metadata.mode() & 0o022 == 0
        };
        let journal = fs::metadata(dir.join(FILE)).ok().filter(ours)?;
        fs::metadata(dir).ok().filter(ours)?;
        journal.modified().ok()
    }

    /// The runs of a session, without its tests.
    pub fn runs(dir: &Path) -> Vec<RunRecord> {
        let Ok(file) = File::open(dir.join(FILE)) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n');
        let runs = lines.map_while(Result::ok).filter(|line| line.starts_with(b"{\"run\":"));
        let runs = runs.filter_map(|line| match serde_json::from_slice(&line) {
            Ok(Record::Run(run)) => Some(run),
            _ => None,
        });
        runs.collect()
    }

    /// Adds a record.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, record)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Locks a file. A process that is just being started has a copy of all open files, and their locks, for a
/// moment; that is waited for.
fn locked(file: &File) -> Result<(), TryLockError> {
    const PATIENCE: Duration = Duration::from_millis(300);
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            done => return done,
        }
    }
}

/// The version of a journal's format, if it is another one.
fn other_version(file: &mut File) -> io::Result<Option<u32>> {
    file.seek(SeekFrom::Start(0))?;
    let mut first = Vec::new();
    BufReader::new(&*file).take(MAX_FIRST_LINE).read_until(b'\n', &mut first)?;
    let schema = serde_json::from_slice::<serde_json::Value>(&first)
        .ok()
        .and_then(|line| line.get("session")?.get("schema")?.as_u64())
        .and_then(|schema| u32::try_from(schema).ok());
    Ok(schema.filter(|schema| *schema != JOURNAL_SCHEMA))
}

/// All intact records from the start, how many bytes they take, and the bytes behind them.
fn read(file: &mut File) -> io::Result<(Vec<Record>, u64, Vec<u8>)> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let mut records = Vec::new();
    let mut intact = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(record) if line.ends_with(b"\n") => records.push(record),
            _ => break,
        }
        intact += line.len();
    }
    let torn = bytes.split_off(intact);
    Ok((records, intact as u64, torn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Ending;
    use crate::record::TestRecord;
    use wynot_core::Outcome;

    fn test(digest: u8) -> Record {
        Record::Test(TestRecord {
            digest: Digest::of_bytes(&[digest]).to_string(),
            outcome: Outcome::Fail.to_string(),
            ending: Ending::Exit(1),
            micros: 5,
            bytes: 1,
            crash: None,
            reason: None,
            summary: None,
        })
    }

    fn key() -> Digest {
        Digest::of_bytes(b"key")
    }

    #[test]
    fn records_come_back_and_a_torn_line_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, before) = Journal::open(dir.path(), key(), false).unwrap();
        assert!(before.is_empty());
        journal.append(&test(1)).unwrap();
        journal.append(&test(2)).unwrap();
        let path = journal.path().to_owned();
        drop(journal);
        let whole = fs::read(&path).unwrap();
        for torn in 0..whole.len() - 1 {
            fs::write(&path, &whole[..torn]).unwrap();
            let complete_lines = whole[..torn].iter().filter(|&&byte| byte == b'\n').count();
            let (mut journal, records) = Journal::open(dir.path(), key(), false).unwrap();
            assert_eq!(records.len(), complete_lines);
            journal.append(&test(3)).unwrap();
            drop(journal);
            assert_eq!(Journal::read(dir.path()).unwrap().last(), Some(&test(3)));
        }
    }

    #[test]
    fn a_journal_serves_one_process_and_one_run_at_a_time() {
        let dir = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(dir.path(), key(), false).unwrap();
        let second = Journal::open(dir.path(), key(), false);
        assert!(matches!(second, Err(JournalError::InUse(_))));
        drop(journal);
        let other = Digest::of_bytes(b"other");
        let foreign = Journal::open(dir.path(), other, false);
        assert!(matches!(foreign, Err(JournalError::Foreign(_))));
        assert!(Journal::open(dir.path(), other, true).is_ok());
        let old = "{\"session\":{\"schema\":2,\"key\":\"00\"}}\n{\"looked\":{}}\n";
        fs::write(dir.path().join(FILE), old).unwrap();
        for refused in
            [Journal::open(dir.path(), key(), false).err(), Journal::read(dir.path()).err()]
        {
            let message = refused.unwrap().to_string();
            assert!(message.contains("another version of wynot (format 2"), "{message}");
        }
        assert!(Journal::open(dir.path(), key(), true).is_ok(), "it can be thrown away");
        fs::write(dir.path().join(FILE), "somebody's notes\n").unwrap();
        let unreadable = Journal::open(dir.path(), key(), false);
        assert!(matches!(unreadable, Err(JournalError::Unreadable(_))));
    }
}
