//! The directory of a session.

use std::fs;
use std::path::{Path, PathBuf};

/// Where sessions are kept: with the user's other state, else with temporary files.
pub(crate) fn state_dirs() -> Vec<PathBuf> {
    let state = std::env::var_os("XDG_STATE_HOME").filter(|dir| Path::new(dir).is_absolute());
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".local/state"));
    let usual = state.map(PathBuf::from).or_else(home).map(|dir| dir.join("wynot"));
    // Containers often have no home that can be written to.
    usual.into_iter().chain([std::env::temp_dir().join("wynot-sessions")]).collect()
}

/// A session in a place of its own, which leaves a link to it where sessions are usually found.
pub(super) fn named_session(dir: &Path, key: &str) -> PathBuf {
    if let Some(usual) = state_dirs().first().filter(|usual| !dir.starts_with(usual)) {
        // Without the link it is only found by its own name.
        let _ = fs::create_dir_all(usual);
        let link = usual.join(format!("{key}.link"));
        let _ = fs::remove_file(&link);
        let _ = std::os::unix::fs::symlink(dir, link);
    }
    dir.to_owned()
}

/// The first of those places that can be used.
pub(crate) fn default_session(session: &str) -> PathBuf {
    let mut dirs: Vec<PathBuf> = state_dirs().iter().map(|dir| dir.join(session)).collect();
    let usable = dirs.iter().position(|dir| fs::create_dir_all(dir).is_ok());
    dirs.swap_remove(usable.unwrap_or(dirs.len() - 1))
}
