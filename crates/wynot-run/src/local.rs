//! Runs tests on this machine.
//!
//! Each slot has a supervisor process and private directories, its *rooms*. wynot itself writes the
//! variant into a room and asks the supervisor to run the test; it needs no threads. Where tests are so
//! short that waiting for the next request would count, a slot takes a second test while one runs.

use crate::command::{Place, Stdin, TestCommand};
use crate::wire::{Bytes, Reply, Request, RoomSetup, Run, Setup, gone, receive, send};
use crate::{
    Crashes, Executor, ExecutorError, Finished, Limits, Start, Ticket, scratch, supervisor,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::fd::OwnedFd;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;

/// What to run, and in which surroundings.
#[derive(Debug)]
pub struct LocalSetup<'a> {
    /// The command that serves [`supervise`](crate::supervise) on its standard input.
    pub supervisor: (PathBuf, Vec<OsString>),
    /// The test.
    pub command: &'a TestCommand,
    /// Where the variant goes, relative to the test's private directory.
    pub name: &'a Path,
    /// The permission bits of the variant.
    pub mode: u32,
    /// A project directory that tests run in a copy of.
    pub project: Option<&'a Path>,
    /// What a test may use.
    pub limits: Limits,
    /// How crashes are told apart; nobody looks for them if absent.
    pub crashes: Option<Crashes>,
    /// How many tests run at the same time.
    pub slots: usize,
    /// Where the private directories go; the best place there is if absent.
    pub scratch: Option<&'a Path>,
    /// About how large a variant is.
    pub variant_size: u64,
}

/// An executor over supervisor processes on this machine.
pub struct Local {
    slots: Vec<Slot>,
    program: PathBuf,
    mode: u32,
    /// How long tests have taken lately.
    usual: Duration,
    /// Removed when dropped.
    _scratch: TempDir,
}

struct Slot {
    process: Child,
    socket: UnixStream,
    rooms: Vec<Room>,
    temp: PathBuf,
    own_cpu: Duration,
}

struct Room {
    path: PathBuf,
    variant: PathBuf,
    /// The test that runs here or waits to.
    occupied: Option<Ticket>,
}

/// Tests shorter than this wait for the next request longer than is worth it.
const SHORT: Duration = Duration::from_millis(5);

impl Local {
    /// Starts the supervisors.
    pub fn new(setup: &LocalSetup<'_>) -> Result<Self, ExecutorError> {
        let project = setup.project.map_or(0, size_of_tree);
        let needed = (setup.variant_size * 4 + project + (16 << 20)) * setup.slots as u64;
        let scratch = scratch::create(setup.scratch, needed)?;
        let slots = (0..setup.slots).map(|index| Slot::new(setup, scratch.path(), index));
        let slots = slots.collect::<Result<Vec<_>, _>>()?;
        for slot in &slots {
            slot.wait_until_ready()?;
        }
        Ok(Self {
            slots,
            program: setup.command.program.clone(),
            mode: setup.mode,
            usual: SHORT,
            _scratch: scratch,
        })
    }

    /// Processor time that the supervisors themselves have used.
    pub fn own_cpu(&self) -> Duration {
        self.slots.iter().map(|slot| slot.own_cpu).sum()
    }
}

impl Slot {
    fn new(setup: &LocalSetup<'_>, scratch: &Path, index: usize) -> Result<Self, ExecutorError> {
        let make = |name: String| {
            let path = scratch.join(name);
            let failed =
                |source| ExecutorError::Scratch { action: "make", path: path.clone(), source };
            fs::create_dir(&path).map_err(failed)?;
            Ok(path)
        };
        // With one slot tests come strictly one after the other, and copies of a project are dear.
        let rooms = if setup.slots > 1 && setup.project.is_none() { 2 } else { 1 };
        // Names of equal length, so that nothing a test prints depends on its room but the number.
        let rooms = (0..rooms).map(|room| make(format!("{index:03}-{room}")));
        let rooms = rooms.collect::<Result<Vec<PathBuf>, ExecutorError>>()?;
        let temp = make(format!("{index:03}-tmp"))?;
        let (ours, theirs) = UnixStream::pair().map_err(ExecutorError::Supervisor)?;
        let mut command = Command::new(&setup.supervisor.0);
        command
            .args(&setup.supervisor.1)
            .env("TMPDIR", &temp)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .process_group(0);
        if setup.command.place == Place::Private {
            // It would name the wrong directory.
            command.env_remove("PWD");
        }
        for (name, value) in &setup.command.env {
            if std::env::var_os(name).is_none() {
                command.env(name, value);
            }
        }
        let process = command.spawn().map_err(ExecutorError::Supervisor)?;
        let message = Setup {
            rooms: rooms.iter().map(|path| room_setup(setup, path)).collect(),
            temp: temp.as_path().into(),
            project: setup.project.map(Bytes::from),
            limits: setup.limits,
            crashes: setup.crashes,
        };
        let encoded = serde_json::to_vec(&message).map_err(io::Error::from);
        encoded.and_then(|bytes| send(&ours, &bytes)).map_err(ExecutorError::Supervisor)?;
        let rooms = rooms.into_iter().map(|path| Room {
            variant: path.join(setup.name),
            path,
            occupied: None,
        });
        let rooms = rooms.collect();
        Ok(Self { process, socket: ours, rooms, temp, own_cpu: Duration::ZERO })
    }

