//! The published algorithms over the deltas of a subject.

use super::confirm::{Confirmed, confirm, confirm_pair};
use super::engine::Engine;
use super::found::Found;
use crate::plan::Plan;
use crate::request::{Algorithm, AlgorithmOptions};
use wynot_core::{
    Configuration, Grouping, Isolated, Mapped, Oracle, Permitted, Stopped, dd, dd_by_levels, ddmax,
    ddmax_by_levels, ddmin, ddmin_by_levels, ddmin_next, ddmin_next_by_levels, gather_by_levels,
    larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_session::{Certificate, Compose, Extremum, ResultFiles};

/// Simplifies or isolates over deltas, from a configuration that fails.
pub(super) fn search_deltas(
    plan: &Plan,
    results: &ResultFiles,
    options: &AlgorithmOptions,
    failing: Configuration,
    engine: &mut Engine<'_>,
) -> Found {
    let subject = plan.subject();
    let original_rate = engine.rate;
    let session = engine.session(subject, results);
    let mut session = session.assuming_monotony(options.assume_monotone);
    let start = Isolated { passing: Configuration::empty(), failing };
    let protection = &plan.protection;
    let permits = |candidate: &Configuration| {
        protection.is_empty() || protection.permits(&subject.variant(candidate))
    };
    let mut oracle = Permitted::new(&mut session, permits);
    let found = search_in(plan, usize::from(options.minimality), &start.failing, &mut oracle);
    let (mut sides, search_end) = match found {
        Ok(sides) => {
            let proved = certificate(plan.algorithm, options, &subject.level_names());
            let proved = proved.resting_on(session.timeouts_since_step());
            (sides, Ok(Some(proved.apart_from(&protection.exceptions()))))
        }
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let confirmed = match plan.algorithm.isolates() {
        true => confirm_pair(search_end, &start, &sides, &mut session),
        false => {
            let candidate = (sides.failing != start.failing).then(|| sides.failing.clone());
            let confirmed = confirm(search_end, candidate, original_rate, &mut session);
            sides.failing = confirmed.candidate.clone().unwrap_or(start.failing);
            confirmed
        }
    };
    let Confirmed { status, certificate, rate, .. } = confirmed;
    Found {
        status,
        certificate,
        failing: subject.variant(&sides.failing),
        passing: subject.variant(&sides.passing),
        deltas: sides.failing.len() as u64,
        sides: Some(sides),
        counts: session.counts(),
        passes: Vec::new(),
        rate,
    }
}

/// The certificate of an algorithm that has finished, over levels with these names.
pub(super) fn certificate(
    algorithm: Algorithm,
    options: &AlgorithmOptions,
    levels: &[&str],
) -> Certificate {
    let extremum = match algorithm {
        Algorithm::Ddmax => Extremum::Maximal,
        _ => Extremum::Minimal,
    };
    let finest = levels.last().copied().unwrap_or_default().to_owned();
    Certificate {
        extremum,
        order: options.minimality,
        atoms: vec![finest],
        timeouts: 0,
        apart_from: Box::default(),
    }
}

/// Runs the algorithm over the deltas that are left.
fn search_in<O: Oracle<Configuration>>(
    plan: &Plan,
    minimality: usize,
    left: &Configuration,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let levels = plan.subject().levels();
    let start = |failing| Isolated { passing: Configuration::empty(), failing };
    if left.len() == plan.subject().deltas() as usize {
        return narrow(plan.algorithm, levels, minimality, start(left.clone()), oracle);
    }
    // The deltas that are left are renumbered, so that the levels nest although some deltas are missing.
    let levels: Vec<Grouping> = levels.iter().map(|level| level.within(left)).collect();
    let old_numbers: Vec<u32> = left.iter().collect();
    let renumber_back = |configuration: &Configuration| {
        Configuration::from_deltas(configuration.iter().map(|delta| old_numbers[delta as usize]))
    };
    let renumber_sides_back = |sides: &Isolated| Isolated {
        passing: renumber_back(&sides.passing),
        failing: renumber_back(&sides.failing),
    };
    let all = start(Configuration::full(left.len() as u32));
    let mut oracle = Mapped::new(&mut *oracle, renumber_back);
    match narrow(plan.algorithm, &levels, minimality, all, &mut oracle) {
        Ok(sides) => Ok(renumber_sides_back(&sides)),
        Err(Stopped { best, cause }) => Err(Stopped { best: renumber_sides_back(&best), cause }),
    }
}

/// Runs the algorithm, and repeats it as long as the check for n-minimality finds a smaller difference.
pub(super) fn narrow<O: Oracle<Configuration>>(
    algorithm: Algorithm,
    levels: &[Grouping],
    minimality: usize,
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = match algorithm {
        Algorithm::Ddmin | Algorithm::Smart => {
            as_sides(ddmin_by_levels(levels, start.failing, oracle))?
        }
        Algorithm::DdminNext => as_sides(ddmin_next_by_levels(levels, start.failing, oracle))?,
        Algorithm::Gather => as_sides(gather_by_levels(levels, start.failing, oracle))?,
        Algorithm::Dd => dd_by_levels(levels, start, oracle)?,
        Algorithm::Ddmax => ddmax_by_levels(levels, start, oracle)?,
    };
    if minimality == 1 {
        return Ok(sides);
    }
    loop {
        let closer = match algorithm {
            Algorithm::Ddmin | Algorithm::DdminNext | Algorithm::Gather | Algorithm::Smart => {
                smaller_failing(&sides.failing, minimality, oracle)
                    .map(|smaller| smaller.map(|failing| Isolated { failing, ..sides.clone() }))
            }
            Algorithm::Dd | Algorithm::Ddmax => {
                larger_passing_or_smaller_failing(&sides, minimality, oracle)
            }
        };
        sides = match closer {
            Ok(None) => return Ok(sides),
            Ok(Some(closer)) => match algorithm {
                Algorithm::Ddmin | Algorithm::Gather | Algorithm::Smart => {
                    as_sides(ddmin(closer.failing, oracle))?
                }
                Algorithm::DdminNext => as_sides(ddmin_next(closer.failing, oracle))?,
                Algorithm::Dd => dd(closer, oracle)?,
                Algorithm::Ddmax => ddmax(closer, oracle)?,
            },
            Err(cause) => return Err(Stopped { best: sides, cause }),
        };
    }
}

/// The result of simplifying as two sides; the passing side is empty.
fn as_sides<S>(
    result: Result<Configuration, Stopped<Configuration, S>>,
) -> Result<Isolated, Stopped<Isolated, S>> {
    let sides = |failing| Isolated { passing: Configuration::empty(), failing };
    result.map(sides).map_err(|Stopped { best, cause }| Stopped { best: sides(best), cause })
}
