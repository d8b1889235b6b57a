//! The end of a controlled run as an observation, which sessions journal and judge, and back.

use std::time::Duration;
use wynot_session::{Ending, Observation, Output};
use wynot_state::process::{ExitStatus, RunEnd};

/// The end of a run as an observation.
pub fn observation(ending: RunEnd) -> Observation {
    let output = |kept: Vec<u8>| Output { total: kept.len() as u64, kept };
    Observation {
        ending: match ending.status {
            ExitStatus::Exit(code) => Ending::Exit(code),
            ExitStatus::Signal(number) => Ending::Signal(number),
            ExitStatus::TimedOut => Ending::Timeout,
        },
        stdout: output(ending.stdout),
        stderr: output(ending.stderr),
        elapsed: Duration::ZERO,
        cpu: Duration::ZERO,
        waited: Duration::ZERO,
        memory: 0,
        build: Duration::ZERO,
        crash: ending.crash,
        read: None,
    }
}

/// An observation as the end of a run; `None` if the run did not reach its place.
pub(super) fn run_end(observation: &Observation) -> Option<RunEnd> {
    let status = match observation.ending {
        Ending::Exit(code) => ExitStatus::Exit(code),
        Ending::Signal(number) => ExitStatus::Signal(number),
        Ending::Timeout => ExitStatus::TimedOut,
        Ending::NotReached => return None,
    };
    Some(RunEnd {
        status,
        crash: observation.crash.clone(),
        stdout: observation.stdout.kept.clone(),
        stderr: observation.stderr.kept.clone(),
        asked_for_terminal: false,
    })
}