    fn ask(&mut self, request: &Request) -> Result<(), ExecutorError> {
        match send(&self.socket, &request.encode()) {
            Ok(()) => Ok(()),
            // The supervisor may have left a last word before it went: `wait` will find it.
            Err(error) if gone(&error) => Ok(()),
            Err(error) => Err(ExecutorError::Supervisor(error)),
        }
    }

    /// Waits for the rooms: a project that is still being copied would overwrite a variant.
    fn wait_until_ready(&self) -> Result<(), ExecutorError> {
        let frame = receive(&self.socket).map_err(ExecutorError::Supervisor)?;
        let frame = frame.ok_or(ExecutorError::SupervisorDied)?;
        match Reply::decode(&frame).map_err(ExecutorError::Supervisor)? {
            Reply::Ready => Ok(()),
            Reply::Scratch { action, errno } => Err(self.scratch_error(action, errno)),
            Reply::CannotTrace { errno } => {
                Err(ExecutorError::CannotTrace(io::Error::from_raw_os_error(errno)))
            }
            _ => Err(ExecutorError::SupervisorDied),
        }
    }

    fn scratch_error(&self, action: u8, errno: i32) -> ExecutorError {
        let action = if action == supervisor::COPY { "copy the project to" } else { "clean" };
        let source = io::Error::from_raw_os_error(errno);
        ExecutorError::Scratch { action, path: self.rooms[0].path.clone(), source }
    }

    fn tests(&self) -> usize {
        self.rooms.iter().filter(|room| room.occupied.is_some()).count()
    }
}

fn room_setup(setup: &LocalSetup<'_>, path: &Path) -> RoomSetup {
    let variant = path.join(setup.name);
    let cwd = match setup.command.place {
        Place::Private => path,
        Place::Here => &setup.command.here,
    };
    // What lies in the project is run and read in the copy of it.
    let copied = |word: &OsStr| {
        let inside = setup.project.and_then(|project| Path::new(word).strip_prefix(project).ok());
        inside.map_or_else(|| word.to_owned(), |inside| path.join(inside).into_os_string())
    };
    let args = setup.command.args_for(&variant);
    RoomSetup {
        path: path.into(),
        program: copied(setup.command.program.as_os_str()).into(),
        args: args.iter().map(|arg| copied(arg).into()).collect(),
        cwd: cwd.into(),
        stdin: (setup.command.stdin == Stdin::Variant).then(|| variant.as_path().into()),
    }
}

impl Room {
    fn write_variant(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        // Always a new file: what is there may be a link, or not writable.
        let open =
            || OpenOptions::new().write(true).create_new(true).mode(mode).open(&self.variant);
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.variant.parent().unwrap_or(&self.path))?;
                open()?
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&self.variant)?;
                open()?
            }
            file => file?,
        };
        file.write_all(bytes)
    }
}

impl Local {
    /// How many tests a slot takes at the moment.
    fn depth(&self) -> usize {
        if self.usual < SHORT { 2 } else { 1 }
    }

    /// The slot and room of a test.
    fn find(&mut self, ticket: Ticket) -> Option<(&mut Slot, usize)> {
        self.slots.iter_mut().find_map(|slot| {
            let room = slot.rooms.iter().position(|room| room.occupied == Some(ticket))?;
            Some((slot, room))
        })
    }
}

impl Executor for Local {
    fn idle(&self) -> usize {
        let depth = self.depth();
        self.slots.iter().map(|slot| depth.min(slot.rooms.len()).saturating_sub(slot.tests())).sum()
    }

    fn start(
        &mut self,
        ticket: Ticket,
        variant: &[u8],
        timeout: Duration,
    ) -> Result<Start, ExecutorError> {
        let busy = self.slots.iter().any(|slot| slot.tests() > 0);
        let slot = self.slots.iter_mut().min_by_key(|slot| slot.tests());
        let slot = slot.expect("there is at least one slot");
        let index = slot.rooms.iter().position(|room| room.occupied.is_none());
        let index = index.expect("the caller asks for idle slots first");
        let room = &mut slot.rooms[index];
        match room.write_variant(variant, self.mode) {
            Ok(()) => {}
            Err(error) if busy && out_of_room(&error) => {
                let _ = fs::remove_file(&room.variant);
                return Ok(Start::NoRoom);
            }
            Err(source) => {
                let path = room.variant.clone();
                return Err(ExecutorError::Scratch { action: "write", path, source });
            }
        }
        room.occupied = Some(ticket);
        slot.ask(&Request::Run(Run { ticket, room: index as u8, timeout }))?;
        Ok(Start::Running)
    }

