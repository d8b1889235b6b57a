//! The build before a test: part of it in time and place, but what it prints or does is no outcome.

use crate::observation::BUILD_FAILED;
use crate::products::{self, Products};
use crate::supervisor::{CLEAN, Over, Supervisor, own_cpu, scratch};
use crate::wire::{Reply, Run};
use crate::{Ending, Observation, Output};
use std::io;
use std::time::Instant;

/// How many of the last lines of a build are told.
const TOLD: usize = 20;

impl Supervisor {
    /// Builds in the room of a test, if that is wanted; what is to be said if it gets no further.
    pub(crate) fn build(&mut self, run: &Run, started: Instant) -> io::Result<Option<Reply>> {
        let (room, since) = (usize::from(run.room), products::now());
        let leader = match self.rooms[room].start_build(&self.limits, &self.stderr) {
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
        let path = self.rooms[room].path.clone();
        // Who was killed may have left halves of files.
        let looked = match (over, status.exit_status()) {
            (Over::Ended, Some(_)) => Products::of(&path).map(Some),
            _ => products::take_back(&path, since).map(|()| None),
        };
        match looked {
            Ok(products) => self.rooms[room].products = products,
            Err(error) => return Ok(Some(scratch(CLEAN, &error))),
        }
        let mut said = printed.last_lines(TOLD).join("\n").into_bytes();
        match over {
            Over::Ended if status.exit_status() == Some(0) => return Ok(None),
            Over::Ended => {}
            Over::TimedOut => {
                said.extend_from_slice(b"\nwynot: the build took too long; --timeout gives it more")
            }
            Over::Cancelled => {
                return Ok(Some(match self.clean(room) {
                    Ok(disturbed) => Reply::Cancelled { ticket: run.ticket, disturbed },
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
        let disturbed = match self.clean(usize::from(run.room)) {
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
        Ok(Reply::Observed { ticket: run.ticket, observation, own_cpu: own_cpu(), disturbed })
    }
}
