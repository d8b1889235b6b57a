//! Why a copy of a program would not be an honest one.

use super::snapshot::open_files;
use super::{Inferior, ProcessError, Service};
use rustix::fs::FileType;
use std::fmt;
use std::fs;
use std::io;

/// Something that a copy of a program would not have, or would share with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Obstacle {
    /// It has so many threads, of which a copy has one.
    Threads(usize),
    /// It has started processes that run, which a copy does not have.
    Children,
    /// Memory that is shared with others, or written to a file.
    SharedMemory(String),
    /// A pipe or a socket: what is read from it is gone.
    Stream(String),
    /// A file that it writes to.
    WrittenFile(String),
    /// A device, such as a terminal.
    Device(String),
    /// Something else that is open, such as a timer.
    Other(String),
    /// Signals that wait to be delivered.
    PendingSignal,
    /// A timer that will send a signal.
    Timer,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Threads(count) => write!(
                f,
                "it has {count} threads, of which only one is stopped: what the others change meanwhile is \
                 chance"
            ),
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

/// Devices that give and take the same to and from everybody.
const HARMLESS: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

impl Inferior {
    /// Why a [copy](Self::fork) would not behave as the program does; the first reason that is found.
    pub fn obstacle(&mut self) -> Result<Option<Obstacle>, ProcessError> {
        if let Some(obstacle) = self.company()? {
            return Ok(Some(obstacle));
        }
        let areas = self.areas()?;
        if let Some(area) = areas.iter().find(|area| area.shared && area.writable) {
            return Ok(Some(Obstacle::SharedMemory(area.path.clone())));
        }
        for number in open_files(self.pid())? {
            if let Some(obstacle) = self.open_file(number)? {
                return Ok(Some(obstacle));
            }
        }
        Ok(self.has_timer()?.then_some(Obstacle::Timer))
    }

    /// Threads, children and signals.
    fn company(&self) -> io::Result<Option<Obstacle>> {
        let pid = self.pid();
        let threads = fs::read_dir(format!("/proc/{pid}/task"))?.count();
        if threads > 1 {
            return Ok(Some(Obstacle::Threads(threads)));
        }
        // Those that have ended count as long as the program has not asked for them.
        let children = fs::read(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        if self.family.last_added().is_some() || !children.is_empty() {
            return Ok(Some(Obstacle::Children));
        }
        let status = fs::read_to_string(format!("/proc/{pid}/status"))?;
        let pending = |line: &str| {
            let mask = line.strip_prefix("SigPnd:").or_else(|| line.strip_prefix("ShdPnd:"));
            mask.is_some_and(|mask| mask.trim().bytes().any(|digit| digit != b'0'))
        };
        Ok(status.lines().any(pending).then_some(Obstacle::PendingSignal))
    }

    fn open_file(&self, number: i32) -> io::Result<Option<Obstacle>> {
        let path = format!("/proc/{}/fd/{number}", self.pid());
        let name = fs::read_link(&path)?.to_string_lossy().into_owned();
        let data = rustix::fs::stat(&path)?;
        Ok(match FileType::from_raw_mode(data.st_mode) {
            FileType::Directory => None,
            FileType::RegularFile if self.is_output((data.st_dev, data.st_ino))? => None,
            // Some of what has no name says that it is a file.
            FileType::RegularFile if !name.starts_with("anon_inode:") => {
                self.is_written(number)?.then_some(Obstacle::WrittenFile(name))
            }
            FileType::Fifo => Some(Obstacle::Stream("pipe".to_owned())),
            FileType::Socket => Some(Obstacle::Stream("socket".to_owned())),
            FileType::CharacterDevice if HARMLESS.contains(&name.as_str()) => None,
            FileType::CharacterDevice | FileType::BlockDevice => Some(Obstacle::Device(name)),
            _ => {
                let name = name.trim_start_matches("anon_inode:").trim_matches(['[', ']']);
                Some(Obstacle::Other(name.to_owned()))
            }
        })
    }

    fn is_output(&self, identity: (u64, u64)) -> io::Result<bool> {
        Ok(self.outputs[0].identity()? == identity || self.outputs[1].identity()? == identity)
    }

    fn is_written(&self, number: i32) -> io::Result<bool> {
        let info = fs::read_to_string(format!("/proc/{}/fdinfo/{number}", self.pid()))?;
        let flags = info.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|text| i32::from_str_radix(text.trim(), 8).ok()).unwrap_or(0);
        Ok(flags & libc::O_ACCMODE != libc::O_RDONLY)
    }

    /// Whether it has asked to be sent a signal later on.
    fn has_timer(&mut self) -> Result<bool, ProcessError> {
        let timers = fs::read(format!("/proc/{}/timers", self.pid()));
        if timers.is_ok_and(|timers| !timers.is_empty()) {
            return Ok(true);
        }
        // Below all that the program uses of its stack.
        let place = (self.registers().sp() - 1024) & !15;
        let mut before = [0; 32];
        self.read(place, &mut before)?;
        let mut value = [0; 32];
        let mut is_set = false;
        for kind in [libc::ITIMER_REAL, libc::ITIMER_VIRTUAL, libc::ITIMER_PROF] {
            let arguments = [kind as u64, place, 0, 0, 0, 0];
            // Some write less than there is room for.
            self.write(place, &[0; 32])?;
            if self.system_call(Service::GetTimer, arguments)? == 0 {
                self.read(place, &mut value)?;
                is_set |= value != [0; 32];
            }
        }
        self.write(place, &before)?;
        Ok(is_set)
    }
}
