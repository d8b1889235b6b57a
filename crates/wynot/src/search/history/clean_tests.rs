//! Tests on clean builds.

use super::configured_folder::ConfiguredFolder;
use crate::plan::Plan;
use crate::search::engine::Engine;
use wynot_core::{Configuration, Outcome};
use wynot_session::{Counts, Stop};
use wynot_subjects::Folder;

/// The outcome of a version that is built from nothing.
pub(super) fn test_clean(
    plan: &Plan,
    folder: &Folder,
    counts: &mut Counts,
    engine: &mut Engine<'_>,
) -> Result<Outcome, Stop> {
    let clean = engine.clean_spec();
    let subject = ConfiguredFolder::new(|_: &Configuration| folder.clone());
    let mut session = engine.session(&subject, &plan.results);
    let outcome = session.test_as(&clean, &Configuration::empty())?;
    *counts = counts.and(&session.counts());
    Ok(outcome)
}
