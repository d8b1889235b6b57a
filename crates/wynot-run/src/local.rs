//! Runs tests on this machine.
//!
//! Each slot has a supervisor process and private directories, its *rooms*. wynot itself writes the
//! variant into a room and asks the supervisor to run the test; it needs no threads. Where tests are so
//! short that waiting for the next request would count, a slot takes a second test while one runs.

use crate::command::TestCommand;
use crate::keeper::size_of_tree;
use crate::slot::Slot;
use crate::wire::{Reply, Request, Run, receive};
use crate::{Crashes, Executor, ExecutorError, Finished, Limits, Start, Ticket, scratch};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;
use wynot_subjects::Variant;

/// What to run, and in which surroundings.
#[derive(Debug)]
pub struct LocalSetup<'a> {
    /// The command that serves [`supervise`](crate::supervise) on its standard input.
    pub supervisor: (PathBuf, Vec<OsString>),
    /// The test.
    pub command: &'a TestCommand,
    /// What variants are.
    pub form: Form,
    /// Where the variant goes, relative to the test's private directory.
    pub name: &'a Path,
    /// The permission bits of the variant.
    pub mode: u32,
    /// A project directory that tests run in a copy of.
    pub project: Option<&'a Path>,
    /// Whether files that tests make stay where folders vary, as objects of builds.
    pub keeps_products: bool,
    /// What a test may use.
    pub limits: Limits,
    /// Whether tests run without network and with everything outside of their directories read-only.
    pub sandbox: bool,
    /// How crashes are told apart; nobody looks for them if absent.
    pub crashes: Option<Crashes>,
    /// How many tests run at the same time.
    pub slots: usize,
    /// Where the private directories go; the best place there is if absent.
    pub scratch: Option<&'a Path>,
    /// About how large a variant is.
    pub variant_size: u64,
}

/// What variants are, as far as rooms are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A file in a directory that is otherwise empty, or a copy of a project.
    File,
    /// All that is in the directory.
    Folder,
    /// A part of the call; the directory is empty, or a copy of a project.
    Call,
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
        variant: &Variant,
        timeout: Duration,
    ) -> Result<Start, ExecutorError> {
        let busy = self.slots.iter().any(|slot| slot.tests() > 0);
        let slot = self.slots.iter_mut().min_by_key(|slot| slot.tests());
        let slot = slot.expect("there is at least one slot");
        let index = slot.rooms.iter().position(|room| room.occupied.is_none());
        let index = index.expect("the caller asks for idle slots first");
        let room = &mut slot.rooms[index];
        let call = match room.put(variant, self.mode) {
            Ok(call) => call,
            Err(error) if busy && out_of_room(&error) => {
                room.give_up(variant);
                return Ok(Start::NoRoom);
            }
            Err(source) => {
                let path = room.variant.clone();
                return Err(ExecutorError::Scratch { action: "write", path, source });
            }
        };
        room.occupied = Some(ticket);
        slot.ask(&Request::Run(Run { ticket, room: index as u8, timeout, call }))?;
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
            Reply::Observed { ticket, mut observation, own_cpu, disturbed } => {
                slot.own_cpu = own_cpu;
                self.usual = (self.usual * 7 + observation.elapsed) / 8;
                let Some((slot, room)) = self.find(ticket) else { return Ok(None) };
                let temp = slot.temp.clone();
                let room = &mut slot.rooms[room];
                room.is_left(&disturbed);
                for output in [&mut observation.stdout, &mut observation.stderr] {
                    for path in [&room.path, &temp] {
                        let before = output.kept.len();
                        output.kept = without_path(std::mem::take(&mut output.kept), path);
                        output.total -= (before - output.kept.len()) as u64;
                    }
                }
                Ok(Some((ticket, Finished::Observed(observation))))
            }
            Reply::Cancelled { ticket, disturbed } => {
                let Some((slot, room)) = self.find(ticket) else { return Ok(None) };
                slot.rooms[room].is_left(&disturbed);
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
