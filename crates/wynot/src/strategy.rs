//! The strategies of reduce and isolate, run over a session to what they find.

use crate::args::AlgorithmArgs;
use crate::plan::{Algorithm, Plan};
use std::sync::atomic::AtomicBool;
use wynot_core::{
    Attempt, Configuration, Isolated, Oracle, Outcome, Outcomes, Part, Stopped, dd, dd_by_levels,
    ddmax, ddmax_by_levels, ddmin, ddmin_by_levels, larger_passing_or_smaller_failing,
    smaller_failing,
};
use wynot_reduce::{Assistant, Proved, Reduced, Variant};
use wynot_run::{
    Bounds, Compose, Counts, End, Journal, Judge, Listener, Local, Observation, Parts, Record,
    Session, Side, Stop, Tally, Texts,
};
use wynot_subjects::Subject;

/// What a session needs besides what is varied.
pub struct Surroundings<'a> {
    pub executor: &'a mut Local,
    pub judge: &'a Judge,
    pub journal: &'a mut Journal,
    pub listener: &'a mut dyn Listener,
    pub interrupt: &'a AtomicBool,
    pub past: &'a [Record],
    pub bounds: Bounds,
}

impl Surroundings<'_> {
    fn session<'s, C, S: Compose<C>>(
        &'s mut self,
        plan: &'s Plan,
        subject: &'s S,
        monotony: bool,
    ) -> Session<'s, C, S, Local> {
        let parts = Parts {
            subject,
            executor: &mut *self.executor,
            judge: self.judge,
            journal: &mut *self.journal,
            keeper: &plan.keeper,
            listener: &mut *self.listener,
            interrupt: self.interrupt,
        };
        Session::new(parts, self.bounds, monotony, self.past)
    }
}

/// How a search ended.
#[derive(Debug)]
pub enum Status {
    /// All there was to do is done, and the result was tested once more.
    Minimal,
    /// The test changed its mind about the result.
    Indeterminate,
    /// Something ended it early.
    Stopped(Stop),
}

impl Status {
    fn verified(verified: bool) -> Self {
        if verified { Self::Minimal } else { Self::Indeterminate }
    }
}

/// What a search has arrived at.
pub struct Found {
    pub status: Status,
    /// What is proved about the result, if nothing ended the search early.
    pub proved: Option<String>,
    pub failing: Vec<u8>,
    pub passing: Vec<u8>,
    /// How many deltas the failing side has.
    pub deltas: u64,
    /// Both sides, where the search was over deltas.
    pub sides: Option<Isolated>,
    /// What the last run of the failing side showed.
    pub seen: Option<Observation>,
    pub counts: Counts,
    /// What each pass has cost and gained.
    pub passes: Vec<Tally>,
}

/// Reduces by edits that the syntax of the input proposes.
pub fn by_syntax(
    plan: &Plan,
    assistant: &dyn Assistant,
    mut surroundings: Surroundings<'_>,
) -> Found {
    let texts = Texts { original: plan.subject.original() };
    let mut session = surroundings.session(plan, &texts, false);
    let original = plan.subject.original();
    let reduced = wynot_reduce::reduce(original, plan.language, assistant, &mut session);
    let (status, failing, proved, seen) = match reduced {
        Ok(Reduced { text, proved }) if claim(proved).is_none() => {
            (Status::Stopped(Stop::Skipped), text, None, None)
        }
        Ok(Reduced { text, proved }) if text == original => {
            (Status::Minimal, text, Some(proved), None)
        }
        Ok(Reduced { text, proved }) => match session
            .verify(&Variant::of(text.clone()), Outcome::Fail)
        {
            Ok((verified, seen)) => (Status::verified(verified), text, Some(proved), Some(seen)),
            Err(stop) => (Status::Stopped(stop), text, None, None),
        },
        Err(Stopped { best, cause }) => (Status::Stopped(cause), best, None, None),
    };
    let proved = proved.filter(|_| matches!(status, Status::Minimal)).and_then(claim);
    let (counts, passes) = (session.counts(), session.tallies().to_vec());
    let (deltas, passing) = (failing.len() as u64, Vec::new());
    Found { status, proved, failing, passing, deltas, sides: None, seen, counts, passes }
}