    fn cancel(&mut self, ticket: Ticket) -> Result<(), ExecutorError> {
        match self.find(ticket) {
            Some((slot, _)) => slot.ask(&Request::Cancel(ticket)),
            None => Ok(()),
        }
    }

    fn wait(&mut self, patience: Duration) -> Result<Option<(Ticket, Finished)>, ExecutorError> {
        let patience = Timespec::try_from(patience).unwrap_or(Timespec { tv_sec: 1, tv_nsec: 0 });
        let ready = {
            let mut fds: Vec<PollFd<'_>> =
                self.slots.iter().map(|slot| PollFd::new(&slot.socket, PollFlags::IN)).collect();
            match poll(&mut fds, Some(&patience)) {
                Ok(_) => fds.iter().position(|fd| !fd.revents().is_empty()),
                Err(Errno::INTR) => None,
                Err(error) => return Err(ExecutorError::Supervisor(error.into())),
            }
        };
        let Some(slot) = ready.map(|index| &mut self.slots[index]) else { return Ok(None) };
        let frame = receive(&slot.socket).map_err(ExecutorError::Supervisor)?;
        let frame = frame.ok_or(ExecutorError::SupervisorDied)?;
        match Reply::decode(&frame).map_err(ExecutorError::Supervisor)? {
            Reply::Observed { ticket, mut observation, own_cpu } => {
                slot.own_cpu = own_cpu;
                self.usual = (self.usual * 7 + observation.elapsed) / 8;
                let Some((slot, room)) = self.find(ticket) else { return Ok(None) };
                let temp = slot.temp.clone();
                let room = &mut slot.rooms[room];
                room.occupied = None;
                for output in [&mut observation.stdout, &mut observation.stderr] {
                    for path in [&room.path, &temp] {
                        let before = output.kept.len();
                        output.kept = without_path(std::mem::take(&mut output.kept), path);
                        output.total -= (before - output.kept.len()) as u64;
                    }
                }
                Ok(Some((ticket, Finished::Observed(observation))))
            }
            Reply::Cancelled { ticket } => {
                let Some((slot, room)) = self.find(ticket) else { return Ok(None) };
                slot.rooms[room].occupied = None;
                Ok(Some((ticket, Finished::Cancelled)))
            }
            Reply::CannotStart { errno } => {
                let source = io::Error::from_raw_os_error(errno);
                Err(ExecutorError::CannotStart { program: self.program.clone(), source })
            }
            Reply::Scratch { action, errno } => Err(slot.scratch_error(action, errno)),
            Reply::Immortal => Err(ExecutorError::Immortal),
            Reply::Ready | Reply::CannotTrace { .. } => Ok(None),
        }
    }
}

impl Drop for Local {
    /// Closing the sockets ends the supervisors, which end their tests and clean up.
    fn drop(&mut self) {
        for Slot { mut process, socket, .. } in self.slots.drain(..) {
            drop(socket);
            // Nothing is left to do about a supervisor that cannot be waited for.
            let _ = process.wait();
        }
    }
}

/// How many bytes the files below a directory have.
fn size_of_tree(root: &Path) -> u64 {
    let mut size = 0;
    let mut pending = vec![root.to_owned()];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(metadata) if metadata.is_dir() => pending.push(entry.path()),
                Ok(metadata) => size += metadata.len(),
                Err(_) => {}
            }
        }
    }
    size
}

fn out_of_room(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

/// What a test printed, with its private directory written as `.`: outputs must not depend on the slot.
fn without_path(output: Vec<u8>, room: &Path) -> Vec<u8> {
    use std::os::unix::ffi::OsStrExt;
    let path = room.as_os_str().as_bytes();
    if output.len() < path.len() {
        return output;
    }
    let mut result = Vec::with_capacity(output.len());
    let mut at = 0;
    while at < output.len() {
        if output[at] == path[0] && output[at..].starts_with(path) {
            result.push(b'.');
            at += path.len();
        } else {
            result.push(output[at]);
            at += 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_do_not_show_the_slot() {
        let room = Path::new("/dev/shm/wynot-abc/003");
        let output = b"/dev/shm/wynot-abc/003/x.c:1: error in /dev/shm\n".to_vec();
        assert_eq!(without_path(output, room), b"./x.c:1: error in /dev/shm\n");
    }
}
