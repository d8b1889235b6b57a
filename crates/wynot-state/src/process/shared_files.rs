//! The open files that a program shares with its forks.

use super::launch::captured_output::CapturedOutput;
use rustix::fs::{FileType, SeekFrom, seek};
use rustix::process::{PidfdGetfdFlags, pidfd_getfd};
use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd, RawFd};

/// The state of the open files of a process when it was first forked. A fork that prints or reads changes
/// it, also for the original and for later forks.
pub(super) struct SharedFiles {
    /// The lengths of standard output and standard error.
    output_lengths: [u64; 2],
    /// The files with their positions.
    positions: Vec<(OwnedFd, u64)>,
}

impl SharedFiles {
    pub(super) fn save(
        pid: i32,
        pidfd: &OwnedFd,
        outputs: &[CapturedOutput; 2],
    ) -> io::Result<Self> {
        let own = [outputs[0].identity()?, outputs[1].identity()?];
        let mut positions = Vec::new();
        for number in open_files(pid)? {
            let file = pidfd_getfd(pidfd, number, PidfdGetfdFlags::empty())?;
            let data = rustix::fs::fstat(&file)?;
            let kind = FileType::from_raw_mode(data.st_mode);
            let has_position = matches!(kind, FileType::RegularFile | FileType::Directory);
            if has_position && !own.contains(&(data.st_dev, data.st_ino)) {
                // Files that were opened as paths only have no position either.
                if let Ok(position) = seek(&file, SeekFrom::Current(0)) {
                    positions.push((file, position));
                }
            }
        }
        Ok(Self { output_lengths: [outputs[0].length()?, outputs[1].length()?], positions })
    }

    pub(super) fn restore(&self, outputs: &[CapturedOutput; 2]) -> io::Result<()> {
        for (output, length) in outputs.iter().zip(self.output_lengths) {
            output.truncate(length)?;
        }
        for (file, position) in &self.positions {
            seek(file.as_fd(), SeekFrom::Start(*position))?;
        }
        Ok(())
    }
}

/// The numbers of the files that a process has open, in ascending order.
pub(super) fn open_files(pid: i32) -> io::Result<Vec<RawFd>> {
    let entries = fs::read_dir(format!("/proc/{pid}/fd"))?.flatten();
    let mut numbers: Vec<RawFd> =
        entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    numbers.sort_unstable();
    Ok(numbers)
}
