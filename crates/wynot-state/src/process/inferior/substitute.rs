//! Substituting files for a program: the system calls that find a file by its path are given another path.

use super::Inferior;
use super::intercept::CallEntry;
use crate::process::determinism::intercepted_call::StatFormat;
use crate::process::determinism::sources::AtExit;
use crate::process::determinism::system_files::system_file;
use crate::process::launch::substituted_file::SubstitutedFile;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use wynot_process::{Machine, ProcessMemory, ptrace};

/// The distance below the stack pointer at which the path of another file is written. The memory in between
/// may belong to the function that makes the call.
const PATH_BELOW_STACK_POINTER: u64 = 512;

/// The offset of the number of the device in the answer of `statx`.
const STATX_DEVICE_OFFSET: u64 = 136;

/// The offset and the size of the times in an answer about a file, in 64-bit programs.
const STAT_TIMES_OFFSET: u64 = 72;
const STAT_TIMES_BYTES: usize = 48;

/// The size of a page of memory: what lies in one can be read as a whole or not at all.
const PAGE_BYTES: u64 = 4096;

impl Inferior {
    /// From now on, the program finds a file with the contents of another one.
    pub fn substitute_file(&mut self, file: SubstitutedFile) {
        self.substituted.retain(|other| other.path != file.path);
        self.substituted.push(file);
    }

    /// Gives a call another path, if the file whose path is in an argument is substituted.
    pub(super) fn substitute_path(&self, call: CallEntry, at: usize) -> io::Result<Option<AtExit>> {
        match self.substitute_for(&call, at) {
            Some(contents) => self.give_path(call, at, contents.as_os_str().as_bytes()),
            None => Ok(None),
        }
    }

    /// The path of the file with the contents of the one whose path is in an argument.
    fn substitute_for(&self, call: &CallEntry, at: usize) -> Option<PathBuf> {
        if self.substituted.is_empty() {
            return None;
        }
        let path = self.path_in(call, at)?.canonicalize().ok()?;
        let found = self.substituted.iter().find(|file| file.path == path)?;
        Some(found.contents.clone())
    }

    /// The path of the file that all runs read in place of one about the system whose path is in an argument.
    pub(super) fn system_file_for(
        &self,
        call: &CallEntry,
        at: usize,
    ) -> io::Result<Option<String>> {
        let path = read_path(call.memory(&self.memory), call.arguments[at]);
        match path.as_deref().map(std::str::from_utf8) {
            Some(Ok(path)) => system_file(path),
            _ => Ok(None),
        }
    }

    /// Replaces the number of a device without hardware in the answer about a file, and what differs from run to run.
    pub(super) fn replace_device(
        &mut self,
        tid: i32,
        address: u64,
        format: StatFormat,
    ) -> io::Result<()> {
        let other = match self.tracees.is_thread(tid) {
            true => None,
            false => Some(ProcessMemory::open(tid)?),
        };
        let memory = other.as_ref().unwrap_or(&self.memory);
        if format == StatFormat::Stat && self.machine() == Machine::X86_64 {
            hide_access_time(memory, address)?;
            self.hide_output(memory, address)?;
        }
        let address = address + if format == StatFormat::Statx { STATX_DEVICE_OFFSET } else { 0 };
        let mut bytes = [0; 8];
        if memory.read(address, &mut bytes).is_err() {
            return Ok(());
        }
        let word = u64::from_le_bytes(bytes);
        let (major, minor) = match format {
            StatFormat::Stat => (u64::from(libc::major(word)), u64::from(libc::minor(word))),
            StatFormat::Statx => (word & 0xffff_ffff, word >> 32),
        };
        if major != 0 {
            return Ok(());
        }
        let device = self.sources.device(minor);
        let word = match format {
            StatFormat::Stat => libc::makedev(0, device as u32),
            StatFormat::Statx => device << 32,
        };
        memory.write(address, &word.to_le_bytes())
    }