/// What was proved, in words; `None` if nothing was.
fn claim(proved: Proved) -> Option<String> {
    let pieces = match (proved.tokens, proved.bytes) {
        (true, true) => "token, byte",
        (true, false) => "token",
        (false, true) => "byte",
        (false, false) => return None,
    };
    Some(format!("1-minimal ({pieces})"))
}

/// Simplifies or isolates over the deltas of the subject.
pub fn by_deltas(plan: &Plan, args: &AlgorithmArgs, mut surroundings: Surroundings<'_>) -> Found {
    let subject = &plan.subject;
    let mut session = surroundings.session(plan, subject, args.assume_monotone);
    let (sides, status, seen) = match search(plan, usize::from(args.minimality), &mut session) {
        Ok(sides) => match verified(plan, &sides, &mut session) {
            Ok((verified, seen)) => (sides, Status::verified(verified), seen),
            Err(stop) => (sides, Status::Stopped(stop), None),
        },
        Err(Stopped { best, cause }) => (best, Status::Stopped(cause), None),
    };
    let proved = matches!(status, Status::Minimal).then(|| {
        let kind = if plan.algorithm == Algorithm::Ddmax { "maximal" } else { "minimal" };
        format!("{}-{kind} ({})", args.minimality, subject.units().finest())
    });
    let (mut failing, mut passing) = (Vec::new(), Vec::new());
    subject.compose(&sides.failing, &mut failing);
    subject.compose(&sides.passing, &mut passing);
    let deltas = sides.failing.len() as u64;
    let (sides, counts) = (Some(sides), session.counts());
    Found { status, proved, failing, passing, deltas, sides, seen, counts, passes: Vec::new() }
}

/// The algorithm, and then again wherever the check for more than 1-minimality finds something.
fn search<O: Oracle<Configuration>>(
    plan: &Plan,
    minimality: usize,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let levels = plan.subject.levels();
    let all = Configuration::full(plan.subject.deltas());
    let start = Isolated { passing: Configuration::empty(), failing: all };
    let mut sides = match plan.algorithm {
        Algorithm::Ddmin | Algorithm::Smart => {
            simplified(ddmin_by_levels(levels, start.failing, oracle))?
        }
        Algorithm::Dd => dd_by_levels(levels, start, oracle)?,
        Algorithm::Ddmax => ddmax_by_levels(levels, start, oracle)?,
    };
    if minimality == 1 {
        return Ok(sides);
    }
    loop {
        let closer = match plan.algorithm {
            Algorithm::Ddmin | Algorithm::Smart => {
                smaller_failing(&sides.failing, minimality, oracle)
                    .map(|smaller| smaller.map(|failing| Isolated { failing, ..sides.clone() }))
            }
            Algorithm::Dd | Algorithm::Ddmax => {
                larger_passing_or_smaller_failing(&sides, minimality, oracle)
            }
        };
        sides = match closer {
            Ok(None) => return Ok(sides),
            Ok(Some(closer)) => match plan.algorithm {
                Algorithm::Ddmin | Algorithm::Smart => simplified(ddmin(closer.failing, oracle))?,
                Algorithm::Dd => dd(closer, oracle)?,
                Algorithm::Ddmax => ddmax(closer, oracle)?,
            },
            Err(cause) => return Err(Stopped { best: sides, cause }),
        };
    }
}

/// The result of simplifying, as two sides: nothing passes.
fn simplified<S>(
    result: Result<Configuration, Stopped<Configuration, S>>,
) -> Result<Isolated, Stopped<Isolated, S>> {
    let sides = |failing| Isolated { passing: Configuration::empty(), failing };
    result.map(sides).map_err(|Stopped { best, cause }| Stopped { best: sides(best), cause })
}

