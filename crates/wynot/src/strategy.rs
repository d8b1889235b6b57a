//! The strategies, run over a session to what they find.

use crate::args::AlgorithmArgs;
use crate::failure::Failure;
use crate::flaky::{self, Settled};
use crate::matter::Matter;
use crate::plan::{Algorithm, Plan};
use std::borrow::Cow;
use std::sync::atomic::AtomicBool;
use wynot_core::{
    Configuration, Grouping, Isolated, Mapped, Oracle, Outcome, Stopped, dd, dd_by_levels, ddmax,
    ddmax_by_levels, ddmin, ddmin_by_levels, gather_by_levels, larger_passing_or_smaller_failing,
    smaller_failing,
};
use wynot_reduce::{Atom, FolderDraft, Hooks, ReducedFolder, ReducedText, SweptAtoms, TextDraft};
use wynot_run::{
    Bounds, Collection, Compose, Counts, Files, Journal, Judge, Keeper, Listener, Local,
    Observation, Parts, Rate, Record, Session, Stop, Tally, Texts,
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
    pub collection: &'a mut Collection,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
}

impl Surroundings<'_> {
    /// Lets the next part of a search know what the ones before have found out and used.
    pub fn go_on(&mut self, plan: &Plan, used: &Counts) -> Result<(), Failure> {
        let records = Journal::read(&plan.session).map_err(|error| Failure::unexpected(&error))?;
        self.past = records.into();
        self.bounds.tests_before += used.executed - used.replayed;
        Ok(())
    }

    /// The same, for a while.
    pub fn again(&mut self) -> Surroundings<'_> {
        Surroundings {
            executor: &mut *self.executor,
            judge: self.judge,
            journal: &mut *self.journal,
            listener: &mut *self.listener,
            interrupt: self.interrupt,
            past: self.past.clone(),
            bounds: self.bounds,
            collection: &mut *self.collection,
            rate: self.rate,
        }
    }

    pub fn session<'s, C: Clone, S: Compose<C>>(
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
            collection: &mut *self.collection,
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
    /// How often the failing side fails, if that was measured.
    pub rate: Option<Rate>,
}

/// Reduces by edits that the syntax of the input proposes.
pub fn by_syntax(
    plan: &Plan,
    keeper: &Keeper,
    original: &[u8],
    hooks: &dyn Hooks,
    surroundings: &mut Surroundings<'_>,
) -> Found {
    let usual = surroundings.rate;
    let texts = Texts { original };
    let mut session = surroundings.session(keeper, &texts, false);
    let reduced = wynot_reduce::reduce(original, plan.matter.language, hooks, &mut session);
    let (failing, ended) = match reduced {
        Ok(ReducedText { text, swept }) => (text, Ok(claim(&swept))),
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != original).then(|| TextDraft::of(failing.clone()));
    let end = ended_with(ended, candidate, usual, &mut session);
    let failing = end.candidate.as_ref().map_or_else(|| original.to_vec(), TextDraft::text);
    let End { status, proved, seen, rate, .. } = end;
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
        rate,
    }
}

/// Reduces a directory or several files.
pub fn by_files(plan: &Plan, hooks: &dyn Hooks, mut surroundings: Surroundings<'_>) -> Found {
    let usual = surroundings.rate;
    let Matter { varied: original, fixed, .. } = &plan.matter;
    let files = Files { original, fixed };
    let mut session = surroundings.session(&plan.keeper, &files, false);
    let reduced = wynot_reduce::reduce_folder(original.clone(), hooks, &mut session);
    let (failing, ended) = match reduced {
        Ok(ReducedFolder { folder, swept }) => (folder, Ok(claim(&swept))),
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != *original).then(|| FolderDraft::of(failing.clone()));
    let end = ended_with(ended, candidate, usual, &mut session);
    let failing = end.candidate.as_ref().map_or_else(|| original.clone(), FolderDraft::folder);
    let End { status, proved, seen, rate, .. } = end;
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
        rate,
    }
}

/// How a search by the default reducer ended.
struct End<C> {
    status: Status,
    proved: Option<String>,
    seen: Option<Observation>,
    /// The result; `None` if it is the original.
    candidate: Option<C>,
    rate: Option<Rate>,
}

/// Tests a result once more, if it is not the original. Of a flaky test, it is found out how often it fails;
/// if that is less often than the original, accepted steps are taken back.
fn ended_with<C: Clone, S: Compose<C>>(
    ended: Result<Option<String>, Stop>,
    candidate: Option<C>,
    usual: Option<Rate>,
    session: &mut Session<'_, C, S, Local>,
) -> End<C> {
    let as_it_is = |status, proved, seen, rate| {
        let candidate = candidate.clone();
        End { status, proved, seen, candidate, rate }
    };
    match (ended, &candidate, usual) {
        (Err(cause), ..) => as_it_is(Status::Stopped(cause), None, None, None),
        (Ok(None), ..) => as_it_is(Status::Stopped(Stop::Skipped), None, None, None),
        (Ok(proved), None, usual) => as_it_is(Status::Minimal, proved, None, usual),
        (Ok(proved), Some(result), None) => match session.verify(result, Outcome::Fail) {
            Ok((true, seen)) => as_it_is(Status::Minimal, proved, Some(seen), None),
            Ok((false, seen)) => as_it_is(Status::Indeterminate, None, Some(seen), None),
            Err(stop) => as_it_is(Status::Stopped(stop), None, None, None),
        },
        (Ok(proved), Some(result), Some(usual)) => match flaky::settled(result, usual, session) {
            Ok(Settled::AsOften(rate)) => as_it_is(Status::Minimal, proved, None, Some(rate)),
            Ok(Settled::TakenBack(candidate, rate)) => {
                let (status, rate) = (Status::Minimal, Some(rate));
                End { status, proved: None, seen: None, candidate, rate }
            }
            Err(stop) => as_it_is(Status::Stopped(stop), None, None, None),
        },
    }
}

