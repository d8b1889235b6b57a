//! The journal of a session: a file to which records are appended as the search proceeds.
//!
//! Each record is one line with a checksum, appended with one write. A process that is killed loses at most the line it
//! was writing; an incomplete last line is cut off when the journal is next opened. So is everything from the first
//! damaged line on, which the caller learns. The journal does not save the state of the search: a resumed run replays
//! its deterministic search against the recorded outcomes, and runs the tests again whose outcomes were lost.
//!
//! Only a journal that belongs to this user alone is used.

use crate::digest::Digest;
use crate::files::{NotPrivate, check_private, create_private_dir};
use crate::journal_line::{looks_like_test, read_line, read_run, schema_of, write_line};
use crate::record::{JOURNAL_SCHEMA, Record, RunRecord};
use rustix::fs::OFlags;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use wynot_supervisor::plain;

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
    /// The file is not a journal, or its first line is damaged.
    #[error("{} is no journal of wynot, or damaged at its beginning", .0.display())]
    Unreadable(PathBuf),
    /// Another user could have written the directory or the journal.
    #[error("the session is not used: {} is not safe, because {reason}", path.display())]
    Untrusted {
        /// The directory or the journal.
        path: PathBuf,
        /// What is wrong with it.
        reason: NotPrivate,
    },
    /// The operating system reports an error.
    #[error("cannot open the session in {}: {}", path.display(), plain(source))]
    Io {
        /// The directory of the session.
        path: PathBuf,
        /// The error.
        source: io::Error,
    },
}

/// What a journal holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JournalContents {
    /// The records up to the first damaged one.
    pub records: Vec<Record>,
    /// The damage, if there is some.
    pub damage: Option<JournalDamage>,
}

/// A line of a journal that does not fit its checksum. Nothing from there on is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JournalDamage {
    /// The number of the line, from 1.
    pub line: usize,
    /// The number of outcomes in this line and after it.
    pub lost_outcomes: u64,
}

/// An open journal, locked by this process.
#[derive(Debug)]
pub struct Journal {
    path: PathBuf,
    file: File,
    /// The length of the file in bytes.
    length: u64,
    line: Vec<u8>,
}

impl Journal {
    /// Opens the journal of a session, creating it if needed, and returns what it holds.
    ///
    /// With `fresh`, earlier records are discarded.
    pub fn open(
        dir: &Path,
        key: Digest,
        fresh: bool,
    ) -> Result<(Self, JournalContents), JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        create_private_dir(dir).map_err(failed)?;
        let mut file =
            open_trusted(dir, OpenOptions::new().read(true).append(true).create(true).mode(0o600))?;
        match lock(&file) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(dir.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        if fresh {
            file.set_len(0).map_err(failed)?;
        }
        refuse_other_version(&mut file, dir)?;
        let path = dir.join(JOURNAL_FILE);
        let JournalBytes { contents, intact_bytes, torn } =
            JournalBytes::read(&mut file).map_err(failed)?;
        let first = Record::Session { schema: JOURNAL_SCHEMA, key: key.to_string() };
        let mut journal = Self { path, file, length: intact_bytes, line: Vec::new() };
        match contents.records.first() {
            None => {
                write_line(&first, &mut journal.line).map_err(failed)?;
                if contents.damage.is_some() || !journal.line.starts_with(&torn) {
                    return Err(JournalError::Unreadable(journal.path));
                }
            }
            Some(known) if *known == first => {}
            Some(Record::Session { .. }) => return Err(JournalError::Foreign(dir.to_owned())),
            Some(_) => return Err(JournalError::Unreadable(journal.path)),
        }
        journal.file.set_len(intact_bytes).map_err(failed)?;
        if contents.records.is_empty() {
            journal.append(&first).map_err(failed)?;
        }
        Ok((journal, contents))
    }

    /// Reads what the journal of a session holds, without locking it.
    pub fn read(dir: &Path) -> Result<JournalContents, JournalError> {
        let failed = |source| JournalError::Io { path: dir.to_owned(), source };
        let mut file = open_trusted(dir, OpenOptions::new().read(true))?;
        refuse_other_version(&mut file, dir)?;
        let contents = JournalBytes::read(&mut file).map_err(failed)?.contents;
        match contents.records.first() {
            Some(Record::Session { .. }) => Ok(contents),
            _ => Err(JournalError::Unreadable(dir.join(JOURNAL_FILE))),
        }
    }

