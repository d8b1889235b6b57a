//! The files that a program has open for reading: what they are, and giving it others.

use super::Inferior;
use super::system_call::SystemCall;
use crate::process::error::ProcessError;
use crate::process::shared_files::open_files;
use rustix::fs::FileType;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The bytes below the stack pointer that may be in use.
const STACK_MARGIN_BYTES: u64 = 1024;

/// A regular file that a program reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenFile {
    /// The path of the file.
    pub path: PathBuf,
    /// The path as the program may have named it: relative to its directory, if the file is there.
    pub name: String,
    /// The offset of the byte that is read next.
    pub position: u64,
}

impl Inferior {
    /// The regular files that the program has open for reading only, by descriptor.
    pub fn files_read(&self) -> io::Result<BTreeMap<i32, OpenFile>> {
        let mut files = BTreeMap::new();
        let directory = fs::read_link(format!("/proc/{}/cwd", self.pid()))?;
        for number in open_files(self.pid())? {
            let link = format!("/proc/{}/fd/{number}", self.pid());
            let (path, data) = (self.own_path(fs::read_link(&link)?), rustix::fs::stat(&link)?);
            let is_file = FileType::from_raw_mode(data.st_mode) == FileType::RegularFile;
            // Files without a path, or that were deleted, cannot be opened again.
            if is_file
                && path.is_file()
                && !self.is_output((data.st_dev, data.st_ino))?
                && !self.is_open_for_writing(number)?
            {
                let name = path.strip_prefix(&directory).unwrap_or(&path).display().to_string();
                files.insert(number, OpenFile { name, position: self.position(number)?, path });
            }
        }
        Ok(files)
    }

    /// The path by which any process finds a file about itself that has this path in the program.
    fn own_path(&self, path: PathBuf) -> PathBuf {
        match path.strip_prefix(format!("/proc/{}", self.pid())) {
            Ok(rest) => Path::new("/proc/self").join(rest),
            Err(_) => path,
        }
    }

    fn position(&self, number: i32) -> io::Result<u64> {
        let info = fs::read_to_string(format!("/proc/{}/fdinfo/{number}", self.pid()))?;
        let position = info.lines().find_map(|line| line.strip_prefix("pos:"));
        Ok(position.and_then(|text| text.trim().parse().ok()).unwrap_or(0))
    }

    /// Makes a descriptor of the program lead to another file, or to none.
    pub fn set_file(&mut self, number: i32, file: Option<&OpenFile>) -> Result<(), ProcessError> {
        let descriptor = number as u64;
        let Some(OpenFile { path, position, .. }) = file else {
            self.checked_call(SystemCall::Close, [descriptor, 0, 0])?;
            return Ok(());
        };
        let mut text = path.as_os_str().as_bytes().to_vec();
        text.push(0);
        let scratch = (self.registers().sp() - STACK_MARGIN_BYTES - text.len() as u64) & !15;
        let mut before = vec![0; text.len()];
        self.read(scratch, &mut before)?;
        self.write(scratch, &text)?;
        let opened = self.checked_call(SystemCall::Open, [scratch, libc::O_RDONLY as u64, 0]);
        self.write(scratch, &before)?;
        let opened = opened?;
        if opened != descriptor {
            self.checked_call(SystemCall::Duplicate, [opened, descriptor, 0])?;
            self.checked_call(SystemCall::Close, [opened, 0, 0])?;
        }
        self.checked_call(SystemCall::Seek, [descriptor, *position, libc::SEEK_SET as u64])?;
        Ok(())
    }

    /// The result of a system call that must succeed.
    fn checked_call(&mut self, call: SystemCall, first: [u64; 3]) -> Result<u64, ProcessError> {
        let result = self.system_call(call, [first[0], first[1], first[2], 0, 0, 0])?;
        u64::try_from(result).map_err(|_| {
            io::Error::from_raw_os_error(i32::try_from(-result).unwrap_or_default()).into()
        })
    }
}
