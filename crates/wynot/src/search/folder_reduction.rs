//! The default reducer over a directory or several files.

use super::confirm::{Confirmed, confirm};
use super::engine::Engine;
use super::external_tools::{ExternalTools, ReductionHooks};
use super::found::Found;
use super::text_reduction::certificate;
use crate::plan::Plan;
use wynot_core::{Permitted, Stopped};
use wynot_reduce::{FolderDraft, ReducedFolder};
use wynot_session::Files;
use wynot_subjects::Variant;

/// Reduces a directory or several files.
pub(super) fn reduce_files(
    plan: &Plan,
    tools: &ExternalTools<'_>,
    engine: &mut Engine<'_>,
) -> Found {
    let original_rate = engine.rate;
    let (original, fixed) = (&plan.input.varied, &plan.input.fixed);
    let files = Files { original, fixed };
    let mut session = engine.session(&files, &plan.results);
    let hooks = ReductionHooks::new(plan, tools, session.lab());
    let protection = &plan.protection;
    let permits =
        |draft: &FolderDraft| protection.is_empty() || protection.permits_folder(&draft.folder());
    let mut oracle = Permitted::new(&mut session, permits);
    let reduced = wynot_reduce::reduce_folder(original.clone(), &hooks, &mut oracle);
    let (failing, search_end) = match reduced {
        Ok(ReducedFolder { folder, swept }) => {
            (folder, Ok(certificate(plan, &swept, session.timeouts_since_step())))
        }
        Err(Stopped { best, cause }) => (best, Err(cause)),
    };
    let candidate = (failing != *original).then(|| FolderDraft::of(failing.clone()));
    let confirmed = confirm(search_end, candidate, original_rate, &mut session);
    let Confirmed { status, certificate, candidate, rate } = confirmed;
    let failing = candidate.as_ref().map_or_else(|| original.clone(), FolderDraft::folder);
    Found {
        status,
        certificate,
        deltas: failing.file_count(),
        failing: Variant::Folder(fixed.overlay(&failing)),
        passing: Variant::Folder(fixed.clone()),
        sides: None,
        counts: session.counts(),
        passes: session.passes().to_vec(),
        rate,
    }
}
