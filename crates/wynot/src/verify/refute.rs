//! Trying to refute what a session has claimed about its result, with new tests.

use crate::atoms::{atom_name, atoms};
use crate::plan::Plan;
use crate::request::Algorithm;
use crate::search::Engine;
use wynot_core::{
    Attempt, Configuration, Isolated, Label, Oracle, Outcome, Outcomes,
    larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_reduce::{FolderDraft, SweptAtoms, TextDraft};
use wynot_session::{Certificate, Compose, EndRecord, Files, Side, Stop, Texts};
use wynot_subjects::{Folder, Variant};

/// What a session has ended with.
pub struct Claim<'a> {
    /// The result as it is now.
    pub result: &'a Variant,
    /// The record with the claim.
    pub end: &'a EndRecord,
    /// How many deltas at once were said to be needed.
    pub minimality: usize,
}

impl Claim<'_> {
    /// What was claimed, in words.
    pub fn in_words(&self) -> String {
        self.end.certificate.as_ref().map(Certificate::to_string).unwrap_or_default()
    }
}

/// A configuration as the journal keeps it.
pub(super) fn configuration_of(runs: Vec<(u32, u32)>) -> Configuration {
    Configuration::from_deltas(runs.into_iter().flat_map(|(start, end)| start..end))
}

/// Why a claim does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The result does not fail.
    DoesNotFail,
    /// Its other side does not pass.
    DoesNotPass,
    /// The session does not hold what the claim is about.
    Unspecified,
    /// Something smaller fails too, or something larger passes.
    NotMinimal(Side),
}

/// A check that has ended.
pub(super) struct Checked {
    pub refutation: Option<Refutation>,
    pub tests: u64,
}

/// Tries to refute a claim.
pub(super) fn refute(
    plan: &Plan,
    claim: &Claim<'_>,
    engine: &mut Engine<'_>,
) -> Result<Checked, Stop> {
    match (plan.algorithm, claim.result) {
        (Algorithm::Smart, Variant::Bytes(text)) => refute_text(plan, claim, text, engine),
        (Algorithm::Smart, Variant::Folder(folder)) => refute_folder(plan, claim, folder, engine),
        _ => refute_deltas(plan, claim, engine),
    }
}

/// The atoms that the default reducer has claimed to have tried.
fn claimed(end: &EndRecord) -> SweptAtoms {
    let claim = end.certificate.as_ref();
    atoms().filter(|atom| claim.is_some_and(|claim| claim.covers(atom_name(*atom)))).collect()
}

/// Tries to refute that a text is as small as was said.
fn refute_text(
    plan: &Plan,
    claim: &Claim<'_>,
    text: &[u8],
    engine: &mut Engine<'_>,
) -> Result<Checked, Stop> {
    let texts = Texts { original: text };
    let mut session = engine.session(&texts, &plan.results);
    if !session.verify(&TextDraft::of(text.to_vec()), Outcome::Fail)?.0 {
        return Ok(Checked { refutation: Some(Refutation::DoesNotFail), tests: 1 });
    }
    let swept = claimed(claim.end);
    if swept.is_empty() {
        return Ok(Checked { refutation: Some(Refutation::Unspecified), tests: 1 });
    }
    let smaller = wynot_reduce::refute(text, plan.input.language, &swept, &mut session)?;
    let tests = session.counts().executed + 1;
    Ok(Checked { refutation: smaller.map(|_| Refutation::NotMinimal(Side::Failing)), tests })
}

/// Tries to refute that a folder has as few and as small files as was said.
fn refute_folder(
    plan: &Plan,
    claim: &Claim<'_>,
    folder: &Folder,
    engine: &mut Engine<'_>,
) -> Result<Checked, Stop> {
    let files = Files { original: folder, fixed: &plan.input.fixed };
    let mut session = engine.session(&files, &plan.results);
    if !session.verify(&FolderDraft::of(folder.clone()), Outcome::Fail)?.0 {
        return Ok(Checked { refutation: Some(Refutation::DoesNotFail), tests: 1 });
    }
    let smaller = wynot_reduce::refute_folder(folder, &claimed(claim.end), &mut session)?;
    let tests = session.counts().executed + 1;
    Ok(Checked { refutation: smaller.then_some(Refutation::NotMinimal(Side::Failing)), tests })
}

/// Tries to refute that the deltas of a result are as few, or its sides as close, as was said.
fn refute_deltas(plan: &Plan, claim: &Claim<'_>, engine: &mut Engine<'_>) -> Result<Checked, Stop> {
    let subject = plan.subject();
    let mut session = engine.session(subject, &plan.results);
    let Some(runs) = claim.end.sides.clone() else {
        return Ok(Checked { refutation: Some(Refutation::Unspecified), tests: 0 });
    };
    let [failing, passing] = runs.map(configuration_of);
    let sides = Isolated { passing, failing };
    if subject.variant(&sides.failing) != *claim.result {
        return Ok(Checked { refutation: Some(Refutation::Unspecified), tests: 0 });
    }
    if !session.verify(&sides.failing, Outcome::Fail)?.0 {
        return Ok(Checked { refutation: Some(Refutation::DoesNotFail), tests: 1 });
    }
    let both = plan.algorithm.isolates();
    if both && !session.verify(&sides.passing, Outcome::Pass)?.0 {
        return Ok(Checked { refutation: Some(Refutation::DoesNotPass), tests: 2 });
    }
    let side = match plan.algorithm {
        Algorithm::Smart | Algorithm::Ddmin | Algorithm::Gather => {
            smaller_failing(&sides.failing, claim.minimality, &mut session)?.map(|_| Side::Failing)
        }
        Algorithm::Dd => {
            let closer = larger_passing_or_smaller_failing(&sides, claim.minimality, &mut session)?;
            closer.map(|closer| match closer.failing == sides.failing {
                true => Side::Passing,
                false => Side::Failing,
            })
        }
        Algorithm::Ddmax => {
            let rest = sides.difference();
            let added = rest.iter().map(|delta| Attempt {
                candidate: sides.passing.union(&Configuration::from_deltas([delta])),
                label: Label::new("with").count_more(1),
                decisive: Outcomes::PASS,
                next: (),
            });
            session.first(added)?.map(|_| Side::Passing)
        }
    };
    let tests = session.counts().executed + 1 + u64::from(both);
    Ok(Checked { refutation: side.map(Refutation::NotMinimal), tests })
}
