//! The answer of `changes`, tried both ways on new builds.

use crate::args::CommonArgs;
use crate::plan::Plan;
use crate::search::local;
use crate::strategy::Surroundings;
use serde_json::{Value, json};
use wynot_core::{Configuration, Isolated, Outcome};
use wynot_run::{Counts, Stop};
use wynot_subjects::Subject;

/// What came of trying the answer both ways.
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
    pub fn told(&self) -> String {
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

    /// For programs.
    pub fn json(&self) -> Value {
        let mut value =
            json!({"alone": self.alone.to_string(), "without": self.without.to_string()});
        if let Some(scope) = &self.rest {
            value["rest"] = json!(scope);
        }
        value
    }
}

/// Tries the answer both ways, on builds from nothing.
pub fn audited(
    plan: &Plan,
    args: &CommonArgs,
    subject: &Subject,
    sides: &Isolated,
    surroundings: &mut Surroundings<'_>,
) -> Result<(Audit, Counts), Stop> {
    let mut clean = local(plan, args, false)?;
    let mut surroundings = Surroundings { executor: &mut clean, ..surroundings.again() };
    let mut session = surroundings.session(&plan.keeper, subject, false);
    let mut counts = Counts::default();
    let mut asked = |configuration: &Configuration| {
        let outcome = session.ask_anew(configuration)?.0;
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
