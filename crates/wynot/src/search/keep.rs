//! Files of the user that results would replace: they are kept.

use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Plan, kept_original};
use crate::request::Request;
use crate::sessions;
use std::path::{Path, PathBuf};
use wynot_core::Outcome;
use wynot_session::files::write_file_atomically;
use wynot_session::{Digest, Journal, Record, Side};
use wynot_subjects::Variant;

/// Writes the first results: from then on there is a complete result that fails, the original.
pub(super) fn save_first(plan: &Plan, request: &Request, resuming: bool) -> Result<(), Error> {
    let (original, baseline) = (plan.subject().original(), plan.subject().baseline());
    if let (true, Variant::Bytes(bytes)) = (request.input.in_place, &original) {
        let kept = kept_original(&request.inputs[0]);
        let path = request.at(&kept);
        if std::fs::read(&path).is_ok_and(|contents| contents != *bytes) {
            let message = format!("{} is there already and holds something else", kept.display());
            return Err(Error::usage(message).hint("move it away; it would be lost"));
        }
        write_file_atomically(&path, bytes, plan.input.mode, &plan.results.tag)
            .map_err(|error| Error::cannot_write(&kept, &error))?;
    }
    // When resuming, the file holds something better already.
    for (side, variant) in [(Side::Failing, &original), (Side::Passing, &baseline)] {
        if !resuming || plan.results.size(side).is_none() {
            plan.results.save(side, variant).map_err(|stop| Error::from(&stop))?;
        }
    }
    Ok(())
}

/// Whether a file that is going to be replaced is the original, or was written by the session.
pub(super) fn is_own(plan: &Plan, input: &Path) -> bool {
    let Ok(now) = std::fs::read(input) else { return true };
    let digest = Digest::of_bytes(&now).to_string();
    let past = Journal::read(&plan.session).unwrap_or_default();
    let written = past.iter().any(|record| match record {
        Record::Test(test) => test.digest == digest && test.outcome == Outcome::Fail.to_string(),
        Record::End(end) => end.result == digest,
        _ => false,
    });
    !past.is_empty() && (written || Variant::Bytes(now) == plan.subject().original())
}

/// Whether the place of the result is taken by a file that comes from no search.
pub(super) fn is_taken(plan: &Plan, request: &Request) -> bool {
    let by_default = !request.input.in_place && request.output.is_none();
    let result = &plan.results.failing;
    by_default && !plan.is_printed() && result.exists() && !sessions::has_written(result)
}

/// Moves a file out of the place of the result.
pub(super) fn move_away(plan: &Plan, notes: &mut dyn Notes) -> Result<(), Error> {
    let (result, shown) = (&plan.results.failing, &plan.outputs.failing);
    let first = kept_original(result);
    let numbered = (2..).map(|number| PathBuf::from(format!("{}{number}", first.display())));
    let kept = std::iter::once(first.clone()).chain(numbered).find(|path| !path.exists());
    let kept = kept.unwrap_or(first);
    std::fs::rename(result, &kept).map_err(|error| Error::cannot_write(&kept, &error))?;
    let kept = shown.with_file_name(kept.file_name().unwrap_or_default());
    let (shown, kept) = (shown.display(), kept.display());
    notes.warn(&format!("{shown} was there already; it is {kept} now"));
    Ok(())
}
