//! The audit of the change that was found between two versions: tests with it and without it, on clean builds.

use super::engine::Engine;
use crate::plan::Plan;
use wynot_core::{Configuration, Isolated, Outcome};
use wynot_session::{Counts, Stop};
use wynot_subjects::Subject;

/// The outcomes with and without a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The outcome of the good version with the change alone; it should fail.
    pub alone: Outcome,
    /// The outcome of the bad version without the change; it should pass.
    pub without: Outcome,
    /// The scope (hunk, function, file or directory) that had to be removed together with the change so that the bad
    /// version could be tested without it.
    pub rest: Option<String>,
    /// Whether the failing side of the result fails on a clean build, too: the good version with the change, and with
    /// the other changes that it needs.
    pub holds: bool,
}

impl Audit {
    /// The audit in words.
    pub fn in_words(&self) -> String {
        let alone = match self.alone {
            Outcome::Fail => "fails with this alone",
            Outcome::Pass => "does not fail with this alone",
            Outcome::Unresolved => "cannot be tested with this alone",
        };
        let rest = self.rest.as_ref().map(|scope| format!(" and the rest of its {scope}"));
        let rest = rest.unwrap_or_default();
        let without = match self.without {
            Outcome::Pass => format!("passes without it{rest}"),
            Outcome::Fail => format!("still fails without it{rest}: there is more than one cause"),
            Outcome::Unresolved => "cannot be tested without it".to_owned(),
        };
        format!("the good version {alone}; the bad version {without}")
    }
}

/// Tests the good version with a change and the bad version without it, on clean builds.
pub(super) fn audit(
    plan: &Plan,
    subject: &Subject,
    sides: &Isolated,
    engine: &mut Engine<'_>,
) -> Result<(Audit, Counts), Stop> {
    let clean = engine.clean_spec();
    let mut session = engine.session_of_test(&clean, subject, &plan.results);
    let mut counts = Counts::default();
    let mut test = |configuration: &Configuration| {
        let (outcome, run) = session.retest(configuration)?;
        counts.add(outcome, run.ending.leaves_failure_open(outcome));
        Ok::<_, Stop>(outcome)
    };
    let difference = sides.difference();
    let alone = test(&difference)?;
    let (mut without, mut rest) = (Outcome::Unresolved, None);
    for (scope, removed) in widen(subject, &difference) {
        let left = Configuration::full(subject.deltas()).difference(&removed);
        without = test(&left)?;
        if without != Outcome::Unresolved {
            rest = (removed != difference).then_some(scope);
            break;
        }
    }
    let needs_context = alone != Outcome::Fail && !sides.passing.is_empty();
    let holds = match needs_context {
        true => test(&sides.failing)? == Outcome::Fail,
        false => alone == Outcome::Fail,
    };
    Ok((Audit { alone, without, rest, holds }, counts))
}

/// Some changes, then together with the rest of their hunks, of their functions and so on, but not with all changes. Each
/// comes with the name of its scope. Other lines of a hunk or function may depend on the ones that are removed.
fn widen(subject: &Subject, changes: &Configuration) -> Vec<(String, Configuration)> {
    let all = Configuration::full(subject.deltas());
    let scopes = subject.level_names().into_iter().zip(subject.levels()).rev();
    let mut wider: Vec<(String, Configuration)> =
        scopes.map(|(scope, level)| (scope.to_owned(), level.around(changes))).collect();
    wider.dedup_by(|next, last| next.1 == last.1);
    wider.retain(|(_, removed)| *changes == all || *removed != all);
    wider
}