/// What was proved, in words; `None` if nothing was.
fn claim(swept: &SweptAtoms) -> Option<String> {
    let name = |atom| match atom {
        Atom::File => "file",
        Atom::Token => "token",
        Atom::Byte => "byte",
    };
    let atoms: Vec<&str> = swept.iter().map(name).collect();
    (!atoms.is_empty()).then(|| format!("1-minimal ({})", atoms.join(", ")))
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
    let usual = surroundings.rate;
    let mut session = surroundings.session(keeper, subject, args.assume_monotone);
    let start = Isolated { passing: Configuration::empty(), failing };
    let found = search_in(plan, usize::from(args.minimality), &start.failing, &mut session);
    let kind = if plan.algorithm == Algorithm::Ddmax { "maximal" } else { "minimal" };
    let finest = subject.names().pop().unwrap_or_default();
    let claim = format!("{}-{kind} ({finest})", args.minimality);
    let (mut sides, ended) = match found {
        Ok(sides) => (sides, Ok(Some(claim))),
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let end = match plan.algorithm.isolates() {
        true => pair_ended_with(ended, &start, &sides, &mut session),
        false => {
            let candidate = (sides.failing != start.failing).then(|| sides.failing.clone());
            let end = ended_with(ended, candidate, usual, &mut session);
            sides.failing = end.candidate.clone().unwrap_or(start.failing);
            end
        }
    };
    let End { status, proved, seen, rate, .. } = end;
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
        rate,
    }
}

/// The algorithm over what is left of the deltas.
fn search_in<O: Oracle<Configuration>>(
    plan: &Plan,
    minimality: usize,
    left: &Configuration,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let levels = plan.subject().levels();
    let start = |failing| Isolated { passing: Configuration::empty(), failing };
    if left.len() == plan.subject().deltas() as usize {
        return narrowed(plan.algorithm, levels, minimality, start(left.clone()), oracle);
    }
    // Counted anew, the levels nest although some of their deltas are gone.
    let levels: Vec<Grouping> = levels.iter().map(|level| level.within(left)).collect();
    let numbers: Vec<u32> = left.deltas().collect();
    let known = |anew: &Configuration| {
        Configuration::from_deltas(anew.deltas().map(|delta| numbers[delta as usize]))
    };
    let both = |sides: &Isolated| Isolated {
        passing: known(&sides.passing),
        failing: known(&sides.failing),
    };
    let all = start(Configuration::full(left.len() as u32));
    let mut oracle = Mapped::new(oracle, known);
    match narrowed(plan.algorithm, &levels, minimality, all, &mut oracle) {
        Ok(sides) => Ok(both(&sides)),
        Err(Stopped { best, cause }) => Err(Stopped { best: both(&best), cause }),
    }
}

/// The algorithm, and then again wherever the check for more than 1-minimality finds something.
pub fn narrowed<O: Oracle<Configuration>>(
    algorithm: Algorithm,
    levels: &[Grouping],
    minimality: usize,
    start: Isolated,
    oracle: &mut O,
) -> Result<Isolated, Stopped<Isolated, O::Stop>> {
    let mut sides = match algorithm {
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
        let closer = match algorithm {
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
            Ok(Some(closer)) => match algorithm {
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

/// Tests both sides of a difference once more, where they are not those of the start. A test that now says
/// something else has changed its mind.
fn pair_ended_with(
    ended: Result<Option<String>, Stop>,
    start: &Isolated,
    sides: &Isolated,
    session: &mut Session<'_, Configuration, Circumstances, Local>,
) -> End<Configuration> {
    let mut verified =
        |side: &Configuration, expected: Outcome| match side.is_empty() || *side == start.failing {
            true => Ok((true, None)),
            false => session.verify(side, expected).map(|(same, seen)| (same, Some(seen))),
        };
    let ended = ended.and_then(|proved| {
        let (fails, seen) = verified(&sides.failing, Outcome::Fail)?;
        let passes = fails && verified(&sides.passing, Outcome::Pass)?.0;
        Ok((proved, fails && passes, seen))
    });
    let (status, proved, seen) = match ended {
        Ok((proved, true, seen)) => (Status::Minimal, proved, seen),
        Ok((_, false, seen)) => (Status::Indeterminate, None, seen),
        Err(stop) => (Status::Stopped(stop), None, None),
    };
    End { status, proved, seen, candidate: None, rate: None }
}
