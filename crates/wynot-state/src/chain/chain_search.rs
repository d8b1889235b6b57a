//! Finding the chain: what decides at which place, and where that changes.
//!
//! Both runs are stopped at a few common places, from `main` to the last one before the failure. Between two
//! places with different causes there is a transition (Cleve and Zeller 2005). It is narrowed down, first to
//! consecutive calls, then to lines.

use super::call_search::narrow_to_calls;
use super::cause_chain::CauseEffectChain;
use super::common_places::CommonPlaces;
use super::line_search::narrow_to_lines;
use super::own_lines::{Stretch, own_lines};
use super::place_choice::PlaceOrder;
use super::place_examiner::{ChainOptions, PlaceExaminer};
use super::transition_lines::transition_lines;
use crate::experiment::common_place::CommonPlace;
use crate::experiment::other_stops::OtherStops;
use crate::experiment::place_oracle::ExperimentOracles;
use crate::experiment::run_pair::RunPair;

/// Finds the chain through the calls that two runs have in common.
pub fn find_chain<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    common: &CommonPlaces,
    oracles: &O,
    options: &ChainOptions<'_>,
) -> CauseEffectChain<O::Stop> {
    let mut examiner = PlaceExaminer::new(runs, oracles, options);
    if common.has_threads {
        // The threads of two programs side by side would compete for processors, and the order of some calls with it.
        examiner.jobs = 1;
    }
    examiner.others.merge(common.others.clone());
    narrow_to_calls(&mut examiner, common);
    let transitions = examiner.examined.transitions();
    // The limit on places is best spent on the lines before the failure, and on the latest transitions.
    if let Some(last) = examiner.examined.last_cause() {
        narrow_to_lines(&mut examiner, last, None);
    }
    for (before, after) in transitions.into_iter().rev() {
        narrow_to_lines(&mut examiner, before, Some(after));
    }
    with_lines(runs, examiner.into_chain(), oracles)
}

/// Examines the given places only; `others` says where the other passing runs come to them.
pub fn find_chain_at<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    places: &[CommonPlace],
    others: OtherStops,
    oracles: &O,
    options: &ChainOptions<'_>,
) -> CauseEffectChain<O::Stop> {
    let mut examiner = PlaceExaminer::new(runs, oracles, options);
    examiner.others = others;
    examiner.examine((0..).map(PlaceOrder::of_call).zip(places.iter().copied()));
    with_lines(runs, examiner.into_chain(), oracles)
}

/// A chain with the lines of its transitions, unless its search was stopped.
fn with_lines<O: ExperimentOracles>(
    runs: &RunPair<'_>,
    mut chain: CauseEffectChain<O::Stop>,
    oracles: &O,
) -> CauseEffectChain<O::Stop> {
    if chain.stopped.is_some() {
        return chain;
    }
    let steps = chain.steps();
    let transitions: Vec<_> = steps.windows(2).map(|two| (two[0].last, two[1].first)).collect();
    let nexts = steps.iter().skip(1).map(|step| Some(step.first.place)).chain([None]);
    let stretches: Vec<Stretch> =
        steps.iter().zip(nexts).map(|(step, to)| Stretch { from: step.last.place, to }).collect();
    let found = transition_lines(runs, &transitions)
        .and_then(|lines| Ok((lines, own_lines(runs, &stretches)?)));
    match found {
        Ok((lines, own)) => {
            let places = transitions.iter().map(|(_, after)| after.place);
            chain.transition_lines = places.zip(lines).collect();
            let places = stretches.iter().map(|stretch| stretch.from);
            chain.own_lines = places.zip(own).collect();
        }
        Err(error) => chain.stopped = Some(oracles.stop_after(error)),
    }
    chain
}
