//! Why a fork of a program would not behave as the program does.

use super::Inferior;
use super::system_call::SystemCall;
use crate::process::error::ProcessError;
use crate::process::shared_files::open_files;
use rustix::fs::FileType;
use std::fmt;
use std::fs;
use std::io;

/// Something that a fork of a program would lack, or would share with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ForkObstacle {
    /// The program has this many threads, of which a fork has one.
    Threads(usize),
    /// The program has started processes, which a fork does not have.
    Children,
    /// Writable memory that is shared with other processes or with this file.
    SharedMemory(String),
    /// A pipe or a socket: data can be read from it only once.
    Stream(String),
    /// A file that the program writes to.
    WrittenFile(String),
    /// A device such as a terminal.
    Device(String),
    /// Another open file descriptor, such as one of a timer.
    Other(String),
    /// A signal that has not been delivered yet.
    PendingSignal,
    /// A timer that will send a signal.
    Timer,
}

impl fmt::Display for ForkObstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads(count) => {
                write!(f, "it has {count} threads, of which a copy would have only one")
            }
            Self::Children => f.write_str("it has started other processes"),
            Self::SharedMemory(name) if name.is_empty() => f.write_str("it shares memory"),
            Self::SharedMemory(name) => write!(f, "it shares memory with {name}"),
            Self::Stream(name) => write!(f, "it has a {name} open"),
            Self::WrittenFile(path) => write!(f, "it writes to the file {path}"),
            Self::Device(path) => write!(f, "it uses the device {path}"),
            Self::Other(name) => write!(f, "it uses {name}"),
            Self::PendingSignal => f.write_str("a signal is about to reach it"),
            Self::Timer => f.write_str("it has set a timer"),
        }
    }
}

/// Devices without a state that programs could share.
const STATELESS_DEVICES: [&str; 5] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

impl Inferior {
    /// Why a [fork](Self::fork) would not behave as the program does; the first reason that is found.
    pub fn fork_obstacle(&mut self) -> Result<Option<ForkObstacle>, ProcessError> {
        if let Some(obstacle) = self.process_obstacle()? {
            return Ok(Some(obstacle));
        }
        let map = self.memory_map()?;
        if let Some(region) = map.regions().find(|region| region.shared && region.writable) {
            return Ok(Some(ForkObstacle::SharedMemory(region.path.clone())));
        }
        for number in open_files(self.pid())? {
            if let Some(obstacle) = self.file_obstacle(number)? {
                return Ok(Some(obstacle));
            }
        }
        Ok(self.has_timer()?.then_some(ForkObstacle::Timer))
    }

    /// Threads, children and pending signals.
    fn process_obstacle(&self) -> io::Result<Option<ForkObstacle>> {
        let pid = self.pid();
        let threads = fs::read_dir(format!("/proc/{pid}/task"))?.count();
        if threads > 1 {
            return Ok(Some(ForkObstacle::Threads(threads)));
        }
        // Children that have ended count until the program has waited for them.
        let children = fs::read(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        if self.tracees.has_processes() || !children.is_empty() {
            return Ok(Some(ForkObstacle::Children));
        }
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let has_pending = |line: &str| {
            let mask = line.strip_prefix("SigPnd:").or_else(|| line.strip_prefix("ShdPnd:"));
            mask.is_some_and(|mask| mask.trim().bytes().any(|digit| digit != b'0'))
        };
        Ok(status.lines().any(has_pending).then_some(ForkObstacle::PendingSignal))
    }

    fn file_obstacle(&self, number: i32) -> io::Result<Option<ForkObstacle>> {
        let path = format!("/proc/{}/fd/{number}", self.pid());
        let name = fs::read_link(&path)?.to_string_lossy().into_owned();
        let data = rustix::fs::stat(&path)?;
        Ok(match FileType::from_raw_mode(data.st_mode) {
            FileType::Directory => None,
            FileType::RegularFile if self.is_output((data.st_dev, data.st_ino))? => None,
            // Some descriptors without a file claim to be regular files.
            FileType::RegularFile if !name.starts_with("anon_inode:") => {
                self.is_open_for_writing(number)?.then_some(ForkObstacle::WrittenFile(name))
            }
            FileType::Fifo => Some(ForkObstacle::Stream("pipe".to_owned())),
            FileType::Socket => Some(ForkObstacle::Stream("socket".to_owned())),
            FileType::CharacterDevice if STATELESS_DEVICES.contains(&name.as_str()) => None,
            FileType::CharacterDevice | FileType::BlockDevice => Some(ForkObstacle::Device(name)),
            _ => {
                let name = name.trim_start_matches("anon_inode:").trim_matches(['[', ']']);
                Some(ForkObstacle::Other(name.to_owned()))
            }
        })
    }

    pub(super) fn is_output(&self, identity: (u64, u64)) -> io::Result<bool> {
        Ok(self.outputs[0].identity()? == identity || self.outputs[1].identity()? == identity)
    }

    pub(super) fn is_open_for_writing(&self, number: i32) -> io::Result<bool> {
        let info = fs::read_to_string(format!("/proc/{}/fdinfo/{number}", self.pid()))?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok()).unwrap_or(0);
        Ok(flags & libc::O_ACCMODE != libc::O_RDONLY)
    }

    /// Whether the program has set a timer that will send a signal.
    fn has_timer(&mut self) -> Result<bool, ProcessError> {
        let timers = fs::read(format!("/proc/{}/timers", self.pid()));
        if timers.is_ok_and(|timers| !timers.is_empty()) {
            return Ok(true);
        }
        // Below the part of the stack that the program uses.
        let scratch = (self.registers().sp() - 1024) & !15;
        let mut before = [0; 32];
        self.read(scratch, &mut before)?;
        let mut value = [0; 32];
        let mut is_set = false;
        for kind in [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF] {
            let arguments = [kind as u64, scratch, 0, 0, 0, 0];
            // The value has half the size in 32-bit programs.
            self.write(scratch, &[0; 32])?;
            if self.system_call(SystemCall::GetTimer, arguments)? == 0 {
                self.read(scratch, &mut value)?;
                is_set |= value != [0; 32];
            }
        }
        self.write(scratch, &before)?;
        Ok(is_set)
    }
}
