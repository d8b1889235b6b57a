//! More than one cause: searching again in what is left, until that does not fail.

use crate::args::AlgorithmArgs;
use crate::failure::Failure;
use crate::plan::Plan;
use crate::results::numbered;
use crate::strategy::{Found, Status, Surroundings, by_deltas, by_syntax};
use wynot_core::{Configuration, Oracle, Outcome, Stopped, gather};
use wynot_reduce::Hooks;
use wynot_run::{Compose, Counts, Keeper};
use wynot_subjects::{Circumstances, Subject};

/// All causes that were found, and whether there is no other.
pub struct Causes {
    /// The first one, and those that fail without the ones before.
    pub found: Vec<Found>,
    /// What is left does not fail.
    pub complete: bool,
}

impl Causes {
    /// Counts outcomes that other parts of this search have found out as what they are: shared.
    pub fn without_earlier_runs(mut self) -> Self {
        for Found { counts, .. } in &mut self.found {
            counts.shared += std::mem::take(&mut counts.replayed);
        }
        self
    }

    /// Nothing but one result.
    pub fn alone(found: Found) -> Self {
        Self { found: vec![found], complete: false }
    }
}

/// Searches over deltas; with `all`, again and again without what was found.
pub fn over_deltas(
    plan: &Plan,
    args: &AlgorithmArgs,
    all: bool,
    surroundings: Surroundings<'_>,
) -> Result<Causes, Failure> {
    one_by_one(plan, plan.subject(), all, surroundings, |left, keeper, surroundings| {
        let found = by_deltas(plan, keeper, args, left.clone(), surroundings);
        let cause = found.sides.as_ref().map(|sides| sides.failing.clone()).unwrap_or_default();
        (found, cause)
    })
}

/// Reduces by syntax, again and again without the lines that were needed.
pub fn over_lines(
    plan: &Plan,
    input: &Subject,
    hooks: &dyn Hooks,
    surroundings: Surroundings<'_>,
) -> Result<Causes, Failure> {
    let unit = if input.original().split(|&b| b == b'\n').count() > 3 { "line" } else { "token" };
    let units = unit.parse().map_err(Failure::usage)?;
    let lines = Subject::from_empty(input.original(), &units).map_err(Failure::usage)?;
    let lines = Circumstances::Input(lines);
    one_by_one(plan, &lines, true, surroundings, |left, keeper, surroundings| {
        let mut session = surroundings.session(keeper, &lines, false);
        let needed = gather(left.clone(), &mut session);
        let counts = session.counts();
        let (cause, stop) = match needed {
            Ok(cause) => (cause, None),
            Err(Stopped { best, cause }) => (best, Some(cause)),
        };
        let mut text = lines.artefact(&cause);
        surroundings.bounds.tests_before += counts.executed - counts.replayed;
        let mut found = by_syntax(plan, keeper, text.as_file(), hooks, surroundings);
        surroundings.bounds.tests_before -= counts.executed - counts.replayed;
        found.counts = found.counts.and(&counts);
        if let Some(stop) = stop {
            found.status = Status::Stopped(stop);
        }
        (found, cause)
    })
}

/// Finds a cause in what is left, and goes on without it as long as that fails, if `all` are wanted.
fn one_by_one(
    plan: &Plan,
    subject: &Circumstances,
    all: bool,
    mut surroundings: Surroundings<'_>,
    mut find: impl FnMut(&Configuration, &Keeper, &mut Surroundings<'_>) -> (Found, Configuration),
) -> Result<Causes, Failure> {
    let mut left = Configuration::full(subject.deltas());
    let mut causes = Causes { found: Vec::new(), complete: false };
    loop {
        let keeper = Keeper {
            failing: numbered(&plan.keeper.failing, causes.found.len() + 1),
            passing: plan.keeper.passing.clone(),
            places: plan.keeper.places.clone(),
            tag: plan.keeper.tag.clone(),
            mode: plan.keeper.mode,
        };
        let (mut found, cause) = find(&left, &keeper, &mut surroundings);
        left = left.minus(&cause);
        let settled = matches!(found.status, Status::Minimal);
        if !all || !settled || left.is_empty() {
            causes.found.push(found);
            causes.complete = all && settled;
            return Ok(causes);
        }
        surroundings.go_on(plan, &found.counts)?;
        let mut session = surroundings.session(&keeper, subject, false);
        let outcome = session.each(std::iter::once(left.clone()));
        let used = session.counts();
        found.counts = found.counts.and(&used);
        let fails = matches!(outcome.as_deref(), Ok([Outcome::Fail]));
        if let Err(stop) = outcome {
            found.status = Status::Stopped(stop);
        } else if !fails {
            causes.complete = true;
        }
        causes.found.push(found);
        if !fails {
            return Ok(causes);
        }
        surroundings.go_on(plan, &used)?;
    }
}

/// All tests of all parts.
pub fn counts(causes: &Causes) -> Counts {
    causes.found.iter().fold(Counts::default(), |sum, found| sum.and(&found.counts))
}
