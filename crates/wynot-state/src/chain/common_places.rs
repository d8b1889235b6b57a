//! The places that both runs come to.

use super::stop_alignment::{Exactness, TracedStop, align_stops};
use super::stop_trace::{StopTrace, TraceExtent};
use crate::experiment::common_place::CommonPlace;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::other_stops::OtherStops;
use crate::experiment::run_pair::RunPair;
use crate::experiment::stop_point::StopPoint;
use crate::process::{InferiorLimits, RunEnd};
use wynot_crash::{Cause, Crash};

/// The factor between the time of the passing run and the time in which one that does not end must come to further stops.
pub(crate) const HANGING_RUN_FACTOR: u32 = 3;

/// The number of stops of a run that does not end, if the passing run has none.
const MIN_HANGING_STOPS: usize = 10_000;

/// The further stops of a run that does not end for each one of the passing run.
const HANGING_STOPS_FACTOR: usize = 2;

/// The number of stops at the end of a run whose addresses are remembered.
const MAX_LAST_STOPS: usize = 100;

/// The places that two runs have in common, and how the runs end.
#[derive(Clone, Debug)]
pub struct CommonPlaces {
    /// The places that both runs come to, in the order of execution.
    pub places: Vec<CommonPlace>,
    /// How the passing run ends.
    pub passing: RunEnd,
    /// How the failing run ends.
    pub failing: RunEnd,
    /// The addresses that the failing run came to last, the last one first, each once.
    pub last_addresses: Vec<u64>,
    /// Whether one of the runs has several threads.
    pub has_threads: bool,
    /// Where the other passing runs come to the same places.
    pub others: OtherStops,
}

/// Runs both programs to their ends and finds out at which of some addresses they come to common places.
pub fn find_common_places(
    runs: &RunPair<'_>,
    watched: &[u64],
) -> Result<CommonPlaces, ExperimentError> {
    let (passing, failing) = trace_both(runs, watched)?;
    let whole = (0..passing.stops.len(), 0..failing.stops.len());
    let places = align_stops(&passing.stops, &failing.stops, &whole, exactness(&failing.ending));
    let mut last_addresses: Vec<u64> = Vec::new();
    for stop in failing.stops.iter().rev().take(MAX_LAST_STOPS) {
        if !last_addresses.contains(&stop.address) {
            last_addresses.push(stop.address);
        }
    }
    let has_threads = passing.has_threads || failing.has_threads;
    let others = find_other_stops(runs, watched, &failing)?;
    let (passing, failing) = (passing.ending, failing.ending);
    Ok(CommonPlaces { places, passing, failing, last_addresses, has_threads, others })
}

/// The places between two others, or between one and the end, that both runs come to. The stops there are aligned by
/// themselves: what comes before and after does not matter. And where the other passing runs come to them.
pub(crate) fn find_places_between(
    runs: &RunPair<'_>,
    watched: &[u64],
    from: CommonPlace,
    to: Option<CommonPlace>,
) -> Result<(Vec<CommonPlace>, OtherStops), ExperimentError> {
    let (passing, failing) = trace_both(runs, watched)?;
    let range = |stops: &[TracedStop], point: &dyn Fn(CommonPlace) -> StopPoint| {
        let start = index_of(stops, point(from)).map_or(stops.len(), |index| index + 1);
        let end = to.and_then(|to| index_of(stops, point(to))).unwrap_or(stops.len());
        start..end.max(start)
    };
    let ranges = (
        range(&passing.stops, &CommonPlace::in_passing),
        range(&failing.stops, &CommonPlace::in_failing),
    );
    let places = align_stops(&passing.stops, &failing.stops, &ranges, exactness(&failing.ending));
    Ok((places, find_other_stops(runs, watched, &failing)?))
}

/// Where the other passing runs come to the stops of the failing run.
fn find_other_stops(
    runs: &RunPair<'_>,
    watched: &[u64],
    failing: &StopTrace,
) -> Result<OtherStops, ExperimentError> {
    let mut found = OtherStops::default();
    for (number, other) in runs.others.iter().enumerate() {
        let other = StopTrace::of(runs, other, &runs.limits, watched, TraceExtent::ToEnd)?;
        let whole = (0..other.stops.len(), 0..failing.stops.len());
        let places = align_stops(&other.stops, &failing.stops, &whole, exactness(&failing.ending));
        found.add(number, &places);
    }
    Ok(found)
}

/// Which stops may correspond if the failing run ends in this way.
fn exactness(failing: &RunEnd) -> Exactness {
    let overflows = |crash: &Crash| crash.cause == Cause::StackOverflow;
    match failing.crash.as_ref().is_some_and(overflows) {
        true => Exactness::SamePaths,
        false => Exactness::OtherDepths,
    }
}

/// The index of a stop.
pub(crate) fn index_of(stops: &[TracedStop], point: StopPoint) -> Option<usize> {
    let hits = stops.iter().enumerate().filter(|(_, stop)| stop.address == point.address);
    hits.map(|(index, _)| index).nth(point.hit.checked_sub(1)? as usize)
}

/// Runs both programs to their ends and records where they stop.
pub(crate) fn trace_both(
    runs: &RunPair<'_>,
    watched: &[u64],
) -> Result<(StopTrace, StopTrace), ExperimentError> {
    let passing = StopTrace::of(runs, &runs.passing, &runs.limits, watched, TraceExtent::ToEnd)?;
    if !runs.hangs {
        let failing =
            StopTrace::of(runs, &runs.failing, &runs.limits, watched, TraceExtent::ToEnd)?;
        return Ok((passing, failing));
    }
    let time = HANGING_RUN_FACTOR * (passing.used + runs.experiment_timeout);
    let limits = InferiorLimits { time: time.min(runs.limits.time), ..runs.limits };
    let stops = MIN_HANGING_STOPS + HANGING_STOPS_FACTOR * passing.stops.len();
    let failing = StopTrace::of(runs, &runs.failing, &limits, watched, TraceExtent::Stops(stops))?;
    Ok((passing, failing))
}
