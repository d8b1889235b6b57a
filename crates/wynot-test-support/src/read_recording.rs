//! Whether a file system records reads.

use std::fs::{self, File, FileTimes};
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Whether a read of a file in a directory changes its access time. Where a file system is mounted with `noatime`, it does
/// not.
pub fn records_reads(dir: &Path) -> bool {
    let path = dir.join("wynot-access-time");
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
    let accessed = || -> io::Result<SystemTime> {
        fs::write(&path, "x")?;
        File::open(&path)?.set_times(FileTimes::new().set_accessed(long_ago))?;
        fs::read(&path)?;
        let accessed = fs::metadata(&path)?.accessed();
        fs::remove_file(&path)?;
        accessed
    };
    accessed().is_ok_and(|accessed| accessed != long_ago)
}
