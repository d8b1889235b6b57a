//! The build before a test. It shares the directory and the time limit of the test, but decides no outcome by itself.

use super::build_products::{self, BuildProducts};
use super::protocol::{Run, SupervisorReply};
use super::supervise::{CLEAN, Cancellation, EndCause, Supervisor, own_cpu, scratch_error};
use crate::{BUILD_FAILED, Ending, Observation, Output};
use std::io;
use std::time::Instant;

impl Supervisor {
    /// Runs the build of a test, if there is one. Returns a reply if the test cannot run afterwards.
    pub(crate) fn build(
        &mut self,
        run: &Run,
        started: Instant,
    ) -> io::Result<Option<SupervisorReply>> {
        let (test_dir, since) = (usize::from(run.test_dir), build_products::now());
        let launcher = &self.test_dirs[test_dir];
        let leader = match launcher.start_build(&self.limits, run.call.as_ref(), &self.stderr) {
            Ok(Some(leader)) => leader,
            Ok(None) => return Ok(None),
            Err(error) => {
                return Ok(Some(SupervisorReply::CannotStart {
                    errno: error.raw_os_error().unwrap_or_default(),
                }));
            }
        };
        let tracer = self.tracer.take();
        // A build that is killed leaves products that do not fit together, and the next one would start from nothing.
        let result = self.wait_and_kill(leader, run, Cancellation::AtEnd);
        self.tracer = tracer;
        let ((cause, is_cancelled), status) = result?;
        let Some(status) = status else { return Ok(Some(SupervisorReply::Immortal)) };
        let printed = self.stderr.finish()?;
        let path = self.test_dirs[test_dir].path.clone();
        // A killed build may have left incomplete files.
        let products = match (cause, status.code()) {
            (EndCause::Ended, Some(_)) => BuildProducts::of(&path).map(Some),
            _ => build_products::remove_changed_since(&path, since).map(|lost| {
                self.test_dirs[test_dir].lost_products = lost;
                None
            }),
        };
        match products {
            Ok(products) => self.test_dirs[test_dir].products = products,
            Err(error) => return Ok(Some(scratch_error(CLEAN, &error))),
        }
        let mut message = printed.kept;
        match cause {
            _ if is_cancelled => {
                return Ok(Some(match self.clean(test_dir) {
                    Ok(changed) => SupervisorReply::Cancelled { job: run.job, changed },
                    Err(error) => scratch_error(CLEAN, &error),
                }));
            }
            EndCause::Ended if status.code() == Some(0) => return Ok(None),
            EndCause::Ended | EndCause::Cancelled => {}
            EndCause::TimedOut => message
                .extend_from_slice(b"\nwynot: the build took too long; --timeout allows more time"),
            EndCause::Exceeded(limit) => {
                message.extend_from_slice(
                    format!("\nwynot: {}", limit.message(&self.limits)).as_bytes(),
                );
            }
        }
        if !message.ends_with(b"\n") {
            message.push(b'\n');
        }
        message.extend_from_slice(BUILD_FAILED);
        self.unresolved(run, started, message).map(Some)
    }

    /// The reply for a test that was not run: an unresolved observation with a message on standard error.
    pub(crate) fn unresolved(
        &mut self,
        run: &Run,
        started: Instant,
        message: Vec<u8>,
    ) -> io::Result<SupervisorReply> {
        let changed = match self.clean(usize::from(run.test_dir)) {
            Ok(changed) => changed,
            Err(error) => return Ok(scratch_error(CLEAN, &error)),
        };
        let observation = Observation {
            ending: Ending::Exit(125),
            stdout: Output::default(),
            stderr: Output { total: message.len() as u64, kept: message },
            elapsed: started.elapsed(),
            cpu: self.clock.used().cpu,
            waited: self.clock.used().waited,
            memory: self.peak_memory,
            build: self.clock.used().time(),
            crash: None,
            read: None,
        };
        let (job, overrun) = (run.job, self.clock.overrun());
        let observation = Box::new(observation);
        Ok(SupervisorReply::Observed { job, observation, overrun, own_cpu: own_cpu(), changed })
    }
}
