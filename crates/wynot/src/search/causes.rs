//! More than one cause: searching again in what is left, until that does not fail.

use super::deltas::search_deltas;
use super::engine::Engine;
use super::found::{Found, Status};
use super::text_reduction::reduce_text;
use crate::error::Error;
use crate::plan::{Plan, numbered};
use crate::request::AlgorithmOptions;
use wynot_core::{Configuration, Oracle, Outcome, Stopped, gather};
use wynot_reduce::Hooks;
use wynot_session::{Compose, Counts, ResultFiles};
use wynot_subjects::{Subject, TextSubject};

/// All causes that were found, and whether there is no other.
#[derive(Debug)]
pub struct Causes {
    /// The first cause, and those that fail without the ones before.
    pub found: Vec<Found>,
    /// Whether what is left does not fail.
    pub complete: bool,
}

impl Causes {
    /// Nothing but one result.
    pub(super) fn one(found: Found) -> Self {
        Self { found: vec![found], complete: false }
    }

    /// All tests of all parts.
    pub fn counts(&self) -> Counts {
        self.found.iter().fold(Counts::default(), |sum, found| sum.and(&found.counts))
    }
}

/// Searches over deltas; with `all`, again and again without what was found.
pub(super) fn causes_among_deltas(
    plan: &Plan,
    options: &AlgorithmOptions,
    all: bool,
    engine: &mut Engine<'_>,
) -> Causes {
    one_by_one(plan, plan.subject(), all, engine, |left, results, engine| {
        let found = search_deltas(plan, results, options, left.clone(), engine);
        let cause = found.sides.as_ref().map(|sides| sides.failing.clone()).unwrap_or_default();
        (found, cause)
    })
}

/// Reduces by syntax, again and again without the lines that were needed.
pub(super) fn causes_among_lines(
    plan: &Plan,
    input: &TextSubject,
    tools: &dyn Hooks,
    engine: &mut Engine<'_>,
) -> Result<Causes, Error> {
    let unit = if input.original().split(|&b| b == b'\n').count() > 3 { "line" } else { "token" };
    let units = unit.parse().map_err(Error::usage)?;
    let lines = TextSubject::from_empty(input.original(), &units).map_err(Error::usage)?;
    let lines = Subject::Text(lines);
    Ok(one_by_one(plan, &lines, true, engine, |left, results, engine| {
        let mut session = engine.session(&lines, results);
        let needed = gather(left.clone(), &mut session);
        let counts = session.counts();
        drop(session);
        let (cause, stop) = match needed {
            Ok(cause) => (cause, None),
            Err(Stopped { best, cause }) => (best, Some(cause)),
        };
        let mut text = lines.variant(&cause);
        let mut found = reduce_text(plan, results, text.make_bytes(), tools, engine);
        found.counts = found.counts.and(&counts);
        if let Some(stop) = stop {
            found.status = Status::Stopped(stop);
        }
        (found, cause)
    }))
}

/// Finds a cause in what is left, and goes on without it as long as that fails, if `all` are wanted.
fn one_by_one(
    plan: &Plan,
    subject: &Subject,
    all: bool,
    engine: &mut Engine<'_>,
    mut find: impl FnMut(&Configuration, &ResultFiles, &mut Engine<'_>) -> (Found, Configuration),
) -> Causes {
    let mut left = Configuration::full(subject.deltas());
    let mut causes = Causes { found: Vec::new(), complete: false };
    loop {
        let results = ResultFiles {
            failing: numbered(&plan.results.failing, causes.found.len() + 1),
            ..plan.results.clone()
        };
        let (mut found, cause) = find(&left, &results, engine);
        left = left.difference(&cause);
        let is_settled = matches!(found.status, Status::Minimal);
        if !all || !is_settled || left.is_empty() {
            causes.found.push(found);
            causes.complete = all && is_settled;
            return causes;
        }
        let mut session = engine.session(subject, &results);
        let outcome = session.each(std::iter::once(left.clone()));
        found.counts = found.counts.and(&session.counts());
        let fails = matches!(outcome.as_deref(), Ok([Outcome::Fail]));
        if let Err(stop) = outcome {
            found.status = Status::Stopped(stop);
        } else if !fails {
            causes.complete = true;
        }
        causes.found.push(found);
        if !fails {
            return causes;
        }
    }
}
