//! Starting a program under control.

use super::sampling::Sampling;
use super::{Handles, Inferior};
use crate::process::determinism::sources::DeterministicSources;
use crate::process::error::ProcessError;
use crate::process::frame_namer::FrameNamer;
use crate::process::launch::captured_output::CapturedOutput;
use crate::process::launch::invocation::{InferiorLimits, Invocation};
use crate::process::launch::{has_fixed_addresses, launch};
use crate::process::tracing::breakpoints::Breakpoints;
use crate::process::tracing::run_time::RunTime;
use crate::process::tracing::thread_turns::ThreadTurns;
use crate::process::tracing::tracees::Tracees;
use crate::process::tracing::watchdog::Watchdog;
use std::rc::Rc;
use wynot_process::ptrace;

impl Inferior {
    /// Starts a program. It is stopped before its first instruction, which is one of the dynamic linker if it
    /// needs one. `name_frames` names the functions of a crash in a 32-bit program.
    pub fn start(
        invocation: &Invocation,
        limits: &InferiorLimits,
        name_frames: FrameNamer,
    ) -> Result<Self, ProcessError> {
        let outputs = Rc::new([CapturedOutput::new()?, CapturedOutput::new()?]);
        let watchdog = Rc::new(Watchdog::new()?);
        let pid = launch(invocation, limits, &outputs)?.id() as i32;
        // From here on the process has to be killed if something fails.
        let mut tracees = Tracees::new(pid);
        let handles = ptrace::control_started(pid).and_then(|()| Handles::open(pid));
        let Handles { pidfd, memory, registers } = match handles {
            Ok(handles) => handles,
            Err(error) => {
                tracees.kill_all(true);
                return Err(error.into());
            }
        };
        let inferior = Self {
            thread: pid,
            tracees,
            turns: ThreadTurns::default(),
            turn_is_free: false,
            turn_checks: 0,
            turn_started: None,
            pidfd,
            memory,
            breakpoints: Breakpoints::none(registers.machine()),
            suspended_breakpoints: Vec::new(),
            registers,
            registers_changed: false,
            outputs,
            limits: *limits,
            time: RunTime::new(limits.time, pid),
            watchdog,
            name_frames,
            crash: None,
            syscall_instruction: None,
            shared_files: None,
            sources: DeterministicSources::default(),
            substituted: invocation.substituted.clone(),
            private_directory: invocation
                .private_files
                .as_ref()
                .map(|files| files.directory.clone()),
            private_file_written: None,
            cpu_pinning: None,
            sampling: Sampling::Off,
            has_ended: false,
        };
        if limits.fixed_addresses && !has_fixed_addresses(pid)? {
            return Err(ProcessError::Randomized);
        }
        inferior.fix_initial_stack()?;
        Ok(inferior)
    }
}
