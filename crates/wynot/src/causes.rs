//! More than one cause: searching again in what is left, until that does not fail.

use crate::args::AlgorithmArgs;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::results::numbered;
use crate::strategy::{Found, Status, Surroundings, by_deltas};
use wynot_core::{Configuration, Oracle, Outcome};
use wynot_run::{Journal, Keeper};

/// All causes that were found, and whether there is no other.
pub struct Causes {
    /// The first one, and those that fail without the ones before.
    pub found: Vec<Found>,
    /// What is left does not fail.
    pub complete: bool,
}

/// Searches over deltas; with `all`, again and again without what was found.
pub fn search(
    plan: &Plan,
    args: &AlgorithmArgs,
    all: bool,
    mut surroundings: Surroundings<'_>,
) -> Result<Causes, Failure> {
    let mut left = Configuration::full(plan.subject().deltas());
    let mut causes = Causes { found: Vec::new(), complete: false };
    loop {
        let keeper = Keeper {
            failing: numbered(&plan.keeper.failing, causes.found.len() + 1),
            passing: plan.keeper.passing.clone(),
            places: plan.keeper.places.clone(),
            tag: plan.keeper.tag.clone(),
            mode: plan.keeper.mode,
        };
        let mut found = by_deltas(plan, &keeper, args, left.clone(), &mut surroundings);
        let cause = found.sides.as_ref().map(|sides| sides.failing.clone()).unwrap_or_default();
        left = left.minus(&cause);
        let settled = matches!(found.status, Status::Minimal);
        if !all || !settled || left.is_empty() {
            causes.found.push(found);
            causes.complete = all && settled;
            return Ok(causes);
        }
        // What is known by now helps with what comes.
        let records = Journal::read(&plan.session).map_err(|error| Failure::unexpected(&error))?;
        surroundings.past = records.into();
        let mut session = surroundings.session(&keeper, plan.subject(), args.assume_monotone);
        let outcome = session.each(std::iter::once(left.clone()));
        found.counts = found.counts.and(&session.counts());
        match outcome.as_deref() {
            Ok([Outcome::Fail]) => causes.found.push(found),
            Ok(_) => {
                causes.found.push(found);
                causes.complete = true;
                return Ok(causes);
            }
            Err(_) => {
                found.status = outcome.map_or_else(Status::Stopped, |_| Status::Minimal);
                causes.found.push(found);
                return Ok(causes);
            }
        }
    }
}
