//! The directory with everything that must not be lost.
//!
//! ```text
//! wynot.sqlite        the database, with its log beside it
//! snapshot.sqlite     a copy of the database, at most a minute old, for backups that are made while the server runs
//! lock                locked while a server uses the directory
//! incoming/           files of submissions that are not complete
//! jobs/CODE/work      what was submitted; the current directory of the job
//! jobs/CODE/out       results and the report
//! jobs/CODE/out/session the journal, by which a job is resumed
//! jobs/CODE/tmp       temporary files
//! jobs/CODE/logs      events, messages and the result object of each attempt
//! ```

use super::incoming_directory::IncomingDirectory;
use super::job::JobCode;
use super::job_directory::JobDirectory;
use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};

/// The data directory of a server, which no other server uses.
#[derive(Debug)]
pub struct DataDirectory {
    path: PathBuf,
    /// The user and group of jobs, if they are not those of the server.
    job_user: Option<(u32, u32)>,
    _lock: File,
}

impl DataDirectory {
    /// Opens a data directory, which is made if it does not exist. The error kind `WouldBlock` means that another server
    /// uses it.
    pub fn open(path: &Path, job_user: Option<(u32, u32)>) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        let path = path.canonicalize()?;
        // Jobs of another user find their own directory, and cannot list the others.
        let mode = if job_user.is_some() { 0o711 } else { 0o700 };
        for directory in [path.clone(), path.join("jobs")] {
            fs::create_dir_all(&directory)?;
            fs::set_permissions(&directory, fs::Permissions::from_mode(mode))?;
        }
        let lock = OpenOptions::new().create(true).append(true).open(path.join("lock"))?;
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let incoming = path.join("incoming");
        if incoming.exists() {
            fs::remove_dir_all(&incoming)?;
        }
        fs::create_dir(&incoming)?;
        fs::set_permissions(&incoming, fs::Permissions::from_mode(0o700))?;
        Ok(Self { path, job_user, _lock: lock })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The paths of the database in a data directory, and of its copy.
    pub fn database_files(data: &Path) -> (PathBuf, PathBuf) {
        (data.join("wynot.sqlite"), data.join("snapshot.sqlite"))
    }

    /// The path of the database.
    pub fn database(&self) -> PathBuf {
        Self::database_files(&self.path).0
    }

    /// The path of the copy of the database.
    pub fn snapshot(&self) -> PathBuf {
        Self::database_files(&self.path).1
    }

    /// The directory of a job, whether it exists or not.
    pub fn job(&self, code: &JobCode) -> JobDirectory {
        JobDirectory::at(self.path.join("jobs").join(code.as_str()))
    }

    /// An empty directory for the files of a submission that is not complete.
    pub fn new_incoming(&self, code: &JobCode) -> io::Result<IncomingDirectory> {
        IncomingDirectory::create(JobDirectory::at(self.path.join("incoming").join(code.as_str())))
    }

    /// Makes a complete submission the directory of a job. Job processes may write what belongs to them.
    pub fn accept_incoming(&self, incoming: &IncomingDirectory, code: &JobCode) -> io::Result<()> {
        if let Some((user, group)) = self.job_user {
            give_to(incoming.path(), user, group)?;
        }
        fs::set_permissions(incoming.path(), fs::Permissions::from_mode(0o700))?;
        fs::rename(incoming.path(), self.job(code).path())
    }

    /// The codes of all jobs that have a directory.
    pub fn job_codes(&self) -> io::Result<Vec<JobCode>> {
        let entries = fs::read_dir(self.path.join("jobs"))?;
        let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }

    /// Removes the directory of a job.
    pub fn remove_job(&self, code: &JobCode) -> io::Result<()> {
        wynot_supervisor::remove(self.job(code).path())
    }
}

/// Makes a user and group the owner of a tree.
fn give_to(path: &Path, user: u32, group: u32) -> io::Result<()> {
    chown(path, Some(user), Some(group))?;
    if fs::symlink_metadata(path)?.is_dir() {
        for entry in fs::read_dir(path)? {
            give_to(&entry?.path(), user, group)?;
        }
    }
    Ok(())
}
