//! The default reducer over one text.

use super::confirm::{Confirmed, confirm};
use super::engine::Engine;
use super::external_tools::{ExternalTools, ReductionHooks};
use super::found::Found;
use crate::atoms::atom_name;
use crate::plan::Plan;
use wynot_core::{Permitted, Stopped};
use wynot_reduce::{ReducedText, SweptAtoms, TextDraft};
use wynot_session::{Certificate, ResultFiles, Texts};
use wynot_subjects::Variant;

/// Reduces a text by edits that the syntax of its language proposes.
pub(super) fn reduce_text(
    plan: &Plan,
    results: &ResultFiles,
    original: &[u8],
    tools: &ExternalTools<'_>,
    engine: &mut Engine<'_>,
) -> Found {
    let original_rate = engine.rate;
    let texts = Texts { original };
    let mut session = engine.session(&texts, results);
    let hooks = ReductionHooks::new(plan, tools, session.lab());
    let protection = &plan.protection;
    let permits =
        |draft: &TextDraft| protection.is_empty() || protection.permits_text(&draft.text());
    let mut oracle = Permitted::new(&mut session, permits);
    let reduced = wynot_reduce::reduce(original, plan.input.language, &hooks, &mut oracle);
    let (failing, search_end) = match reduced {
        Ok(ReducedText { text, swept }) => {
            (text, Ok(certificate(plan, &swept, session.timeouts_since_step())))
        }
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != original).then(|| TextDraft::of(failing.clone()));
    let confirmed = confirm(search_end, candidate, original_rate, &mut session);
    let Confirmed { status, certificate, candidate, rate } = confirmed;
    let failing = candidate.as_ref().map_or_else(|| original.to_vec(), TextDraft::text);
    Found {
        status,
        certificate,
        deltas: failing.len() as u64,
        failing: Variant::Bytes(failing),
        passing: Variant::default(),
        sides: None,
        counts: session.counts(),
        passes: session.passes().to_vec(),
        rate,
    }
}

/// The certificate of a reduction that has swept these atoms, with this number of tests that timed out.
pub(super) fn certificate(plan: &Plan, swept: &SweptAtoms, timeouts: u64) -> Option<Certificate> {
    let proved = Certificate::one_minimal(swept.iter().map(atom_name))?;
    Some(proved.resting_on(timeouts).apart_from(&plan.protection.exceptions()))
}
