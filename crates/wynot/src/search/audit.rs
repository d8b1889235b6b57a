//! The audit of the change that was found between two versions: tests with it and without it, on clean builds.

use super::change_lines::Cause;
use super::engine::Engine;
use crate::plan::Plan;
use wynot_core::{Configuration, Outcome};
use wynot_report::number::count;
use wynot_session::{Counts, Stop};
use wynot_subjects::Subject;

/// The outcomes with and without a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// The outcome of the good version with the change; it should fail.
    pub alone: Outcome,
    /// The number of other changes that the change needs to be tested on the good version.
    pub needed: u64,
    /// The outcome of the bad version without the change; it should pass.
    pub without: Outcome,
    /// The number of other changes that are removed with the change from the bad version.
    pub dependents: u64,
}

impl Audit {
    /// Whether the failing side of the result fails on a clean build.
    pub fn holds(&self) -> bool {
        self.alone == Outcome::Fail
    }

    /// The audit in words.
    pub fn in_words(&self) -> String {
        let this = match self.needed {
            0 => "with this alone".to_owned(),
            needed => format!("with this and {} that it needs", count(needed, "other change")),
        };
        let alone = match self.alone {
            Outcome::Fail => format!("fails {this}"),
            Outcome::Pass => format!("does not fail {this}"),
            Outcome::Unresolved => format!("cannot be tested {this}"),
        };
        let it = match self.dependents {
            0 => "without it".to_owned(),
            others => format!("without it and {}", count(others, "other change")),
        };
        let without = match self.without {
            Outcome::Pass => format!("passes {it}"),
            Outcome::Fail => format!("still fails {it}: there is more than one cause"),
            Outcome::Unresolved => format!("cannot be tested {it}"),
        };
        format!("the good version {alone}; the bad version {without}")
    }
}

/// Tests the good version with a change and the bad version without it, on clean builds.
pub(super) fn audit(
    plan: &Plan,
    subject: &Subject,
    cause: &Cause,
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
    let (alone, without) = (test(&cause.alone)?, test(&cause.without)?);
    let removed = Configuration::full(subject.deltas()).difference(&cause.without);
    let audit = Audit {
        alone,
        needed: (cause.alone.len() - cause.changes.len()) as u64,
        without,
        dependents: (removed.len() - cause.changes.len()) as u64,
    };
    Ok((audit, counts))
}
