//! The audit of the change that was found between two versions: tests with it and without it, on clean builds.

use super::deciding_changes::Cause;
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
    /// Whether it was shown that none of them can be left out by itself.
    pub needs_are_least: bool,
    /// The outcome of the bad version without the change; it should pass.
    pub without: Outcome,
    /// The number of other changes that are removed with the change from the bad version.
    pub dependents: u64,
}

/// The number of other changes from which on an audit says little about the change itself: one of the others could have been
/// named in its place.
pub(super) const MANY_OTHERS: u64 = 5;

impl Audit {
    /// Whether the failing side of the result fails on a clean build.
    pub fn holds(&self) -> bool {
        self.alone == Outcome::Fail
    }

    /// The audit in words.
    pub fn in_words(&self) -> String {
        let needed = (self.needed > 0).then(|| {
            let others = count(self.needed, "other change");
            format!("{others}{}", needed_in_words(self.needed, 1, self.needs_are_least))
        });
        let dependents = (self.dependents > 0).then(|| count(self.dependents, "other change"));
        let audit = self.naming(needed.as_deref(), dependents.as_deref());
        match self.needed >= MANY_OTHERS {
            true => format!("{audit}; with so many others, the mistake may be in one of them"),
            false => audit,
        }
    }

    /// The audit in words, with names for the changes that the change needs and for those that go with it.
    pub(super) fn naming(&self, needed: Option<&str>, dependents: Option<&str>) -> String {
        let with = match needed {
            None => "with this alone".to_owned(),
            Some(needed) => format!("with this and {needed}"),
        };
        let alone = match self.alone {
            Outcome::Fail => format!("fails {with}"),
            Outcome::Pass => format!("does not fail {with}"),
            Outcome::Unresolved => format!("cannot be tested {with}"),
        };
        let it = match dependents {
            None => "without it".to_owned(),
            Some(dependents) => format!("without it and {dependents}"),
        };
        let without = match self.without {
            Outcome::Pass => format!("passes {it}"),
            Outcome::Fail => format!("still fails {it}: there is more than one cause"),
            Outcome::Unresolved => format!("cannot be tested {it}"),
        };
        format!("the good version {alone}; the bad version {without}")
    }
}

/// What is said of other changes that some changes need.
pub fn needed_in_words(others: u64, changes: u64, are_least: bool) -> String {
    let pronoun = if changes == 1 { "it" } else { "they" };
    let needs = if changes == 1 { "needs" } else { "need" };
    match (are_least, others) {
        (true, _) => format!(" that {pronoun} {needs}"),
        (false, 1) => format!(" that {pronoun} may need"),
        (false, _) => format!(", of which {pronoun} may need fewer"),
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
    let mut session = engine.session(subject, &plan.results);
    let alone = session.test_as(&clean, &cause.alone)?;
    let without = match cause.passes_on_clean_build {
        true => Outcome::Pass,
        false => session.test_as(&clean, &cause.without)?,
    };
    let counts = session.counts();
    let removed = Configuration::full(subject.deltas()).difference(&cause.without);
    let audit = Audit {
        alone,
        needed: (cause.alone.len() - cause.changes.len()) as u64,
        needs_are_least: cause.needs_are_least,
        without,
        dependents: (removed.len() - cause.changes.len()) as u64,
    };
    Ok((audit, counts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_needed_may_hold_the_mistake() {
        let audit = |needed, dependents, needs_are_least| {
            let (alone, without) = (Outcome::Fail, Outcome::Pass);
            Audit { alone, needed, needs_are_least, without, dependents }.in_words()
        };
        assert_eq!(
            audit(0, 13, true),
            "the good version fails with this alone; the bad version passes without it and 13 other changes"
        );
        assert_eq!(
            audit(1973, 0, false),
            "the good version fails with this and 1,973 other changes, of which it may need fewer; \
             the bad version passes without it; with so many others, the mistake may be in one of them"
        );
        assert!(audit(5, 0, true).contains("and 5 other changes that it needs;"));
    }
}
