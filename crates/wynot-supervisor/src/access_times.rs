//! The files that a test reads, by the access times that the file system keeps.
//!
//! All files get an access time long ago. The first read after that sets it to the present, also on file systems that
//! otherwise record few reads (`relatime`). Those that record none (`noatime`) show no read at all.

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, UTIME_OMIT, utimensat};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// An access time that no file has otherwise, in seconds since 1970.
const UNREAD: i64 = 86_400;

/// Files whose reads are recorded.
#[derive(Debug)]
pub struct RecordedReads {
    root: PathBuf,
    paths: Vec<PathBuf>,
}

impl RecordedReads {
    /// Begins to record the reads of files with these paths below `root`.
    pub fn begin(root: &Path, paths: Vec<PathBuf>) -> io::Result<Self> {
        let omitted = Timespec { tv_sec: 0, tv_nsec: UTIME_OMIT };
        let times = Timestamps {
            last_access: Timespec { tv_sec: UNREAD, tv_nsec: 0 },
            last_modification: omitted,
        };
        for path in &paths {
            utimensat(CWD, root.join(path), &times, AtFlags::SYMLINK_NOFOLLOW)?;
        }
        Ok(Self { root: root.to_owned(), paths })
    }

    /// The files that were read, replaced or removed; `None` if there is no trace of any.
    pub fn end(self) -> Option<BTreeSet<PathBuf>> {
        let is_unread = |path: &&PathBuf| {
            let now = fs::symlink_metadata(self.root.join(path));
            now.is_ok_and(|metadata| metadata.atime() == UNREAD)
        };
        let read = self.paths.iter().filter(|path| !is_unread(path));
        let read: BTreeSet<PathBuf> = read.cloned().collect();
        (!read.is_empty()).then_some(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_test_support::records_reads;

    #[test]
    fn files_that_are_read_replaced_or_removed_are_named() {
        let dir = tempfile::tempdir().unwrap();
        if !records_reads(dir.path()) {
            return;
        }
        let files = ["a", "b", "c", "d"].map(PathBuf::from);
        files.iter().for_each(|file| fs::write(dir.path().join(file), "x").unwrap());
        let reads = RecordedReads::begin(dir.path(), files.to_vec()).unwrap();
        fs::remove_file(dir.path().join("c")).unwrap();
        fs::read(dir.path().join("b")).unwrap();
        fs::remove_file(dir.path().join("d")).unwrap();
        fs::write(dir.path().join("d"), "y").unwrap();
        assert_eq!(reads.end(), Some(["b", "c", "d"].map(PathBuf::from).into()));
        let reads = RecordedReads::begin(dir.path(), vec!["a".into()]).unwrap();
        assert_eq!(reads.end(), None);
    }
}
