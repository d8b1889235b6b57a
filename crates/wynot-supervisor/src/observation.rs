//! Observations: what one run of a test showed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::ExitStatus;
use std::time::Duration;
use wynot_core::Outcome;
use wynot_crash::{Crash, Symptom, VariantFiles, reports};
use wynot_process::signal;

/// The last line of standard error if the build before a test has failed.
pub const BUILD_FAILED: &[u8] = b"wynot: the build failed\n";

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The test exited with this code.
    Exit(i32),
    /// This signal killed the test.
    Signal(i32),
    /// The test exceeded its time limit and was killed.
    Timeout,
    /// It could not be brought to the point where it is observed: an experiment that does not reach its place.
    NotReached,
}

impl Ending {
    /// How a process has ended that has this status.
    pub(crate) fn of(status: ExitStatus) -> Self {
        match (status.code(), status.signal()) {
            (Some(code), _) => Self::Exit(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Exit(0),
        }
    }

    /// Whether the test timed out, and that is not the failure. With more time, the test might fail.
    pub fn leaves_failure_open(self, outcome: Outcome) -> bool {
        self == Self::Timeout && outcome != Outcome::Fail
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {}", signal::name(*number)),
            Self::Timeout => f.write_str("timeout"),
            Self::NotReached => f.write_str("not reached"),
        }
    }
}

/// The output of a test on one stream: all of it up to a cap, otherwise its beginning and its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Output {
    /// The bytes that were kept.
    pub kept: Vec<u8>,
    /// The number of bytes that the test printed.
    pub total: u64,
}

impl Output {
    /// A digest that identifies the output.
    pub fn digest(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.total.to_le_bytes()).update(&self.kept);
        hasher.finalize().to_hex()[..32].to_owned()
    }

    /// The last `count` lines, each shortened for display in messages.
    pub fn last_lines(&self, count: usize) -> Vec<String> {
        let text = String::from_utf8_lossy(&self.kept);
        let lines: Vec<&str> = text.lines().collect();
        let from = lines.len().saturating_sub(count);
        lines[from..].iter().map(|line| line.chars().take(300).collect()).collect()
    }
}

impl Observation {
    /// A run that ended in this way, and has printed and used nothing.
    pub fn ending_with(ending: Ending) -> Self {
        Self {
            ending,
            stdout: Output::default(),
            stderr: Output::default(),
            elapsed: Duration::ZERO,
            cpu: Duration::ZERO,
            waited: Duration::ZERO,
            build: Duration::ZERO,
            memory: 0,
            crash: None,
            read: None,
        }
    }

    /// The time that the test has used, which depends on the load of the machine as little as possible.
    pub fn time_used(&self) -> Duration {
        self.cpu + self.waited
    }

    /// The time that the test has used after its build.
    pub fn time_after_build(&self) -> Duration {
        self.time_used().saturating_sub(self.build)
    }

    /// Whether the build before the test has failed.
    pub fn did_not_build(&self) -> bool {
        self.ending == Ending::Exit(125) && self.stderr.kept.ends_with(BUILD_FAILED)
    }

    /// Why the run is unresolved, in a few words.
    pub fn reason(&self) -> &'static str {
        match self.ending {
            Ending::Timeout => "timed out",
            Ending::NotReached => "not reached",
            Ending::Exit(_) if self.did_not_build() => "did not build",
            Ending::Exit(125) => "skipped",
            Ending::Exit(0) => "passed, but not as expected",
            Ending::Exit(_) => "failed in another way",
            Ending::Signal(_) => "died in another way",
        }
    }

    /// Whether only a backtrace can say more about the failure: the run died by a signal, itself or a process that it
    /// started, and reported no function.
    pub fn needs_backtrace(&self, variant_files: &VariantFiles) -> bool {
        let crash = self.symptom(variant_files).crash;
        let died = match self.ending {
            Ending::Signal(number) => signal::is_crash(number),
            // A shell adds 128 to the signal of a command.
            Ending::Exit(code) => signal::is_crash(code - 128),
            Ending::Timeout | Ending::NotReached => false,
        };
        match &crash {
            None => died,
            Some(crash) => {
                let is_by_signal =
                    crash.message.as_deref().is_some_and(signal::is_crash_description);
                crash.names_no_function() && (died || is_by_signal)
            }
        }
    }

    /// Takes the crash from what the run has printed, as far as that says more than the crash that was observed.
    pub fn read_crash_reports(&mut self) {
        let (files, crash) = (VariantFiles::default(), self.crash.take());
        self.crash = reports::read_run(&self.stdout.kept, &self.stderr.kept, crash, &files);
    }

    /// By what the run shows its failure.
    pub fn symptom(&self, variant_files: &VariantFiles) -> Symptom {
        Symptom::of(&self.stdout.kept, &self.stderr.kept, self.crash.as_ref(), variant_files)
    }
}

/// The observation of one run of a test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observation {
    /// How the test ended.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Output,
    /// Its standard error.
    pub stderr: Output,
    /// Its duration, for display. It depends on the load of the machine, so it decides nothing.
    pub elapsed: Duration,
    /// The processor time of all its processes.
    pub cpu: Duration,
    /// The time in which all its processes waited for something else than a processor.
    pub waited: Duration,
    /// The part of both that the build before the test has used.
    pub build: Duration,
    /// The peak of the resident memory of its largest process, in bytes.
    pub memory: u64,
    /// The crash, if crash detection is on and found one.
    pub crash: Option<Crash>,
    /// The files of the varying folder that it has read, if that was recorded.
    pub read: Option<BTreeSet<PathBuf>>,
}