    /// Replaces what differs from run to run in an answer about standard output or standard error: the number of the file,
    /// and its times.
    fn hide_output(&self, memory: &ProcessMemory, address: u64) -> io::Result<()> {
        let mut bytes = [0; 16];
        if memory.read(address, &mut bytes).is_err() {
            return Ok(());
        }
        let [device, file] =
            [0, 8].map(|at| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap_or_default()));
        for (number, output) in (1_u64..).zip(self.outputs.iter()) {
            if output.identity()? == (device, file) {
                memory.write(address + 8, &number.to_le_bytes())?;
                memory.write(address + STAT_TIMES_OFFSET, &[0; STAT_TIMES_BYTES])?;
            }
        }
        Ok(())
    }

    /// The absolute path that an argument gives.
    fn path_in(&self, call: &CallEntry, at: usize) -> Option<PathBuf> {
        let bytes = read_path(call.memory(&self.memory), call.arguments[at])?;
        let path = Path::new(OsStr::from_bytes(&bytes)).to_owned();
        match (path.is_absolute(), path.as_os_str().is_empty()) {
            (true, _) => Some(path),
            (false, true) => None,
            (false, false) => Some(directory_of(call, at)?.join(path)),
        }
    }

    /// Notes that a call opens a file for writing which is private to the program, and to all forks of it.
    pub(super) fn note_private_write(&mut self, call: &CallEntry, at: usize) {
        if let Some(directory) = &self.private_directory
            && let Some(path) = self.path_in(call, at).filter(|path| path.starts_with(directory))
        {
            self.private_file_written.get_or_insert(path);
        }
    }

    /// A file that the program has opened for writing in its private view of the directory, which forks share.
    pub fn private_file_written(&self) -> Option<&Path> {
        self.private_file_written.as_deref()
    }

    /// Writes a path below the stack of a call, and gives it to the call in place of its own.
    pub(super) fn give_path(
        &self,
        mut call: CallEntry,
        at: usize,
        path: &[u8],
    ) -> io::Result<Option<AtExit>> {
        let before = [call.arguments[0], call.arguments[1]];
        let path = [path, b"\0"].concat();
        let below = PATH_BELOW_STACK_POINTER + path.len() as u64;
        let address = call.registers.sp().saturating_sub(below) & !15;
        if call.memory(&self.memory).write(address, &path).is_err() {
            return Ok(None);
        }
        call.registers.set_syscall_argument(at, address);
        ptrace::set_registers(call.tid, &call.registers.0)?;
        Ok(Some(AtExit::RestoreArguments(before)))
    }
}

/// Gives the time of the last change in an answer about a file also as that of the last access, which other runs change.
fn hide_access_time(memory: &ProcessMemory, address: u64) -> io::Result<()> {
    let mut changed = [0; 16];
    match memory.read(address + STAT_TIMES_OFFSET + changed.len() as u64, &mut changed) {
        Ok(()) => memory.write(address + STAT_TIMES_OFFSET, &changed),
        Err(_) => Ok(()),
    }
}

/// The directory to which the path in an argument is relative.
fn directory_of(call: &CallEntry, at: usize) -> Option<PathBuf> {
    let given = at.checked_sub(1).map(|before| call.arguments[before] as i32);
    let tid = call.tid;
    match given.filter(|given| *given != libc::AT_FDCWD) {
        Some(number) => fs::read_link(format!("/proc/{tid}/fd/{number}")).ok(),
        None => fs::read_link(format!("/proc/{tid}/cwd")).ok(),
    }
}

/// The bytes of a path up to the zero at its end.
fn read_path(memory: &ProcessMemory, mut address: u64) -> Option<Vec<u8>> {
    let mut path = Vec::new();
    while path.len() < libc::PATH_MAX as usize {
        let mut bytes = vec![0; (PAGE_BYTES - address % PAGE_BYTES) as usize];
        memory.read(address, &mut bytes).ok()?;
        address += bytes.len() as u64;
        if let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            path.extend_from_slice(&bytes[..end]);
            return Some(path);
        }
        path.extend(bytes);
    }
    None
}
