//! More than one cause: each cause is removed, and the rest is searched until it does not fail any more.

use super::deltas::search_deltas;
use super::engine::Engine;
use super::external_tools::ExternalTools;
use super::found::{Found, Status};
use super::text_reduction::reduce_text;
use crate::error::Error;
use crate::plan::{Plan, numbered};
use crate::request::AlgorithmOptions;
use wynot_core::{Configuration, Oracle, Outcome, Stopped, gather};
use wynot_session::{Compose, Counts, ResultFiles};
use wynot_subjects::{Subject, TextSubject};

/// The causes that were found, and whether there are no others.
#[derive(Debug)]
pub struct Causes {
    /// The first cause, and then those that fail without the ones before them.
    pub found: Vec<Found>,
    /// Whether the rest, without all these causes, does not fail.
    pub complete: bool,
}

impl Causes {
    /// A single result, without a search for others.
    pub(super) fn single(found: Found) -> Self {
        Self { found: vec![found], complete: false }
    }

    /// The counts of the tests for all causes together.
    pub fn counts(&self) -> Counts {
        self.found.iter().fold(Counts::default(), |sum, found| sum.and(&found.counts))
    }
}

/// Searches over deltas; with `all`, repeatedly without the causes that were found.
pub(super) fn causes_among_deltas(
    plan: &Plan,
    options: &AlgorithmOptions,
    all: bool,
    engine: &mut Engine<'_>,
) -> Causes {
    find_one_by_one(plan, plan.subject(), all, engine, |left, results, engine| {
        let found = search_deltas(plan, results, options, left.clone(), engine);
        let cause = found.sides.as_ref().map(|sides| sides.failing.clone()).unwrap_or_default();
        (found, cause)
    })
}

/// The number of lines above which causes are searched among lines; below, among tokens.
const MAX_LINES_SEARCHED_BY_TOKEN: usize = 3;

/// Reduces by syntax, repeatedly without the lines (or tokens) that were needed.
pub(super) fn causes_among_lines(
    plan: &Plan,
    input: &TextSubject,
    tools: &ExternalTools<'_>,
    engine: &mut Engine<'_>,
) -> Result<Causes, Error> {
    let line_count = input.original().split(|&b| b == b'\n').count();
    let unit = if line_count > MAX_LINES_SEARCHED_BY_TOKEN { "line" } else { "token" };
    let units = unit.parse().map_err(Error::usage)?;
    let lines = TextSubject::from_empty(input.original(), &units).map_err(Error::usage)?;
    let lines = Subject::Text(lines);
    Ok(find_one_by_one(plan, &lines, true, engine, |left, results, engine| {
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

/// Finds a cause; with `all`, goes on with the rest as long as it fails.
fn find_one_by_one(
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
        if all {
            engine.begin_part(&format!("cause {}", causes.found.len() + 1), subject, &left);
        }
        let (mut found, cause) = find(&left, &results, engine);
        left = left.difference(&cause);
        let is_minimal = matches!(found.status, Status::Minimal);
        if !all || !is_minimal || left.is_empty() {
            causes.found.push(found);
            causes.complete = all && is_minimal;
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
