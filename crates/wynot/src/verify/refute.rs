//! The refutation of a session's claim about its result: a search for counterexamples, with new tests.

use crate::atoms::{atom_name, atoms};
use crate::plan::Plan;
use crate::request::Algorithm;
use crate::search::Engine;
use wynot_core::{
    Attempt, Configuration, Isolated, Label, Oracle, Outcome, Outcomes, Permitted,
    larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_reduce::{Atom, FolderDraft, SweptAtoms, TextDraft};
use wynot_session::{Compose, EndRecord, Files, Side, Stop, Texts};
use wynot_subjects::{Folder, Variant};

/// The claim of a session about its result.
pub struct Claim<'a> {
    /// The result on disk.
    pub result: &'a Variant,
    /// The record with the certificate.
    pub end: &'a EndRecord,
    /// The order of minimality that is claimed.
    pub minimality: usize,
}

/// The configuration of the ranges of deltas in a record.
pub(super) fn configuration_of(ranges: Vec<(u32, u32)>) -> Configuration {
    Configuration::from_deltas(ranges.into_iter().flat_map(|(start, end)| start..end))
}

/// Why a claim does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refutation {
    /// The result does not fail.
    DoesNotFail,
    /// The passing side does not pass.
    DoesNotPass,
    /// The records of the session do not specify the claim.
    Unspecified,
    /// A smaller variant than the failing side fails, or a larger one than the passing side passes.
    NotMinimal(Side),
    /// The search finds something else when it is repeated.
    OtherAnswer,
}

/// The result of an attempt to refute a claim.
pub(super) struct Checked {
    pub refutation: Option<Refutation>,
    pub tests: u64,
    /// The number of tests that timed out.
    pub timeouts: u64,
}

impl Checked {
    /// The result of a check that ended before its search for counterexamples.
    fn early(refutation: Refutation, tests: u64) -> Self {
        Self { refutation: Some(refutation), tests, timeouts: 0 }
    }
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

/// The atoms that the certificate covers.
fn claimed_atoms(end: &EndRecord) -> SweptAtoms {
    let certificate = end.certificate.as_ref();
    let is_covered =
        |atom: &Atom| certificate.is_some_and(|certificate| certificate.covers(atom_name(*atom)));
    atoms().filter(is_covered).collect()
}

/// Tries to refute the minimality of a text.
fn refute_text(
    plan: &Plan,
    claim: &Claim<'_>,
    text: &[u8],
    engine: &mut Engine<'_>,
) -> Result<Checked, Stop> {
    let texts = Texts { original: text };
    let mut session = engine.session(&texts, &plan.results);
    if !session.verify(&TextDraft::of(text.to_vec()), Outcome::Fail)? {
        return Ok(Checked::early(Refutation::DoesNotFail, 1));
    }
    let swept = claimed_atoms(claim.end);
    if swept.is_empty() {
        return Ok(Checked::early(Refutation::Unspecified, 1));
    }
    let protection = &plan.protection;
    let permits =
        |draft: &TextDraft| protection.is_empty() || protection.permits_text(&draft.text());
    let mut oracle = Permitted::new(&mut session, permits);
    let smaller = wynot_reduce::refute(text, plan.input.language, &swept, &mut oracle)?;
    let (tests, timeouts) = (session.counts().executed + 1, session.timeouts_since_step());
    let refutation = smaller.map(|_| Refutation::NotMinimal(Side::Failing));
    Ok(Checked { refutation, tests, timeouts })
}

/// Tries to refute the minimality of a folder's files and of their contents.
fn refute_folder(
    plan: &Plan,
    claim: &Claim<'_>,
    folder: &Folder,
    engine: &mut Engine<'_>,
) -> Result<Checked, Stop> {
    let files = Files { original: folder, fixed: &plan.input.fixed };
    let mut session = engine.session(&files, &plan.results);
    if !session.verify(&FolderDraft::of(folder.clone()), Outcome::Fail)? {
        return Ok(Checked::early(Refutation::DoesNotFail, 1));
    }
    let protection = &plan.protection;
    let permits =
        |draft: &FolderDraft| protection.is_empty() || protection.permits_folder(&draft.folder());
    let mut oracle = Permitted::new(&mut session, permits);
    let smaller = wynot_reduce::refute_folder(folder, &claimed_atoms(claim.end), &mut oracle)?;
    let (tests, timeouts) = (session.counts().executed + 1, session.timeouts_since_step());
    let refutation = smaller.then_some(Refutation::NotMinimal(Side::Failing));
    Ok(Checked { refutation, tests, timeouts })
}

/// Tries to refute the minimality of a result's deltas, or of the difference between its sides.
fn refute_deltas(plan: &Plan, claim: &Claim<'_>, engine: &mut Engine<'_>) -> Result<Checked, Stop> {
    let subject = plan.subject();
    let mut session = engine.session(subject, &plan.results);
    let Some(ranges) = claim.end.sides.clone() else {
        return Ok(Checked::early(Refutation::Unspecified, 0));
    };
    let [failing, passing] = ranges.map(configuration_of);
    let sides = Isolated { passing, failing };
    if subject.variant(&sides.failing) != *claim.result {
        return Ok(Checked::early(Refutation::Unspecified, 0));
    }
    if !session.verify(&sides.failing, Outcome::Fail)? {
        return Ok(Checked::early(Refutation::DoesNotFail, 1));
    }
    let is_pair = plan.algorithm.isolates();
    if is_pair && !session.verify(&sides.passing, Outcome::Pass)? {
        return Ok(Checked::early(Refutation::DoesNotPass, 2));
    }
    let side = match plan.algorithm {
        Algorithm::Smart | Algorithm::Ddmin | Algorithm::DdminNext | Algorithm::Gather => {
            let protection = &plan.protection;
            let permits = |candidate: &Configuration| {
                protection.is_empty() || protection.permits(&subject.variant(candidate))
            };
            let mut oracle = Permitted::new(&mut session, permits);
            smaller_failing(&sides.failing, claim.minimality, &mut oracle)?.map(|_| Side::Failing)
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
    let tests = session.counts().executed + 1 + u64::from(is_pair);
    let timeouts = session.timeouts_since_step();
    Ok(Checked { refutation: side.map(Refutation::NotMinimal), tests, timeouts })
}
