//! Who runs variants: on this machine, or one day on others.

use crate::{ExecutorError, Observation, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use wynot_subjects::Variant;

/// How long to wait at most before looking whether time is up or a signal has come.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Names a test that was started.
pub type Ticket = u64;

/// How a test that was started came to its end.
#[derive(Debug)]
pub enum Finished {
    /// It was observed.
    Observed(Observation),
    /// It was cancelled before it ended.
    Cancelled,
}

/// What became of a request to start a test.
#[derive(Debug, PartialEq, Eq)]
pub enum Start {
    /// It runs.
    Running,
    /// There is no room for the variant as long as the other tests run.
    NoRoom,
}

/// Runs tests, several at the same time, and may take a few more to run next.
///
/// An executor decides nothing: it starts what it is told to start and reports what it saw.
pub trait Executor {
    /// How many more tests it takes now.
    fn idle(&self) -> usize;

    /// Starts a test of a variant, or lines it up. It must have said that it takes one more.
    fn start(
        &mut self,
        ticket: Ticket,
        variant: &Variant,
        timeout: Duration,
    ) -> Result<Start, ExecutorError>;

    /// Asks to end a test early; it is still reported, finished or cancelled.
    fn cancel(&mut self, ticket: Ticket) -> Result<(), ExecutorError>;

    /// Waits until a test has finished, the patience has run out or a signal has come.
    fn wait(&mut self, patience: Duration) -> Result<Option<(Ticket, Finished)>, ExecutorError>;
}

/// Runs one test by itself and waits for its end.
pub fn observe(
    executor: &mut impl Executor,
    variant: &Variant,
    timeout: Duration,
    interrupt: &AtomicBool,
) -> Result<Observation, Stop> {
    if executor.start(Ticket::MAX, variant, timeout)? == Start::NoRoom {
        let source = std::io::Error::from(std::io::ErrorKind::StorageFull);
        let path = std::path::PathBuf::from("a variant");
        return Err(ExecutorError::Scratch { action: "write", path, source }.into());
    }
    loop {
        match executor.wait(TICK)? {
            Some((Ticket::MAX, Finished::Observed(observation))) => return Ok(observation),
            _ if interrupt.load(Ordering::Relaxed) => return Err(Stop::Interrupted),
            _ => {}
        }
    }
}
