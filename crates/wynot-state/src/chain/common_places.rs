//! The places that both runs come to.

use super::stop_alignment::align_stops;
use super::stop_trace::StopTrace;
use crate::experiment::common_place::CommonPlace;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::run_pair::RunPair;
use crate::process::{Invocation, RunEnd};
use std::sync::atomic::Ordering;

/// The places that two runs have in common, and how the runs end.
#[derive(Clone, Debug)]
pub struct CommonPlaces {
    /// The places that both runs come to, in the order of execution.
    pub places: Vec<CommonPlace>,
    /// How the passing run ends.
    pub passing: RunEnd,
    /// How the failing run ends.
    pub failing: RunEnd,
}

/// Runs both programs to their ends and finds out at which of some addresses they come to common places.
pub fn find_common_places(
    runs: &RunPair<'_>,
    watched: &[u64],
) -> Result<CommonPlaces, ExperimentError> {
    let trace = |invocation: &Invocation| match runs.stop.load(Ordering::Relaxed) {
        true => Err(ExperimentError::Interrupted),
        false => Ok(StopTrace::of(runs.program, invocation, &runs.limits, watched)?),
    };
    let (passing, failing) = (trace(&runs.passing)?, trace(&runs.failing)?);
    let places = align_stops(&passing.stops, &failing.stops);
    Ok(CommonPlaces { places, passing: passing.ending, failing: failing.ending })
}
