//! All sessions of a user: listed, removed, and pruned by age and size.

use crate::error::{Error, ErrorKind};
use crate::plan::state_dirs;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use wynot_session::files::is_private_dir;
use wynot_session::{Journal, Record};
use wynot_subjects::quote;

/// The age from which sessions are removed without being asked for.
const MAX_AGE: Duration = Duration::from_secs(90 * 24 * 3600);

/// The size of all sessions together from which the oldest are removed without being asked for.
const MAX_BYTES: u64 = 2 << 30;

/// A session on disk.
#[derive(Clone, Debug)]
pub struct ListedSession {
    /// Its directory.
    pub directory: PathBuf,
    /// When its journal changed last.
    pub changed: SystemTime,
    /// The size of all its files.
    pub bytes: u64,
}

impl ListedSession {
    /// The name of its directory.
    pub fn name(&self) -> &OsStr {
        self.directory.file_name().unwrap_or(self.directory.as_os_str())
    }

    /// The command line of its last run; empty if it is not known.
    pub fn command(&self) -> String {
        let last = Journal::runs(&self.directory).into_iter().next_back();
        let line = last.and_then(|run| run.command_line);
        line.map(|line| format!("wynot {}", quote::command(&line.arguments))).unwrap_or_default()
    }

    /// How its last run ended: `running`, `interrupted`, `explained`, or the status of its end.
    pub fn status(&self) -> String {
        match Journal::is_in_use(&self.directory) {
            true => "running".to_owned(),
            false => ending(&self.directory),
        }
    }

    /// Removes it, unless a search uses it.
    pub fn remove(&self) -> Result<(), Error> {
        if Journal::is_in_use(&self.directory) {
            let message = format!("{} is in use by a search", self.directory.display());
            return Err(Error::new(ErrorKind::Unexpected, message).hint("wait for it, or stop it"));
        }
        fs::remove_dir_all(&self.directory).map_err(|error| {
            let path = self.directory.display();
            Error::new(ErrorKind::Unexpected, format!("cannot remove {path}: {error}"))
        })
    }
}

/// All sessions in the usual places, the one that changed last first.
pub fn list_sessions() -> Vec<ListedSession> {
    let dirs = state_dirs().into_iter().filter(|dir| is_private_dir(dir));
    let entries = dirs.filter_map(|dir| fs::read_dir(dir).ok()).flatten().flatten();
    // Links lead to sessions whose directories the user has chosen; those are the user's.
    let directories = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    let mut sessions: Vec<ListedSession> =
        directories.filter_map(|entry| listed(entry.path())).collect();
    sessions.sort_by(|a, b| b.changed.cmp(&a.changed).then_with(|| a.directory.cmp(&b.directory)));
    sessions
}

fn listed(directory: PathBuf) -> Option<ListedSession> {
    let changed = Journal::changed(&directory)?;
    let bytes = size(&directory);
    Some(ListedSession { directory, changed, bytes })
}

/// The status with which the last run of a session ended.
fn ending(directory: &Path) -> String {
    let records = Journal::read(directory).map(|contents| contents.records).unwrap_or_default();
    let is_last = |r: &&Record| matches!(r, Record::End(_) | Record::Chain(_) | Record::Run(_));
    match records.iter().rev().find(is_last) {
        Some(Record::End(end)) => end.status.name().to_owned(),
        Some(Record::Chain(chain)) if chain.stopped.is_some() => "stopped".to_owned(),
        Some(Record::Chain(_)) => "explained".to_owned(),
        _ => "interrupted".to_owned(),
    }
}

/// The size of everything in a directory.
fn size(directory: &Path) -> u64 {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    entries
        .map(|entry| match entry.metadata() {
            Ok(data) if data.is_dir() => size(&entry.path()),
            Ok(data) => data.len(),
            Err(_) => 0,
        })
        .sum()
}

/// Removes the sessions that are older than `max_age`, and the oldest ones until the others have at most `max_bytes`
/// together. Those in use stay. Returns what was removed.
pub fn prune_sessions(
    sessions: &[ListedSession],
    max_age: Duration,
    max_bytes: u64,
    now: SystemTime,
) -> Vec<ListedSession> {
    let mut kept = 0;
    let mut removed = Vec::new();
    for session in sessions {
        let age = now.duration_since(session.changed).unwrap_or_default();
        let is_kept = age <= max_age && kept + session.bytes <= max_bytes;
        if is_kept || session.remove().is_err() {
            kept += session.bytes;
        } else {
            removed.push(session.clone());
        }
    }
    removed
}

/// Removes old sessions, and the oldest ones if all are too large together.
pub(crate) fn prune_old_sessions() {
    prune_sessions(&list_sessions(), MAX_AGE, MAX_BYTES, SystemTime::now());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session(place: &Path, name: &str, days: u64, bytes: u64, now: SystemTime) -> ListedSession {
        let directory = place.join(name);
        fs::create_dir(&directory).unwrap();
        let changed = now - Duration::from_secs(days * 86_400);
        ListedSession { directory, changed, bytes }
    }

    #[test]
    fn old_sessions_go_and_then_the_oldest_until_the_rest_is_small_enough() {
        let place = tempfile::tempdir().unwrap();
        let now = SystemTime::now();
        let make = |name: &str, days, bytes| session(place.path(), name, days, bytes, now);
        let sessions =
            [make("new", 1, 60), make("large", 2, 60), make("small", 3, 30), make("old", 100, 1)];
        let removed = prune_sessions(&sessions, MAX_AGE, 100, now);
        let names: Vec<&OsStr> = removed.iter().map(ListedSession::name).collect();
        assert_eq!(names, ["large", "old"]);
        assert!(sessions[0].directory.exists() && sessions[2].directory.exists());
        assert!(!sessions[1].directory.exists() && !sessions[3].directory.exists());
    }
}
