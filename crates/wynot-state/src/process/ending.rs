//! How a program ends.

use super::{Ending, Inferior, ProcessError, Status};
use crate::program::name_frames;
use crate::{Libraries, Machine};
use std::cell::RefCell;
use std::collections::HashSet;
use wynot_crash::{Backtracer, Cause, Crash, is_crash, report};

/// How many functions of a crash are named.
const FUNCTIONS: u8 = 32;

/// How many frames of a program of 32 bits are looked at.
const DEEPEST: usize = 1000;

thread_local! {
    /// It keeps what it has read about programs, and those that run here are mostly the same.
    static BACKTRACER: RefCell<Backtracer> = RefCell::default();
    /// The same for programs of 32 bits.
    static LIBRARIES: RefCell<Libraries> = RefCell::default();
}

impl Inferior {
    /// Finds out where a crash is before its signal is delivered.
    pub(super) fn look_at(&mut self, signal: i32) {
        if is_crash(signal) {
            let crash = match self.machine() {
                Machine::X86_64 => BACKTRACER.with(|tracer| {
                    let mut tracer = tracer.borrow_mut();
                    tracer.begin();
                    tracer.take(self.thread, signal, FUNCTIONS)
                }),
                Machine::I386 => {
                    LIBRARIES.with(|known| self.crash(signal, &mut known.borrow_mut()))
                }
            };
            self.crash = Some((signal, crash));
        }
    }

    /// The crash of a program of 32 bits, which the others do not know how to take apart.
    fn crash(&self, signal: i32, libraries: &mut Libraries) -> Crash {
        let cause = BACKTRACER.with(|tracer| tracer.borrow().cause(self.thread, signal));
        let Ok(areas) = self.areas() else { return Crash::unknown(cause) };
        let files = libraries.loaded(&areas);
        let registers = self.registers.known();
        let (mut frames, complete) =
            name_frames(&files, self.machine(), &registers, &self.memory, DEEPEST);
        if cause != Cause::StackOverflow {
            // Each function counts once.
            let mut seen = HashSet::new();
            frames.retain(|name| seen.insert(name.clone()));
        }
        Crash { cause, frames, complete }
    }

    pub(super) fn ending(&mut self, status: Status) -> Result<Ending, ProcessError> {
        let stdout = self.outputs[0].read(self.limits.output)?;
        let stderr = self.outputs[1].read(self.limits.output)?;
        let reported = || report::read(&stderr).or_else(|| report::read(&stdout));
        let crash: Option<Crash> = match (self.crash.take(), status) {
            (_, Status::TimedOut) => None,
            (seen, _) => reported().or(seen.map(|(_, crash)| crash)),
        };
        let asked_for_terminal = self.chance.terminal;
        Ok(Ending { status, crash, stdout, stderr, asked_for_terminal })
    }
}
