//! Whether a file is a program that can be controlled.

use super::ProcessError;
use object::elf::{EM_386, EM_AARCH64, EM_ARM, EM_RISCV, EM_X86_64, Machine};
use rustix::fs::{Access, access};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// The bits of a mode that lend the rights of the owner or the group.
const LENT_RIGHTS: u32 = 0o6000;

/// Says in plain words what would otherwise be an error number, or a program without its rights.
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
    if data.mode() & LENT_RIGHTS != 0 {
        return Err(ProcessError::Privileged(path.to_owned()));
    }
    let mut header = [0; 20];
    let is_whole = file.read_exact(&mut header).is_ok();
    if !is_whole || !header.starts_with(b"\x7fELF") {
        return Err(ProcessError::NotBinary(path.to_owned()));
    }
    // All machines of interest store the lower byte first; others have numbers of their own then.
    let machine = Machine(u16::from_le_bytes([header[18], header[19]]));
    if matches!((header[4], machine), (2, EM_X86_64) | (1, EM_386)) {
        return Ok(());
    }
    let machine = match machine {
        EM_X86_64 => "x86-64 with short pointers (x32)".to_owned(),
        EM_AARCH64 => "ARM of 64 bits".to_owned(),
        EM_ARM => "ARM of 32 bits".to_owned(),
        EM_RISCV => "RISC-V".to_owned(),
        Machine(number) => format!("processor number {number}"),
    };
    Err(ProcessError::OtherMachine { path: path.to_owned(), machine })
}
