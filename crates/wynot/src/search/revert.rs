//! The bad version that was given, without the change that was found.

use super::change_lines::tree;
use super::deciding_changes::Cause;
use super::engine::Engine;
use crate::error::Error;
use crate::plan::{Plan, VersionPair};
use wynot_core::{Configuration, Outcome};
use wynot_exec::sources::{apply, patch};
use wynot_session::Counts;
use wynot_subjects::{Subject, Variant};

/// A patch that takes the change out of the bad version that was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revert {
    /// The bad version, as the user wrote it.
    pub version: String,
    /// The patch for it; `None` if later changes are in the way.
    pub patch: Option<Vec<u8>>,
    /// The outcome of the bad version with the patch.
    pub outcome: Outcome,
}

impl Revert {
    /// The result in words, where other changes go with the change if it `has_dependents`.
    pub fn in_words(&self, has_dependents: bool) -> String {
        let version = &self.version;
        let it = if has_dependents { "it and what needs it" } else { "it" };
        match (&self.patch, self.outcome) {
            (None, _) => format!("later changes are in the way of taking {it} out of {version}"),
            (_, Outcome::Pass) => format!("{version} passes without {it}"),
            (_, Outcome::Fail) => format!("{version} still fails without {it}, for another reason"),
            (_, Outcome::Unresolved) => format!("{version} cannot be tested without {it}"),
        }
    }
}

/// Takes a change out of the bad version that was given, and tests the result.
pub(super) fn revert(
    plan: &Plan,
    versions: &VersionPair,
    subject: &Subject,
    cause: &Cause,
    counts: &mut Counts,
    engine: &mut Engine<'_>,
) -> Result<Option<Revert>, Error> {
    let scratch = engine.executor.scratch().to_owned();
    let failing = tree(subject, &Configuration::full(subject.deltas()));
    let without = tree(subject, &cause.without);
    let removal = patch(&failing, &without, &scratch).map_err(Error::usage)?;
    let version = versions.names.1.clone();
    if failing == versions.bad {
        return Ok(Some(Revert { version, patch: Some(removal), outcome: Outcome::Pass }));
    }
    let Some(reverted) = apply(&removal, &versions.bad, &scratch).map_err(Error::usage)? else {
        return Ok(Some(Revert { version, patch: None, outcome: Outcome::Unresolved }));
    };
    let removal = patch(&versions.bad, &reverted, &scratch).map_err(Error::usage)?;
    let clean = engine.clean_spec();
    let mut session = engine.session_of_test(&clean, subject, &plan.results);
    // If the search ends here, what it has found is still complete.
    let Ok(outcome) = session.outcome_of(Variant::Folder(reverted)) else { return Ok(None) };
    *counts = counts.and(&session.counts());
    Ok(Some(Revert { version, patch: Some(removal), outcome }))
}
