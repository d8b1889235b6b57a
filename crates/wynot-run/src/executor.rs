//! Who runs variants: on this machine, or one day on others.

use crate::{ExecutorError, Observation};
use std::time::Duration;

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

/// Runs up to [`slots`](Executor::slots) tests at the same time.
///
/// An executor decides nothing: it starts what it is told to start and reports what it saw.
pub trait Executor {
    /// How many tests can run at the same time.
    fn slots(&self) -> usize;

    /// How many more tests could be started now.
    fn idle(&self) -> usize;

    /// Starts a test of a variant. There must be an idle slot.
    fn start(
        &mut self,
        ticket: Ticket,
        variant: &[u8],
        timeout: Duration,
    ) -> Result<Start, ExecutorError>;

    /// Asks to end a test early; it is still reported, finished or cancelled.
    fn cancel(&mut self, ticket: Ticket) -> Result<(), ExecutorError>;

    /// Waits until a test has finished, the patience has run out or a signal has come.
    fn wait(&mut self, patience: Duration) -> Result<Option<(Ticket, Finished)>, ExecutorError>;
}
