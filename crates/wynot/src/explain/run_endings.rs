//! How the runs end, before any experiment, and how much time experiments get.

use super::error::refuse;
use super::run_observation::observation;
use super::runs::ComparedRuns;
use super::time_limits::{experiment_timeout, failing_run_limit};
use crate::error::Error;
use std::time::{Duration, Instant};
use wynot_state::dwarf::{Program, name_frames};
use wynot_state::endless_functions;
use wynot_state::process::{ExitStatus, Inferior, InferiorLimits, Invocation, RunEnd};

/// The ends of all runs.
pub(super) struct RunEndings {
    pub passing: RunEnd,
    pub failing: RunEnd,
    /// How the further runs end that should pass.
    pub others: Vec<RunEnd>,
    /// How the failing run ends at random addresses, in words, if it ends differently there.
    pub uncontrolled: Option<String>,
    /// The time that an experiment may use.
    pub timeout: Duration,
    /// The functions that the failing run does not leave, innermost first, if it does not end.
    pub endless_functions: Vec<String>,
}

impl RunEndings {
    /// Runs all; `timeout` is the time that the user gives each run.
    pub fn observe(
        runs: &ComparedRuns,
        program: &Program,
        timeout: Option<Duration>,
    ) -> Result<Self, Error> {
        let (passing, passing_time) = run_uninterrupted(&runs.passing, &runs.limits)?;
        let limit = timeout.unwrap_or_else(|| failing_run_limit(passing_time));
        let limits = InferiorLimits { time: limit, ..runs.limits };
        let (failing, failing_time) = run_uninterrupted(&runs.failing, &limits)?;
        let other_ending_of = |other| run_uninterrupted(other, &limits).map(|(ending, _)| ending);
        let others = runs.others.iter().map(other_ending_of).collect::<Result<_, _>>()?;
        let hangs = failing.status == ExitStatus::TimedOut;
        let slower = if hangs { passing_time } else { passing_time.max(failing_time) };
        let timeout = timeout.unwrap_or_else(|| experiment_timeout(slower, hangs));
        let uncontrolled = other_ending(&runs.failing, &failing, &limits)?;
        let endless_functions = match hangs {
            true => endless_functions(program, &runs.failing, &limits, slower + timeout)
                .map_err(|error| refuse(&error.into()))?,
            false => Vec::new(),
        };
        Ok(Self { passing, failing, others, uncontrolled, timeout, endless_functions })
    }
}

/// How the failing run ends at other addresses, in words, if it ends differently: then the failure depends on addresses,
/// which are the same for all runs that are compared.
fn other_ending(
    invocation: &Invocation,
    controlled: &RunEnd,
    limits: &InferiorLimits,
) -> Result<Option<String>, Error> {
    if controlled.status == ExitStatus::TimedOut {
        return Ok(None);
    }
    let limits = InferiorLimits { fixed_addresses: false, ..*limits };
    let (free, _) = run_uninterrupted(invocation, &limits)?;
    let words = |ending: &RunEnd| observation(ending.clone()).ending;
    Ok((free.status != controlled.status).then(|| {
        let (free, controlled) = (words(&free), words(controlled));
        format!("at random addresses, the failing run ends with {free}; at fixed ones, with {controlled}")
    }))
}

/// Runs a command to its end without experiments; its ending, and how long it took.
fn run_uninterrupted(
    invocation: &Invocation,
    limits: &InferiorLimits,
) -> Result<(RunEnd, Duration), Error> {
    let started = Instant::now();
    let ending = Inferior::start(invocation, limits, name_frames)
        .and_then(|mut inferior| inferior.finish(limits.time))
        .map_err(|error| refuse(&error.into()))?;
    Ok((ending, started.elapsed()))
}
