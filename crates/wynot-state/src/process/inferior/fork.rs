//! Forking a stopped program.

use super::sampling::Sampling;
use super::system_call::SystemCall;
use super::{Handles, Inferior};
use crate::process::error::ProcessError;
use crate::process::shared_files::SharedFiles;
use crate::process::tracing::breakpoints::Breakpoints;
use crate::process::tracing::run_time::RunTime;
use crate::process::tracing::thread_turns::ThreadTurns;
use crate::process::tracing::tracees::Tracees;
use std::io;
use std::rc::Rc;

impl Inferior {
    /// Makes a copy of the program that is stopped at the same place, has no breakpoints, and may run as long as
    /// a program that was just started.
    ///
    /// What a fork prints and reads is undone before the next fork is made, and before this program continues.
    /// That works as long as only one of them runs at a time, so earlier forks should be dropped.
    pub fn fork(&mut self) -> Result<Self, ProcessError> {
        match &self.shared_files {
            Some(files) => files.restore(&self.outputs)?,
            None => {
                let files = SharedFiles::save(self.pid(), &self.pidfd, &self.outputs)?;
                self.shared_files = Some(files);
            }
        }
        let before = self.tracees.last_added();
        // The fork becomes a child of this process, as the original is.
        let flags = (libc::CLONE_PARENT | libc::SIGCHLD) as u64;
        let result = self.system_call(SystemCall::Clone, [flags, 0, 0, 0, 0, 0])?;
        let fork = self.tracees.last_added().filter(|fork| Some(*fork) != before);
        let failed = || io::Error::from_raw_os_error(i32::try_from(-result).unwrap_or_default());
        let fork = fork.ok_or_else(failed)?;
        let tracees = self.tracees.split_off(fork);
        self.control_fork(tracees)
    }

    /// Controls a fork that was just made.
    fn control_fork(&self, mut tracees: Tracees) -> Result<Self, ProcessError> {
        let pid = tracees.leader;
        let handles = tracees.wait(Some(pid)).and_then(|_| Handles::open(pid));
        let Handles { pidfd, memory, .. } = match handles {
            Ok(handles) => handles,
            Err(error) => {
                tracees.kill_all(true);
                return Err(error.into());
            }
        };
        Ok(Self {
            thread: pid,
            tracees,
            turns: ThreadTurns::default(),
            turn_is_free: false,
            turn_checks: 0,
            turn_started: None,
            pidfd,
            memory,
            breakpoints: Breakpoints::none(self.machine()),
            suspended_breakpoints: Vec::new(),
            registers: self.registers,
            registers_changed: true,
            outputs: Rc::clone(&self.outputs),
            limits: self.limits,
            time: RunTime::new(self.limits.time, pid),
            watchdog: Rc::clone(&self.watchdog),
            name_frames: self.name_frames,
            crash: self.crash.clone(),
            syscall_instruction: self.syscall_instruction,
            shared_files: None,
            sources: self.sources.for_fork(self.pid()),
            substituted: self.substituted.clone(),
            private_directory: self.private_directory.clone(),
            private_file_written: None,
            cpu_pinning: None,
            sampling: Sampling::Off,
            has_ended: false,
        })
    }

    /// Before this program continues: undoes what its forks have done with the shared files.
    pub(super) fn discard_shared_files(&mut self) -> Result<(), ProcessError> {
        match self.shared_files.take() {
            Some(files) => Ok(files.restore(&self.outputs)?),
            None => Ok(()),
        }
    }
}
