//! The crash, and the end, of a program.

use super::Inferior;
use crate::process::error::ProcessError;
use crate::process::run_end::{ExitStatus, RunEnd};
use std::cell::RefCell;
use std::collections::HashSet;
use wynot_crash::{Backtracer, Cause, Crash, VariantFiles, reports};
use wynot_process::Machine;
use wynot_process::signal::is_crash;

/// The number of functions of a crash that are named.
const MAX_CRASH_FUNCTIONS: u8 = 32;

thread_local! {
    /// Keeps what it has read about programs, since those that run here are mostly the same.
    static BACKTRACER: RefCell<Backtracer> = RefCell::default();
}

impl Inferior {
    /// Takes the backtrace of a crash before its signal is delivered. Does nothing for other signals.
    pub(super) fn record_crash(&mut self, signal: i32) {
        if !is_crash(signal) {
            return;
        }
        self.crash = Some(BACKTRACER.with(|tracer| {
            let mut tracer = tracer.borrow_mut();
            match self.machine() {
                Machine::X86_64 => {
                    tracer.forget_last_thread();
                    tracer.backtrace(self.thread, signal, MAX_CRASH_FUNCTIONS)
                }
                Machine::I386 => self.crash_with_named_frames(tracer.cause(self.thread, signal)),
            }
        }));
    }

    /// The crash of a 32-bit program, whose stack the backtracer cannot unwind.
    fn crash_with_named_frames(&self, cause: Cause) -> Crash {
        let Ok(map) = self.memory_map() else { return Crash::without_frames(cause) };
        let (mut frames, complete) = (self.name_frames)(&map, &self.registers, &self.memory);
        if cause != Cause::StackOverflow {
            // As in backtraces of 64-bit programs, each function counts once.
            let mut seen = HashSet::new();
            frames.retain(|name| seen.insert(name.clone()));
        }
        Crash::new(cause, frames, complete)
    }

    /// The end of the run. A crash that the program has reported takes precedence over a backtrace.
    pub(super) fn run_end(&mut self, status: ExitStatus) -> Result<RunEnd, ProcessError> {
        let stdout = self.outputs[0].read(self.limits.output)?;
        let stderr = self.outputs[1].read(self.limits.output)?;
        let crash = match (self.crash.take(), status) {
            (_, ExitStatus::TimedOut) => None,
            (seen, _) => reports::read_run(&stdout, &stderr, seen, &VariantFiles::default()),
        };
        let asked_for_terminal = self.sources.asked_for_terminal;
        Ok(RunEnd { status, crash, stdout, stderr, asked_for_terminal })
    }
}
