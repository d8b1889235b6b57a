//! The journal of a session: a file to which records are appended as the search proceeds.
//!
//! Each record is one line of JSON, appended with one write. A process that is killed loses at most the line it was
//! writing; an incomplete last line is cut off when the journal is next opened. The journal does not save the state of
//! the search: a resumed run replays its deterministic search against the recorded outcomes.

use crate::digest::Digest;
use crate::record::{JOURNAL_SCHEMA, Record, RunRecord};
use crate::system_error::plain;
use rustix::process::geteuid;
use std::fs::{self, File, Metadata, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

/// The maximum length of the first line of a journal.
const MAX_FIRST_LINE_BYTES: u64 = 4096;

/// The name of the journal in the directory of a session.
const JOURNAL_FILE: &str = "journal.jsonl";

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// Another process has the journal open.
    #[error("another wynot is working in {}", .0.display())]
    InUse(PathBuf),
    /// The journal belongs to a run with other inputs, another test or other options.
    #[error("the session in {} belongs to another run: its input, test or options differ", .0.display())]
    Foreign(PathBuf),
    /// Another version of wynot has written the journal.
    #[error(
        "the session in {} was written by another version of wynot (format {found}, this one reads {JOURNAL_SCHEMA})",
        path.display()
    )]
    OtherVersion {
        /// The directory of the session.
        path: PathBuf,
        /// The version of the format of this journal.
        found: u32,
    },
    /// The file is not a journal.
    #[error("{} is no journal of wynot", .0.display())]
    Unreadable(PathBuf),
    /// The operating system reports an error.
    #[error("cannot open the session in {}: {}", path.display(), plain(source))]
    Io {
        /// The directory of the session.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// An open journal, locked by this process.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    line: Vec<u8>,
}

impl Journal {
    /// Opens the journal of a session, creating it if needed, and returns its records.
    ///
    /// With `fresh`, earlier records are discarded.
    pub fn open(dir: &Path, key: Digest, fresh: bool) -> Result<(Self, Vec<Record>), JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        fs::create_dir_all(dir).map_err(failed)?;
        let path = dir.join(JOURNAL_FILE);
        let mut file =
            OpenOptions::new().read(true).append(true).create(true).open(&path).map_err(failed)?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(dir.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if fresh {
            file.set_len(0).map_err(failed)?;
        }
        if let Some(found) = foreign_version(&mut file).map_err(failed)? {
            return Err(JournalError::OtherVersion { path: dir.to_owned(), found });
        }
        let (records, intact_bytes, torn) = read_records(&mut file).map_err(failed)?;
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
        file.set_len(intact_bytes).map_err(failed)?;
        let mut journal = Self { path, file, line: Vec::new() };
        if records.is_empty() {
            journal.append(&first).map_err(failed)?;
        }
        Ok((journal, records))
    }

    /// Reads the records of a session without locking its journal.
    pub fn read(dir: &Path) -> Result<Vec<Record>, JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        let mut file = File::open(dir.join(JOURNAL_FILE)).map_err(failed)?;
        if let Some(found) = foreign_version(&mut file).map_err(failed)? {
            return Err(JournalError::OtherVersion { path: dir.to_owned(), found });
        }
        let (records, ..) = read_records(&mut file).map_err(failed)?;
        match records.first() {
            Some(Record::Session { schema: JOURNAL_SCHEMA, .. }) => Ok(records),
            _ => Err(JournalError::Unreadable(dir.join(JOURNAL_FILE))),
        }
    }

    /// The time of the last change to a journal; `None` if the directory contains no journal, or if another user owns
    /// or can write it: commands from a journal are run, so the journal must be trusted.
    pub fn changed(dir: &Path) -> Option<SystemTime> {
        let is_trusted = |metadata: &Metadata| {
            metadata.uid() == geteuid().as_raw() && metadata.mode() & 0o022 == 0
        };
        let journal = fs::metadata(dir.join(JOURNAL_FILE)).ok().filter(is_trusted)?;
        fs::metadata(dir).ok().filter(is_trusted)?;
        journal.modified().ok()
    }

    /// Reads the run records of a session only, which is faster than reading all records.
    pub fn runs(dir: &Path) -> Vec<RunRecord> {
        let Ok(file) = File::open(dir.join(JOURNAL_FILE)) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n');
        let runs = lines.map_while(Result::ok).filter(|line| line.starts_with(b"{\"run\":"));
        let runs = runs.filter_map(|line| match serde_json::from_slice(&line) {
            Ok(Record::Run(run)) => Some(run),
            _ => None,
        });
        runs.collect()
    }

    /// Appends a record.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, record)?;
        self.line.push(b'\n');
        self.file.write_all(&self.line)
    }

    /// The path of the journal file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Locks a file.