    /// The time of the last change to a journal; `None` if the directory contains none that is used.
    pub fn changed(dir: &Path) -> Option<SystemTime> {
        let file = open_trusted(dir, OpenOptions::new().read(true)).ok()?;
        file.metadata().ok()?.modified().ok()
    }

    /// Whether a search has opened the journal of a session and not ended yet.
    pub fn is_in_use(dir: &Path) -> bool {
        let file = open_trusted(dir, OpenOptions::new().read(true));
        file.is_ok_and(|file| matches!(lock(&file), Err(TryLockError::WouldBlock)))
    }

    /// Reads the run records of a session only, which is faster than reading all records. Damaged lines are left out.
    pub fn runs(dir: &Path) -> Vec<RunRecord> {
        let Ok(file) = open_trusted(dir, OpenOptions::new().read(true)) else { return Vec::new() };
        let lines = BufReader::new(file).split(b'\n');
        lines.map_while(Result::ok).filter_map(|line| read_run(&line)).collect()
    }

    /// Appends a record. The last record of a run is on the disk when this returns.
    pub fn append(&mut self, record: &Record) -> io::Result<()> {
        self.line.clear();
        write_line(record, &mut self.line)?;
        if let Err(error) = self.file.write_all(&self.line) {
            // A part of a line would damage the next one. The first error is reported.
            let _ = self.file.set_len(self.length);
            return Err(error);
        }
        self.length += self.line.len() as u64;
        match record {
            Record::End(_) | Record::Chain(_) => self.sync(),
            _ => Ok(()),
        }
    }

    /// Waits until all records are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }

    /// Removes the journal, and its directory if nothing else is there: for a search that was refused before it learned anything.
    pub fn discard(self) -> io::Result<()> {
        fs::remove_file(&self.path)?;
        match self.path.parent().map(fs::remove_dir) {
            Some(Err(error)) if error.kind() != io::ErrorKind::DirectoryNotEmpty => Err(error),
            _ => Ok(()),
        }
    }

    /// The path of the journal file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Opens the journal in a directory, if both belong to this user alone.
fn open_trusted(dir: &Path, options: &mut OpenOptions) -> Result<File, JournalError> {
    let failed = |source| JournalError::Io { path: dir.to_owned(), source };
    let untrusted = |path: &Path| {
        let path = path.to_owned();
        |reason| JournalError::Untrusted { path, reason }
    };
    check_private(&fs::symlink_metadata(dir).map_err(failed)?).map_err(untrusted(dir))?;
    check_private(&fs::metadata(dir).map_err(failed)?).map_err(untrusted(dir))?;
    let path = dir.join(JOURNAL_FILE);
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed();
    let file = options.custom_flags(flags).open(&path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    check_private(&metadata).map_err(untrusted(&path))?;
    if metadata.is_file() { Ok(file) } else { Err(JournalError::Unreadable(path)) }
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

/// Refuses a journal in a format that this version of wynot does not read.
fn refuse_other_version(file: &mut File, dir: &Path) -> Result<(), JournalError> {
    let failed = |source| JournalError::Io { path: dir.to_owned(), source };
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut line = Vec::new();
    let start = BufReader::new(&*file).take(MAX_FIRST_LINE_BYTES).read_until(b'\n', &mut line);
    start.map_err(failed)?;
    match schema_of(&line) {
        Some(found) if found != JOURNAL_SCHEMA => {
            Err(JournalError::OtherVersion { path: dir.to_owned(), found })
        }
        _ => Ok(()),
    }
}

/// The bytes of a journal, taken apart.
struct JournalBytes {
    contents: JournalContents,
    /// The number of bytes of the intact records.
    intact_bytes: u64,
    /// The incomplete line after them, if there is no damage.
    torn: Vec<u8>,
}

impl JournalBytes {
    fn read(file: &mut File) -> io::Result<Self> {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(0))?;
        file.read_to_end(&mut bytes)?;
        let mut records = Vec::new();
        let mut intact_bytes = 0;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            match read_line(line) {
                Some(record) => records.push(record),
                None => break,
            }
            intact_bytes += line.len();
        }
        let rest = bytes.split_off(intact_bytes);
        let lines = || rest.split_inclusive(|&byte| byte == b'\n');
        let damage = rest.contains(&b'\n').then(|| JournalDamage {
            line: records.len() + 1,
            lost_outcomes: lines().filter(|line| looks_like_test(line)).count() as u64,
        });
        let contents = JournalContents { records, damage };
        Ok(Self { contents, intact_bytes: intact_bytes as u64, torn: rest })
    }
}

#[cfg(test)]
#[path = "journal_tests.rs"]
mod journal_tests;
