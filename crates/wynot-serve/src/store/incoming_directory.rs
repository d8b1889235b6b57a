//! The directory of a submission that is not complete.

use super::job_directory::JobDirectory;
use std::fs::{self, File};
use std::io;
use std::ops::Deref;

/// A directory that is removed together with its last owner, unless it has become the directory of a job by then.
///
/// A request can be given up at any moment, also while another thread makes a file for it. Whatever makes something in the
/// directory therefore owns it: nothing is made in it after it was removed.
#[derive(Debug)]
pub struct IncomingDirectory(JobDirectory);

impl IncomingDirectory {
    /// Makes the directory, which must not exist.
    pub fn create(directory: JobDirectory) -> io::Result<Self> {
        fs::create_dir(directory.path())?;
        let incoming = Self(directory);
        for part in [incoming.work(), incoming.out(), incoming.tmp(), incoming.logs()] {
            fs::create_dir(part)?;
        }
        Ok(incoming)
    }

    /// Makes a file among what was submitted, and the directories that lead to it.
    pub fn create_file(&self, name: &str) -> io::Result<File> {
        let path = self.work().join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        File::create_new(path)
    }
}

impl Deref for IncomingDirectory {
    type Target = JobDirectory;

    fn deref(&self) -> &JobDirectory {
        &self.0
    }
}

impl Drop for IncomingDirectory {
    fn drop(&mut self) {
        // What cannot be removed now is removed at the next start.
        let _ = wynot_supervisor::remove(self.path());
    }
}
