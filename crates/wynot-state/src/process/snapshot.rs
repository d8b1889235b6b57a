//! Copies of a program where it stands.

use super::breakpoints::Breakpoints;
use super::family::Family;
use super::inferior::Parts;
use super::output::Output;
use super::{Inferior, ProcessError, Service};
use rustix::fs::{FileType, SeekFrom, seek};
use rustix::process::{PidfdGetfdFlags, pidfd_getfd};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd, RawFd};
use std::rc::Rc;

/// What copies of a process share with it, as it was when the first copy was made.
pub(super) struct Snapshot {
    /// How long the outputs were.
    lengths: [u64; 2],
    /// Files that are open, and up to where they were read.
    files: Vec<(OwnedFd, u64)>,
}

impl Snapshot {
    fn of(pid: i32, handle: &OwnedFd, outputs: &[Output; 2]) -> io::Result<Self> {
        let own = [outputs[0].identity()?, outputs[1].identity()?];
        let mut files = Vec::new();
        for number in open_files(pid)? {
            let file = pidfd_getfd(handle, number, PidfdGetfdFlags::empty())?;
            let data = rustix::fs::fstat(&file)?;
            let kind = FileType::from_raw_mode(data.st_mode);
            let has_place = matches!(kind, FileType::RegularFile | FileType::Directory);
            if has_place && !own.contains(&(data.st_dev, data.st_ino)) {
                // Files that are open without being readable have none either.
                if let Ok(place) = seek(&file, SeekFrom::Current(0)) {
                    files.push((file, place));
                }
            }
        }
        Ok(Self { lengths: [outputs[0].length()?, outputs[1].length()?], files })
    }

    fn restore(&self, outputs: &[Output; 2]) -> io::Result<()> {
        for (output, length) in outputs.iter().zip(self.lengths) {
            output.cut_off(length)?;
        }
        for (file, place) in &self.files {
            seek(file.as_fd(), SeekFrom::Start(*place))?;
        }
        Ok(())
    }
}

/// The numbers of the files that a process has open.
pub(super) fn open_files(pid: i32) -> io::Result<Vec<RawFd>> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd"))?.flatten();
    let mut numbers: Vec<RawFd> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

impl Inferior {
    /// Makes a copy that is stopped at the same place, without breakpoints, and that may run as long
    /// as a program that was just started.
    ///
    /// What a copy prints and reads does not count for those that are made later, nor for this one when it
    /// goes on, as long as only one of them runs at a time: earlier copies should be dropped.
    pub fn fork(&mut self) -> Result<Self, ProcessError> {
        match &self.snapshot {
            Some(snapshot) => snapshot.restore(&self.outputs)?,
            None => {
                self.snapshot = Some(Snapshot::of(self.pid(), &self.handle, &self.outputs)?);
            }
        }
        let before = self.family.last_added();
        // The copy is a child of this process, as the original is.
        let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as u64;
        let result = self.system_call(Service::Clone, [flags, 0, 0, 0, 0, 0])?;
        let copy = self.family.last_added().filter(|copy| Some(*copy) != before);
        let failed = || io::Error::from_raw_os_error(i32::try_from(-result).unwrap_or_default());
        let copy = copy.ok_or_else(failed)?;
        let family = self.family.branch(copy);
        self.copied(family)
    }

    /// Controls a copy that was just made.
    fn copied(&self, mut family: Family) -> Result<Self, ProcessError> {
        let pid = family.leader;
        let parts = family.wait(Some(pid)).and_then(|_| Parts::of(pid));
        let Parts { handle, memory, .. } = match parts {
            Ok(parts) => parts,
            Err(error) => {
                family.end(true);
                return Err(error.into());
            }
        };
        Ok(Self {
            thread: pid,
            family,
            handle,
            memory,
            breakpoints: Breakpoints::none(self.machine()),
            suspended: Vec::new(),
            registers: self.registers,
            registers_changed: true,
            outputs: Rc::clone(&self.outputs),
            limits: self.limits,
            time_left: self.limits.time,
            watchdog: Rc::clone(&self.watchdog),
            crash: self.crash.clone(),
            gate: self.gate,
            snapshot: None,
            chance: self.chance.of_copy(self.pid()),
            closeness: None,
            has_ended: false,
        })
    }

    /// Before this process goes on: what its copies have done is undone, and will not be again.
    pub(super) fn leave_snapshot(&mut self) -> Result<(), ProcessError> {
        match self.snapshot.take() {
            Some(snapshot) => Ok(snapshot.restore(&self.outputs)?),
            None => Ok(()),
        }
    }
}