/// Tests the result once more; whether all is as it was, and what the failing side showed. A test that
/// now says something else has changed its mind.
fn verified(
    plan: &Plan,
    sides: &Isolated,
    session: &mut Session<'_, Configuration, Subject, Local>,
) -> Result<(bool, Option<Observation>), Stop> {
    let full = Configuration::full(plan.subject.deltas());
    let narrowed = |side: &Configuration| !side.is_empty() && *side != full;
    let mut seen = None;
    if narrowed(&sides.failing) {
        let (fails, observation) = session.verify(&sides.failing, Outcome::Fail)?;
        if !fails {
            return Ok((false, Some(observation)));
        }
        seen = Some(observation);
    }
    if plan.algorithm.isolates() && narrowed(&sides.passing) {
        let (passes, _) = session.verify(&sides.passing, Outcome::Pass)?;
        return Ok((passes, seen));
    }
    Ok((true, seen))
}

/// What a session has ended with.
pub struct Claim<'a> {
    pub result: &'a [u8],
    pub end: &'a End,
    /// How many deltas at once were said to be needed.
    pub minimality: usize,
}

/// Why a claim does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// The result does not fail.
    DoesNotFail,
    /// Its other side does not pass.
    DoesNotPass,
    /// The session does not tell what the claim is about.
    Unclear,
    /// Something smaller fails too, or something larger passes.
    NotMinimal(Side),
}

/// What came of a check.
pub struct Checked {
    pub refuted: Option<Refuted>,
    pub tests: u64,
}

/// Tries to refute that a result of the default reducer is as small as was said.
pub fn refute_syntax(
    plan: &Plan,
    claim: &Claim<'_>,
    mut surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    let texts = Texts { original: claim.result };
    let mut session = surroundings.session(plan, &texts, false);
    if !session.verify(&Variant::of(claim.result.to_vec()), Outcome::Fail)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotFail), tests: 1 });
    }
    let said = |piece| claim.end.minimality.as_deref().is_some_and(|said| said.contains(piece));
    let proved = Proved { tokens: said("token"), bytes: said("byte") };
    if proved == Proved::default() {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 1 });
    }
    let smaller = wynot_reduce::refute(claim.result, plan.language, proved, &mut session)?;
    let tests = session.counts().executed + 1;
    Ok(Checked { refuted: smaller.map(|_| Refuted::NotMinimal(Side::Failing)), tests })
}

/// Tries to refute that the deltas of a result are as few, or its sides as close, as was said.
pub fn refute_deltas(
    plan: &Plan,
    claim: &Claim<'_>,
    mut surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    let subject = &plan.subject;
    let mut session = surroundings.session(plan, subject, false);
    let Some(runs) = claim.end.sides.clone() else {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 0 });
    };
    let [failing, passing] = runs.map(|runs| {
        Configuration::from_deltas(runs.into_iter().flat_map(|(start, end)| start..end))
    });
    let sides = Isolated { passing, failing };
    let mut told = Vec::new();
    subject.compose(&sides.failing, &mut told);
    if told != claim.result {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 0 });
    }
    if !session.verify(&sides.failing, Outcome::Fail)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotFail), tests: 1 });
    }
    let both = plan.algorithm.isolates();
    if both && !session.verify(&sides.passing, Outcome::Pass)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotPass), tests: 2 });
    }
    let side = match plan.algorithm {
        Algorithm::Smart | Algorithm::Ddmin => {
            smaller_failing(&sides.failing, claim.minimality, &mut session)?.map(|_| Side::Failing)
        }
        Algorithm::Dd => {
            let closer = larger_passing_or_smaller_failing(&sides, claim.minimality, &mut session)?;
            closer.map(|closer| match closer.failing == sides.failing {
                true => Side::Passing,
                false => Side::Failing,
            })
        }
        Algorithm::Ddmax => {
            let rest = sides.difference();
            let added = rest.deltas().map(|delta| Attempt {
                configuration: sides.passing.union(&Configuration::from_deltas([delta])),
                part: Part::With { count: 1 },
                decisive: Outcomes::PASS,
                next: (),
            });
            session.first(added)?.map(|_| Side::Passing)
        }
    };
    let tests = session.counts().executed + 1 + u64::from(both);
    Ok(Checked { refuted: side.map(Refuted::NotMinimal), tests })
}
