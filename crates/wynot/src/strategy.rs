//! The strategies, run over a session to what they find.

use crate::args::AlgorithmArgs;
use crate::matter::Matter;
use crate::plan::{Algorithm, Plan};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use wynot_core::{
    Configuration, Isolated, Oracle, Outcome, Stopped, dd, dd_by_levels, ddmax, ddmax_by_levels,
    ddmin, ddmin_by_levels, gather_by_levels, larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_reduce::{Assistant, FolderVariant, Proved, Reduced, ReducedFolder, Variant};
use wynot_run::{
    Bounds, Compose, Counts, Files, Journal, Judge, Keeper, Listener, Local, Observation, Parts,
    Record, Session, Stop, Tally, Texts,
};
use wynot_subjects::{Artefact, Circumstances};

/// What a session needs besides what is varied.
pub struct Surroundings<'a> {
    pub executor: &'a mut Local,
    pub judge: &'a Judge,
    pub journal: &'a mut Journal,
    pub listener: &'a mut dyn Listener,
    pub interrupt: &'a AtomicBool,
    /// What is known from before.
    pub past: Cow<'a, [Record]>,
    pub bounds: Bounds,
}

impl Surroundings<'_> {
    pub fn session<'s, C, S: Compose<C>>(
        &'s mut self,
        keeper: &'s Keeper,
        subject: &'s S,
        monotony: bool,
    ) -> Session<'s, C, S, Local> {
        let parts = Parts {
            subject,
            executor: &mut *self.executor,
            judge: self.judge,
            journal: &mut *self.journal,
            keeper,
            listener: &mut *self.listener,
            interrupt: self.interrupt,
        };
        Session::new(parts, self.bounds, monotony, &self.past)
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
    pub failing: Artefact,
    pub passing: Artefact,
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
    original: &[u8],
    assistant: &dyn Assistant,
    mut surroundings: Surroundings<'_>,
) -> Found {
    let texts = Texts { original };
    let mut session = surroundings.session(&plan.keeper, &texts, false);
    let reduced = wynot_reduce::reduce(original, plan.matter.language, assistant, &mut session);
    let (failing, ended) = match reduced {
        Ok(Reduced { text, proved }) => (text, Ok(claim(proved))),
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != original).then(|| Variant::of(failing.clone()));
    let End { status, proved, seen } = ended_with(ended, candidate.as_ref(), &mut session);
    Found {
        status,
        proved,
        deltas: failing.len() as u64,
        failing: Artefact::Bytes(failing),
        passing: Artefact::default(),
        sides: None,
        seen,
        counts: session.counts(),
        passes: session.tallies().to_vec(),
    }
}

/// Reduces a directory or several files.
pub fn by_files(
    plan: &Plan,
    assistant: &dyn Assistant,
    mut surroundings: Surroundings<'_>,
) -> Found {
    let Matter { varied: original, fixed, .. } = &plan.matter;
    let files = Files { original, fixed };
    let mut session = surroundings.session(&plan.keeper, &files, false);
    let reduced = wynot_reduce::reduce_folder(original.clone(), assistant, &mut session);
    let (failing, ended) = match reduced {
        Ok(ReducedFolder { folder, proved }) => {
            let inside = claim(proved).map(|claim| claim.replace('(', "(file, "));
            (folder, Ok(Some(inside.unwrap_or_else(|| "1-minimal (file)".to_owned()))))
        }
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != *original).then(|| FolderVariant::of(failing.clone()));
    let End { status, proved, seen } = ended_with(ended, candidate.as_ref(), &mut session);
    Found {
        status,
        proved,
        deltas: failing.files(),
        failing: Artefact::Folder(fixed.and(&failing)),
        passing: Artefact::Folder(fixed.clone()),
        sides: None,
        seen,
        counts: session.counts(),
        passes: session.tallies().to_vec(),
    }
}

/// How a search by the default reducer ended.
struct End {
    status: Status,
    proved: Option<String>,
    seen: Option<Observation>,
}

/// Tests a result once more, if it is not the original.
fn ended_with<C, S: Compose<C>>(
    ended: Result<Option<String>, Stop>,
    result: Option<&C>,
    session: &mut Session<'_, C, S, Local>,
) -> End {
    let (status, proved, seen) = match (ended, result) {
        (Err(cause), _) => (Status::Stopped(cause), None, None),
        (Ok(None), _) => (Status::Stopped(Stop::Skipped), None, None),
        (Ok(proved), None) => (Status::Minimal, proved, None),
        (Ok(proved), Some(result)) => match session.verify(result, Outcome::Fail) {
            Ok((true, seen)) => (Status::Minimal, proved, Some(seen)),
            Ok((false, seen)) => (Status::Indeterminate, None, Some(seen)),
            Err(stop) => (Status::Stopped(stop), None, None),
        },
    };
    End { status, proved, seen }
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

/// Simplifies or isolates over deltas, from a configuration that fails.
pub fn by_deltas(
    plan: &Plan,
    keeper: &Keeper,
    args: &AlgorithmArgs,
    failing: Configuration,
    surroundings: &mut Surroundings<'_>,
) -> Found {
    let subject = plan.subject();
    let mut session = surroundings.session(keeper, subject, args.assume_monotone);
    let start = Isolated { passing: Configuration::empty(), failing };
    let found = search(plan, usize::from(args.minimality), start.clone(), &mut session);
    let (sides, status, seen) = match found {
        Ok(sides) => match verified(plan, &start, &sides, &mut session) {
            Ok((verified, seen)) => (sides, Status::verified(verified), seen),
            Err(stop) => (sides, Status::Stopped(stop), None),
        },
        Err(Stopped { best, cause }) => (best, Status::Stopped(cause), None),
    };
    let proved = matches!(status, Status::Minimal).then(|| {
        let kind = if plan.algorithm == Algorithm::Ddmax { "maximal" } else { "minimal" };
        let finest = subject.names().pop().unwrap_or_default();
        format!("{}-{kind} ({finest})", args.minimality)
    });
    Found {
        status,
        proved,
        failing: subject.artefact(&sides.failing),
        passing: subject.artefact(&sides.passing),
        deltas: sides.failing.len() as u64,
        sides: Some(sides),
        seen,
        counts: session.counts(),
        passes: Vec::new(),
    }
}

/// The algorithm, and then again wherever the check for more than 1-minimality finds something.
fn search<O: Oracle<Configuration>>(
    plan: &Plan,
    minimality: usize,
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let levels = plan.subject().levels();
    let mut sides = match plan.algorithm {
        Algorithm::Ddmin | Algorithm::Smart => {
            simplified(ddmin_by_levels(levels, start.failing, oracle))?
        }
        Algorithm::Gather => simplified(gather_by_levels(levels, start.failing, oracle))?,
        Algorithm::Dd => dd_by_levels(levels, start, oracle)?,
        Algorithm::Ddmax => ddmax_by_levels(levels, start, oracle)?,
    };
    if minimality == 1 {
        return Ok(sides);
    }
    loop {
        let closer = match plan.algorithm {
            Algorithm::Ddmin | Algorithm::Gather | Algorithm::Smart => {
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
                Algorithm::Ddmin | Algorithm::Gather | Algorithm::Smart => {
                    simplified(ddmin(closer.failing, oracle))?
                }
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
    start: &Isolated,
    sides: &Isolated,
    session: &mut Session<'_, Configuration, Circumstances, Local>,
) -> Result<(bool, Option<Observation>), Stop> {
    let narrowed = |side: &Configuration| !side.is_empty() && *side != start.failing;
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
