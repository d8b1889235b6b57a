//! Stopping a program wherever it is after some time.

use super::Inferior;
use crate::process::error::ProcessError;
use crate::process::run_end::Pause;
use crate::process::tracing::run_time::RunTime;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};
use wynot_process::ptrace;

/// The time by which a run that is sampled may exceed the time of the sample, before it is ended: the thread that was to
/// be stopped may be waiting for others.
const EXCESS: Duration = Duration::from_secs(1);

/// What `SIGSTOP` means to the thread that runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sampling {
    /// Nothing.
    Off,
    /// It stops the program for the caller.
    On,
    /// It was sent when the program had stopped for another reason, and will be reported as soon as it goes on.
    Late,
}

impl Inferior {
    /// Runs to the next breakpoint, to the end, or for some time, which is that of the run: the load of the machine does
    /// not count.
    pub fn run_for(&mut self, time: Duration) -> Result<Pause, ProcessError> {
        let (process, thread) = (self.pid(), self.thread);
        self.time = RunTime::new(time + EXCESS, process);
        let mut sample_time = RunTime::new(time, process);
        let (done, is_done) = mpsc::channel::<()>();
        if self.sampling == Sampling::Off {
            self.sampling = Sampling::On;
        }
        let (pause, is_sent) = thread::scope(|scope| {
            let sampler = scope.spawn(move || {
                while let Some(interval) = sample_time.check() {
                    let started = Instant::now();
                    if is_done.recv_timeout(interval) != Err(RecvTimeoutError::Timeout) {
                        return false;
                    }
                    sample_time.add(started.elapsed());
                }
                // It may have ended.
                ptrace::send_signal(process, thread, libc::SIGSTOP).is_ok()
            });
            let pause = self.resume();
            drop(done);
            (pause, sampler.join().unwrap_or(false))
        });
        // A sample that was reported has switched sampling off.
        self.sampling = match is_sent && self.sampling == Sampling::On {
            true => Sampling::Late,
            false => Sampling::Off,
        };
        pause
    }

    /// Whether a `SIGSTOP` of a tracee is reported to the caller.
    pub(super) fn is_sample(&mut self, tid: i32) -> bool {
        if tid != self.thread {
            return false;
        }
        match self.sampling {
            Sampling::Off => false,
            Sampling::On => true,
            Sampling::Late => {
                self.sampling = Sampling::On;
                false
            }
        }
    }
}
