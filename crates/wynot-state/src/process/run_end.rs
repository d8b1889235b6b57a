//! Where a run has stopped, and how it has ended.

use wynot_crash::Crash;

/// Where a program has stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pause {
    /// At this address, before the instruction there is executed.
    At(u64),
    /// At its end.
    Ended(RunEnd),
}

/// How a run has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// The exit code, the signal, or the time limit that has ended the run.
    pub status: ExitStatus,
    /// The crash that has ended the run, if it was one.
    pub crash: Option<Crash>,
    /// The standard output since the start of the program, up to the limit.
    pub stdout: Vec<u8>,
    /// The standard error since the start of the program, up to the limit.
    pub stderr: Vec<u8>,
    /// Whether the program has asked for a terminal. It has none here, and may behave differently with one.
    pub asked_for_terminal: bool,
}

/// What has ended a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// The program itself, with this exit code.
    Exit(i32),
    /// This signal.
    Signal(i32),
    /// The time limit.
    TimedOut,
}
