//! The build before a test: part of it in time and place, but what it prints or does is no outcome.

use super::build_products::{self, BuildProducts};
use super::protocol::{Reply, Run};
use super::supervise::{CLEAN, Over, Supervisor, own_cpu, scratch};
use std::io;
use std::time::Instant;
use wynot_session::{BUILD_FAILED, Ending, Observation, Output};

/// How many of the last lines of a build are told.
const MAX_LINES_QUOTED: usize = 20;

impl Supervisor {
    /// Builds in the room of a test, if that is wanted; what is to be said if it gets no further.
    pub(crate) fn build(&mut self, run: &Run, started: Instant) -> io::Result<Option<Reply>> {
        let (test_dir, since) = (usize::from(run.test_dir), build_products::now());
        let leader = match self.test_dirs[test_dir].start_build(&self.limits, &self.stderr) {
            Ok(Some(leader)) => leader,
            Ok(None) => return Ok(None),
            Err(error) => {
                return Ok(Some(Reply::CannotStart {
                    errno: error.raw_os_error().unwrap_or_default(),
                }));
            }
        };
        let tracer = self.tracer.take();
        let attended = self.attend(leader, run, started);
        self.tracer = tracer;
        let (over, status) = attended?;
        let Some(status) = status else { return Ok(Some(Reply::Immortal)) };
        let printed = self.stderr.finish()?;
        let path = self.test_dirs[test_dir].path.clone();
        // Who was killed may have left halves of files.
        let looked = match (over, status.exit_status()) {
            (Over::Ended, Some(_)) => BuildProducts::of(&path).map(Some),
            _ => build_products::take_back(&path, since).map(|()| None),
        };
        match looked {
            Ok(products) => self.test_dirs[test_dir].products = products,
            Err(error) => return Ok(Some(scratch(CLEAN, &error))),
        }
        let mut said = printed.last_lines(MAX_LINES_QUOTED).join("\n").into_bytes();
        match over {
            Over::Ended if status.exit_status() == Some(0) => return Ok(None),
            Over::Ended => {}
            Over::TimedOut => {
                said.extend_from_slice(b"\nwynot: the build took too long; --timeout gives it more")
            }
            Over::Cancelled => {
                return Ok(Some(match self.clean(test_dir) {
                    Ok(disturbed) => Reply::Cancelled { job: run.job, disturbed },
                    Err(error) => scratch(CLEAN, &error),
                }));
            }
        }
        said.push(b'\n');
        said.extend_from_slice(BUILD_FAILED);
        self.unresolved(run, started, said).map(Some)
    }

    /// The answer about a test that was not run.
    pub(crate) fn unresolved(
        &mut self,
        run: &Run,
        started: Instant,
        said: Vec<u8>,
    ) -> io::Result<Reply> {
        let disturbed = match self.clean(usize::from(run.test_dir)) {
            Ok(disturbed) => disturbed,
            Err(error) => return Ok(scratch(CLEAN, &error)),
        };
        let observation = Observation {
            ending: Ending::Exit(125),
            stdout: Output::default(),
            stderr: Output { total: said.len() as u64, kept: said },
            elapsed: started.elapsed(),
            crash: None,
        };
        Ok(Reply::Observed { job: run.job, observation, own_cpu: own_cpu(), disturbed })
    }
}
