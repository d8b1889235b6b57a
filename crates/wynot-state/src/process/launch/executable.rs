//! Whether a file is a program that can be controlled.

use crate::process::error::ProcessError;
use rustix::fs::{Access, access};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use wynot_process::elf::{HEADER_BYTES, header_machine};

/// The mode bits (setuid and setgid) that give a program the rights of its owner or group.
const SETUID_OR_SETGID: u32 = 0o6000;

/// Explains in words why a file cannot be controlled, instead of an error number, or of a program that runs
/// without its rights.
pub(super) fn check(path: &Path) -> Result<(), ProcessError> {
    let unreadable = |source| ProcessError::Program { path: path.to_owned(), source };
    let mut file = File::open(path).map_err(unreadable)?;
    let data = file.metadata().map_err(unreadable)?;
    if data.is_dir() {
        return Err(unreadable(std::io::ErrorKind::IsADirectory.into()));
    }
    if !data.is_file() || access(path, Access::EXEC_OK).is_err() {
        return Err(ProcessError::NotExecutable(path.to_owned()));
    }
    if data.mode() & SETUID_OR_SETGID != 0 {
        return Err(ProcessError::Privileged(path.to_owned()));
    }
    let mut header = [0; HEADER_BYTES];
    let is_whole = file.read_exact(&mut header).is_ok();
    match header_machine(&header).filter(|_| is_whole) {
        None => Err(ProcessError::NotBinary(path.to_owned())),
        Some(Err(other)) => {
            Err(ProcessError::OtherMachine { path: path.to_owned(), machine: other.0 })
        }
        Some(Ok(_)) => Ok(()),
    }
}
