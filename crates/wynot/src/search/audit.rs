//! The audit of an answer about versions: both ways, on builds from nothing.

use super::engine::Engine;
use crate::plan::Plan;
use wynot_core::{Configuration, Isolated, Outcome};
use wynot_session::{Counts, Stop};
use wynot_subjects::Subject;

/// The answer tried both ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Audit {
    /// What the good version does with the change alone: it should fail.
    pub alone: Outcome,
    /// What the bad version does without it: it should pass.
    pub without: Outcome,
    /// What had to go with it, for the bad version to be tested: the rest of its hunk, function, file or directory.
    pub rest: Option<String>,
    /// Whether what has failed with it fails again: the good version, or one with other changes that it needs.
    pub holds: bool,
}

impl Audit {
    /// In words.
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

/// Tries the answer both ways, on builds from nothing.
pub(super) fn audit(
    plan: &Plan,
    subject: &Subject,
    sides: &Isolated,
    engine: &mut Engine<'_>,
) -> Result<(Audit, Counts), Stop> {
    let clean = plan.test_spec(false);
    let mut session = engine.session_of_test(&clean, subject, &plan.results);
    let mut counts = Counts::default();
    let mut asked = |configuration: &Configuration| {
        let outcome = session.retest(configuration)?.0;
        counts.add(outcome);
        Ok::<_, Stop>(outcome)
    };
    let difference = sides.difference();
    let alone = asked(&difference)?;
    let (mut without, mut rest) = (Outcome::Unresolved, None);
    for (scope, gone) in wider(subject, &difference) {
        let left = Configuration::full(subject.deltas()).difference(&gone);
        without = asked(&left)?;
        if without != Outcome::Unresolved {
            rest = (gone != difference).then_some(scope);
            break;
        }
    }
    let context = alone != Outcome::Fail && !sides.passing.is_empty();
    let holds = match context {
        true => asked(&sides.failing)? == Outcome::Fail,
        false => alone == Outcome::Fail,
    };
    Ok((Audit { alone, without, rest, holds }, counts))
}

/// Changes by themselves, with the rest of their hunks, of their functions and so on, short of everything: later lines
/// may need what one line alone would bring back.
fn wider(subject: &Subject, changes: &Configuration) -> Vec<(String, Configuration)> {
    let all = Configuration::full(subject.deltas());
    let scopes = subject.level_names().into_iter().zip(subject.levels()).rev();
    let mut wider: Vec<(String, Configuration)> =
        scopes.map(|(scope, level)| (scope.to_owned(), level.around(changes))).collect();
    wider.dedup_by(|next, last| next.1 == last.1);
    let everything = *changes == all;
    wider.retain(|(_, gone)| everything || *gone != all);
    wider
}
