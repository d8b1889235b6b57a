//! Trying to refute what a session has claimed about its result, with new tests.

use crate::plan::{Algorithm, Plan};
use crate::strategy::Surroundings;
use wynot_core::{
    Attempt, Configuration, Isolated, Oracle, Outcome, Outcomes, Part,
    larger_passing_or_smaller_failing, smaller_failing,
};
use wynot_reduce::{Atom, FolderDraft, SweptAtoms, TextDraft};
use wynot_run::{Compose, End, Files, Side, Stop, Texts};
use wynot_subjects::{Artefact, Folder};

/// What a session has ended with.
pub struct Claim<'a> {
    pub result: &'a Artefact,
    pub end: &'a End,
    /// How many deltas at once were said to be needed.
    pub minimality: usize,
}

impl Claim<'_> {
    /// What was claimed.
    pub fn words(&self) -> String {
        self.end.minimality.clone().unwrap_or_default()
    }
}

/// A configuration as the journal keeps it.
pub fn deltas(runs: Vec<(u32, u32)>) -> Configuration {
    Configuration::from_deltas(runs.into_iter().flat_map(|(start, end)| start..end))
}

/// Why a claim does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refuted {
    /// The result does not fail.
    DoesNotFail,
    /// Its other side does not pass.
    DoesNotPass,
    /// The session does not tell what the claim is about.
    Unclear,
    /// Something smaller fails too, or something larger passes.
    NotMinimal(Side),
}

/// What came of a check.
pub struct Checked {
    pub refuted: Option<Refuted>,
    pub tests: u64,
}

/// Tries to refute a claim.
pub fn refute(
    plan: &Plan,
    claim: &Claim<'_>,
    surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    match (plan.algorithm, claim.result) {
        (Algorithm::Smart, Artefact::Bytes(text)) => refute_text(plan, claim, text, surroundings),
        (Algorithm::Smart, Artefact::Folder(folder)) => {
            refute_folder(plan, claim, folder, surroundings)
        }
        _ => refute_deltas(plan, claim, surroundings),
    }
}

/// What the default reducer has claimed.
fn said(end: &End) -> SweptAtoms {
    let said = |name: &str| end.minimality.as_deref().is_some_and(|said| said.contains(name));
    let atoms = [(Atom::File, "file"), (Atom::Token, "token"), (Atom::Byte, "byte")];
    atoms.into_iter().filter(|(_, name)| said(name)).map(|(atom, _)| atom).collect()
}

/// Tries to refute that a text is as small as was said.
fn refute_text(
    plan: &Plan,
    claim: &Claim<'_>,
    text: &[u8],
    mut surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    let texts = Texts { original: text };
    let mut session = surroundings.session(&plan.keeper, &texts, false);
    if !session.verify(&TextDraft::of(text.to_vec()), Outcome::Fail)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotFail), tests: 1 });
    }
    let swept = said(claim.end);
    if swept.is_empty() {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 1 });
    }
    let smaller = wynot_reduce::refute(text, plan.matter.language, &swept, &mut session)?;
    let tests = session.counts().executed + 1;
    Ok(Checked { refuted: smaller.map(|_| Refuted::NotMinimal(Side::Failing)), tests })
}

/// Tries to refute that a folder has as few and as small files as was said.
fn refute_folder(
    plan: &Plan,
    claim: &Claim<'_>,
    folder: &Folder,
    mut surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    let files = Files { original: folder, fixed: &plan.matter.fixed };
    let mut session = surroundings.session(&plan.keeper, &files, false);
    if !session.verify(&FolderDraft::of(folder.clone()), Outcome::Fail)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotFail), tests: 1 });
    }
    let smaller = wynot_reduce::refute_folder(folder, &said(claim.end), &mut session)?;
    let tests = session.counts().executed + 1;
    Ok(Checked { refuted: smaller.then_some(Refuted::NotMinimal(Side::Failing)), tests })
}

/// Tries to refute that the deltas of a result are as few, or its sides as close, as was said.
fn refute_deltas(
    plan: &Plan,
    claim: &Claim<'_>,
    mut surroundings: Surroundings<'_>,
) -> Result<Checked, Stop> {
    let subject = plan.subject();
    let mut session = surroundings.session(&plan.keeper, subject, false);
    let Some(runs) = claim.end.sides.clone() else {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 0 });
    };
    let [failing, passing] = runs.map(deltas);
    let sides = Isolated { passing, failing };
    if subject.artefact(&sides.failing) != *claim.result {
        return Ok(Checked { refuted: Some(Refuted::Unclear), tests: 0 });
    }
    if !session.verify(&sides.failing, Outcome::Fail)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotFail), tests: 1 });
    }
    let both = plan.algorithm.isolates();
    if both && !session.verify(&sides.passing, Outcome::Pass)?.0 {
        return Ok(Checked { refuted: Some(Refuted::DoesNotPass), tests: 2 });
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
            let added = rest.deltas().map(|delta| Attempt {
                configuration: sides.passing.union(&Configuration::from_deltas([delta])),
                part: Part::With { count: 1 },
                decisive: Outcomes::PASS,
                next: (),
            });
            session.first(added)?.map(|_| Side::Passing)
        }
    };
    let tests = session.counts().executed + 1 + u64::from(both);
    Ok(Checked { refuted: side.map(Refuted::NotMinimal), tests })
}
