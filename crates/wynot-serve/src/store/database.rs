//! The database: one connection that writes, several that read, and the changes of its schema.

use rusqlite::{Connection, OpenFlags, backup::Backup};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// What the server remembers.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    /// Connections that read and are not in use. They are closed first: the last one to be closed empties the log, and must
    /// be able to write.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Connection>,
    /// Whether the database was damaged and replaced by its snapshot.
    is_restored: bool,
}

/// An error of the database or of its files.
#[derive(Debug, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum StoreError {
    #[error("the database: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("files of the server: {0}")]
    Files(#[from] io::Error),
    #[error("a row of the database cannot be read: {0}")]
    Row(#[from] serde_json::Error),
    #[error(
        "the database was written by a newer version of wynot (schema {found}, this one knows {known})"
    )]
    Newer {
        /// The version of the schema in the file.
        found: usize,
        /// The newest version that is known here.
        known: usize,
    },
    #[error("the database is damaged, and there is no snapshot of it")]
    Damaged,
}

/// The changes of the schema, oldest first. A database has had as many of them as its `user_version` says.
const MIGRATIONS: [&str; 1] = ["
    CREATE TABLE jobs (
        number INTEGER PRIMARY KEY,
        code TEXT NOT NULL UNIQUE,
        submission TEXT NOT NULL,
        project TEXT NOT NULL,
        environment TEXT,
        environment_version INTEGER,
        state TEXT NOT NULL,
        submitted INTEGER NOT NULL,
        started INTEGER,
        ended INTEGER,
        attempts INTEGER NOT NULL DEFAULT 0,
        submitter TEXT,
        exit INTEGER,
        message TEXT,
        result TEXT,
        failure TEXT,
        failure_text TEXT,
        is_cancelled INTEGER NOT NULL DEFAULT 0,
        key TEXT UNIQUE
    ) STRICT;
    CREATE INDEX jobs_by_state ON jobs (state, number);
    CREATE INDEX jobs_by_failure ON jobs (failure, number) WHERE failure IS NOT NULL;
    CREATE INDEX jobs_by_project ON jobs (project, number);
    CREATE INDEX jobs_by_submitter ON jobs (submitter, state);
    CREATE TABLE feedback (
        number INTEGER PRIMARY KEY,
        job TEXT NOT NULL REFERENCES jobs (code) ON DELETE CASCADE,
        helped INTEGER NOT NULL,
        comment TEXT NOT NULL,
        author TEXT,
        given INTEGER NOT NULL
    ) STRICT;
    CREATE INDEX feedback_by_job ON feedback (job);
    CREATE TABLE environments (
        name TEXT NOT NULL,
        version INTEGER NOT NULL,
        description TEXT NOT NULL,
        author TEXT,
        created INTEGER NOT NULL,
        PRIMARY KEY (name, version)
    ) STRICT;
    CREATE TABLE tokens (
        name TEXT PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        rights TEXT NOT NULL,
        created INTEGER NOT NULL,
        last_used INTEGER
    ) STRICT;
    CREATE TABLE logins (
        hash TEXT PRIMARY KEY,
        token TEXT NOT NULL REFERENCES tokens (name) ON DELETE CASCADE,
        expires INTEGER NOT NULL
    ) STRICT;
    CREATE TABLE webhooks (
        project TEXT PRIMARY KEY,
        url TEXT NOT NULL
    ) STRICT;
"];

/// How long a connection waits for another one.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The most connections that are kept for later.
const MAX_IDLE_READERS: usize = 8;

impl Store {
    /// Opens a database, which is made if it does not exist, and brings its schema up to date. A damaged one, such as one
    /// that was copied while a server wrote to it, is replaced by its snapshot.
    pub fn open(path: &Path, snapshot: &Path) -> Result<Self, StoreError> {
        let (writer, is_restored) = match open_whole(path) {
            Ok(writer) => (writer, false),
            Err(_) if snapshot.exists() => {
                for suffix in ["", "-wal", "-shm"] {
                    let part = PathBuf::from(format!("{}{suffix}", path.display()));
                    if part.exists() {
                        fs::rename(&part, format!("{}.damaged{suffix}", path.display()))?;
                    }
                }
                fs::copy(snapshot, path)?;
                (open_whole(path)?, true)
            }
            Err(error) => return Err(error),
        };
        migrate(&writer)?;
        let (path, writer) = (path.to_owned(), Mutex::new(writer));
        Ok(Self { path, writer, readers: Mutex::default(), is_restored })
    }

    /// Whether the database was damaged and replaced by its snapshot, so that the newest jobs may be missing.
    pub fn is_restored(&self) -> bool {
        self.is_restored
    }

    /// Makes changes, all of them or none.
    pub(super) fn write<T>(
        &self,
        change: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        let transaction =
            writer.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
        let result = change(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }

    /// Reads, while others may write.
    pub(super) fn read<T>(
        &self,
        question: impl FnOnce(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let idle = lock(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                let reader = Connection::open_with_flags(&self.path, flags)?;
                reader.busy_timeout(BUSY_TIMEOUT)?;
                reader
            }
        };
        let result = question(&reader);
        let mut readers = lock(&self.readers);
        if readers.len() < MAX_IDLE_READERS {
            readers.push(reader);
        }
        result
    }

    /// Writes a copy of the database that is complete at every moment.
    pub fn write_snapshot(&self, to: &Path) -> Result<(), StoreError> {
        let new = to.with_extension("new");
        if new.exists() {
            fs::remove_file(&new)?;
        }
        self.read(|reader| {
            let mut copy = Connection::open(&new)?;
            let backup = Backup::new(reader, &mut copy)?;
            backup.run_to_completion(1000, Duration::from_millis(1), None)?;
            Ok(())
        })?;
        Ok(fs::rename(&new, to)?)
    }

    /// The number of changes so far, to notice whether a snapshot is up to date.
    pub fn changes(&self) -> u64 {
        lock(&self.writer).total_changes()
    }
}

/// A lock also after a panic of another thread: what is behind it is consistent at every moment.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Opens a database for writing if it is whole.
fn open_whole(path: &Path) -> Result<Connection, StoreError> {
    let writer = Connection::open(path)?;
    writer.busy_timeout(BUSY_TIMEOUT)?;
    writer.pragma_update(None, "journal_mode", "WAL")?;
    // With a write-ahead log, a killed process loses nothing; a power failure may lose the last changes.
    writer.pragma_update(None, "synchronous", "NORMAL")?;
    writer.pragma_update(None, "foreign_keys", true)?;
    let check: String = writer.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if check == "ok" { Ok(writer) } else { Err(StoreError::Damaged) }
}

fn migrate(writer: &Connection) -> Result<(), StoreError> {
    let version: i64 = writer.query_row("PRAGMA user_version", [], |row| row.get(0))?;
    let had = usize::try_from(version).unwrap_or(usize::MAX);
    if had > MIGRATIONS.len() {
        return Err(StoreError::Newer { found: had, known: MIGRATIONS.len() });
    }
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(had) {
        let version = index + 1;
        writer.execute_batch(&format!(
            "BEGIN; {migration} PRAGMA user_version = {version}; COMMIT;"
        ))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{AccessRights, JobCode};

    fn submission() -> crate::store::Submission {
        serde_json::from_str(r#"{"verb": "reduce", "test": ["x"]}"#).unwrap()
    }

    #[test]
    fn databases_of_newer_versions_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let (path, snapshot) = (dir.path().join("db"), dir.path().join("snapshot"));
        let store = Store::open(&path, &snapshot).unwrap();
        store.add_token("a", AccessRights::all()).unwrap();
        drop(store);
        let again = Store::open(&path, &snapshot).unwrap();
        assert_eq!(again.tokens().unwrap().len(), 1, "opened once more, nothing is lost");
        drop(again);
        let newer = MIGRATIONS.len() + 1;
        Connection::open(&path).unwrap().pragma_update(None, "user_version", newer).unwrap();
        let error = Store::open(&path, &snapshot).unwrap_err();
        assert!(matches!(error, StoreError::Newer { .. }), "{error}");
    }

    #[test]
    fn a_damaged_database_is_replaced_by_its_snapshot() {
        let dir = tempfile::tempdir().unwrap();
        let (path, snapshot) = (dir.path().join("db"), dir.path().join("snapshot"));
        let store = Store::open(&path, &snapshot).unwrap();
        let code = JobCode::random();
        store.add_job(&code, &submission(), None, None, None).unwrap();
        store.write_snapshot(&snapshot).unwrap();
        store.add_job(&JobCode::random(), &submission(), None, None, None).unwrap();
        drop(store);
        fs::write(&path, [7; 5000]).unwrap();
        let restored = Store::open(&path, &snapshot).unwrap();
        assert!(restored.is_restored());
        assert!(restored.job(&code).unwrap().is_some());
        assert_eq!(restored.count_queued_all().unwrap(), 1, "the later job is not in the snapshot");
        drop(restored);
        fs::remove_file(&snapshot).unwrap();
        fs::write(&path, [7; 5000]).unwrap();
        assert!(Store::open(&path, &snapshot).is_err(), "there is nothing to restore from");
    }

    #[test]
    fn a_job_is_claimed_once_and_keys_belong_to_submitters() {
        let dir = tempfile::tempdir().unwrap();
        let store = Store::open(&dir.path().join("db"), &dir.path().join("snapshot")).unwrap();
        let add = |submitter, key| {
            store.add_job(&JobCode::random(), &submission(), None, submitter, key).unwrap()
        };
        let first = add(Some("a"), Some("k"));
        assert_eq!(add(Some("a"), Some("k")), first);
        assert_ne!(add(Some("b"), Some("k")), first);
        let claimed = [store.claim_job().unwrap(), store.claim_job().unwrap()];
        let codes = claimed.map(|job| job.unwrap().code);
        assert!(codes[0] == first && codes[1] != first, "oldest first, none twice");
        assert!(store.claim_job().unwrap().is_none());
        assert_eq!(store.requeue_running().unwrap(), 2);
        assert_eq!(store.claim_job().unwrap().unwrap().attempts, 2);
    }
}