///
/// Between `fork` and `exec`, a child process shares all open files of its parent and their locks. The loop waits until
/// such a child has released them.
fn lock(file: &File) -> Result<(), TryLockError> {
    const MAX_LOCK_WAIT: Duration = Duration::from_millis(300);
    let started = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if started.elapsed() < MAX_LOCK_WAIT => {
                std::thread::sleep(Duration::from_millis(5));
            }
            result => return result,
        }
    }
}

/// The version of a journal's format, if this version of wynot does not read it.
fn foreign_version(file: &mut File) -> io::Result<Option<u32>> {
    file.seek(SeekFrom::Start(0))?;
    let mut first_line = Vec::new();
    BufReader::new(&*file).take(MAX_FIRST_LINE_BYTES).read_until(b'\n', &mut first_line)?;
    let schema = serde_json::from_slice::<serde_json::Value>(&first_line)
        .ok()
        .and_then(|line| line.get("session")?.get("schema")?.as_u64())
        .and_then(|schema| u32::try_from(schema).ok());
    Ok(schema.filter(|schema| *schema != JOURNAL_SCHEMA))
}

/// Reads all intact records from the start. Returns the records, the number of bytes they occupy, and the bytes after
/// them.
fn read_records(file: &mut File) -> io::Result<(Vec<Record>, u64, Vec<u8>)> {
    let mut bytes = Vec::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_end(&mut bytes)?;
    let mut records = Vec::new();
    let mut intact_bytes = 0;
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match serde_json::from_slice(line) {
            Ok(record) if line.ends_with(b"\n") => records.push(record),
            _ => break,
        }
        intact_bytes += line.len();
    }
    let torn = bytes.split_off(intact_bytes);
    Ok((records, intact_bytes as u64, torn))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observation::Ending;
    use crate::record::TestRecord;
    use wynot_core::Outcome;

    fn test_record(contents: u8) -> Record {
        Record::Test(TestRecord {
            digest: Digest::of_bytes(&[contents]).to_string(),
            outcome: Outcome::Fail.to_string(),
            ending: Ending::Exit(1),
            micros: 5,
            bytes: 1,
            crash: None,
            reason: None,
            summary: None,
            failure: None,
        })
    }

    fn key() -> Digest {
        Digest::of_bytes(b"key")
    }

    #[test]
    fn records_are_read_back_and_a_torn_line_is_cut_off() {
        let dir = tempfile::tempdir().unwrap();
        let (mut journal, before) = Journal::open(dir.path(), key(), false).unwrap();
        assert!(before.is_empty());
        journal.append(&test_record(1)).unwrap();
        journal.append(&test_record(2)).unwrap();
        let path = journal.path().to_owned();
        drop(journal);
        let complete = fs::read(&path).unwrap();
        for torn in 0..complete.len() - 1 {
            fs::write(&path, &complete[..torn]).unwrap();
            let complete_lines = complete[..torn].iter().filter(|&&byte| byte == b'\n').count();
            let (mut journal, records) = Journal::open(dir.path(), key(), false).unwrap();
            assert_eq!(records.len(), complete_lines);
            journal.append(&test_record(3)).unwrap();
            drop(journal);
            assert_eq!(Journal::read(dir.path()).unwrap().last(), Some(&test_record(3)));
        }
    }

    #[test]
    fn a_journal_serves_one_process_at_a_time_and_only_the_run_it_belongs_to() {
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
        fs::write(dir.path().join(JOURNAL_FILE), old).unwrap();
        for error in
            [Journal::open(dir.path(), key(), false).err(), Journal::read(dir.path()).err()]
        {
            let message = error.unwrap().to_string();
            assert!(message.contains("another version of wynot (format 2"), "{message}");
        }
        assert!(Journal::open(dir.path(), key(), true).is_ok(), "a fresh run replaces it");
        fs::write(dir.path().join(JOURNAL_FILE), "some notes\n").unwrap();
        let unreadable = Journal::open(dir.path(), key(), false);
        assert!(matches!(unreadable, Err(JournalError::Unreadable(_))));
    }
}
