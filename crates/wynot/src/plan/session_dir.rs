//! The directories of sessions.
//!
//! Sessions are kept in directories that belong to the user alone. Where these cannot be in the home directory, they are
//! among the temporary files of all users, and a directory that another user has put there is never used.

use crate::error::{Error, ErrorKind};
use rustix::process::geteuid;
use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use wynot_session::files::{NotPrivate, check_private, create_private_dir, is_private_dir};
use wynot_session::plain;

/// The directories in which sessions are kept: that of the user's state, and then that of temporary files.
pub(crate) fn state_dirs() -> Vec<PathBuf> {
    let absolute = |name: &str| {
        std::env::var_os(name).map(PathBuf::from).filter(|directory| directory.is_absolute())
    };
    let home = || absolute("HOME").map(|home| home.join(".local/state"));
    let usual = absolute("XDG_STATE_HOME").or_else(home).map(|dir| dir.join("wynot"));
    // In containers, the home directory is often missing or read-only.
    let name = format!("wynot-sessions-{}", geteuid().as_raw());
    usual.into_iter().chain([std::env::temp_dir().join(name)]).collect()
}

/// The session in a directory that the user has named. A link among the usual directories lets it be found there.
pub(super) fn named_session(dir: &Path, key: &str) -> PathBuf {
    if let Some(usual) = state_dirs().first().filter(|usual| !dir.starts_with(usual)) {
        // Without the link, the session is still found by its directory.
        if prepare(usual).is_ok() {
            let link = usual.join(format!("{key}.link"));
            let _ = fs::remove_file(&link);
            let _ = std::os::unix::fs::symlink(dir, link);
        }
    }
    dir.to_owned()
}

/// The directory for the session with this key, in the first of the usual directories that can be used.
pub(crate) fn default_session(key: &str) -> Result<PathBuf, Error> {
    let mut refusal = Error::new(ErrorKind::Unexpected, "there is no directory for sessions");
    for dir in state_dirs() {
        let session = dir.join(key);
        match prepare(&dir).and_then(|()| prepare(&session)) {
            Ok(()) => return Ok(session),
            Err(reason) => refusal = refusal.detail(reason),
        }
    }
    Err(refusal.hint("choose a place with --session DIR"))
}

/// Makes a directory exist and belong to this user alone, or says why that is not possible.
fn prepare(dir: &Path) -> Result<(), String> {
    let failed = |error: io::Error| format!("{}: {}", dir.display(), plain(&error));
    create_private_dir(dir).map_err(failed)?;
    let metadata = fs::metadata(dir).map_err(failed)?;
    if check_private(&metadata) == Err(NotPrivate::OtherWriters) {
        // An earlier version has made it, with the permissions that the umask left.
        let mode = metadata.permissions().mode() & 0o755;
        fs::set_permissions(dir, Permissions::from_mode(mode)).map_err(failed)?;
    }
    match is_private_dir(dir) {
        true => Ok(()),
        false => Err(format!("{}: it belongs to another user", dir.display())),
    }
}
