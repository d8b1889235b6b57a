//! Directories that are locked while a process uses them.

use crate::file_tree::remove;
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// How often the removal of a directory is tried.
const REMOVALS: u32 = 500;

/// The time between two attempts to remove a directory.
const TIME_BETWEEN_REMOVALS: Duration = Duration::from_millis(20);

/// Locks a directory, together with other processes that use it. On a file system without locks this has no effect, and
/// there is no other run that could take the lock either.
pub fn lock(directory: &Path) -> Option<File> {
    let file = File::open(directory).ok()?;
    file.lock_shared().ok()?;
    Some(file)
}

/// Removes a directory, together with everything in it, if no process has locked it. Other guards may remove parts of it at
/// the same time. If wynot is ending, it may still hold the lock for a moment, and so may a process that it was about to
/// start, which may also write to the directory.
pub fn remove_unlocked(directory: &Path, is_ending: impl Fn() -> bool) {
    for _ in 0..REMOVALS {
        let Ok(file) = File::open(directory) else { return };
        let is_unlocked = file.try_lock().is_ok();
        // Other guards try to lock it, too.
        drop(file);
        if is_unlocked && remove(directory).is_ok() || !is_unlocked && !is_ending() {
            return;
        }
        std::thread::sleep(TIME_BETWEEN_REMOVALS);
    }
}
