//! The directories of sessions.

use std::fs;
use std::path::{Path, PathBuf};

/// The directories in which sessions are kept: that of the user's state, and then that of temporary files.
pub(crate) fn state_dirs() -> Vec<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|dir| Path::new(dir).is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    let usual = state.map(PathBuf::from).or_else(home).map(|dir| dir.join("wynot"));
    // In containers, the home directory is often missing or read-only.
    usual.into_iter().chain([std::env::temp_dir().join("wynot-sessions")]).collect()
}

/// The session in a directory that the user has named. A link among the usual directories lets it be found there.
pub(super) fn named_session(dir: &Path, key: &str) -> PathBuf {
    if let Some(usual) = state_dirs().first().filter(|usual| !dir.starts_with(usual)) {
        // Without the link, the session is still found by its directory.
        let _ = fs::create_dir_all(usual);
        let link = usual.join(format!("{key}.link"));
        let _ = fs::remove_file(&link);
        let _ = std::os::unix::fs::symlink(dir, link);
    }
    dir.to_owned()
}

/// The directory for the session with this key, in the first of the usual directories that can be written to.
pub(crate) fn default_session(key: &str) -> PathBuf {
    let mut dirs: Vec<PathBuf> = state_dirs().iter().map(|dir| dir.join(key)).collect();
    let usable = dirs.iter().position(|dir| fs::create_dir_all(dir).is_ok());
    dirs.swap_remove(usable.unwrap_or(dirs.len() - 1))
}
