//! Files of the user that results would replace: the search keeps them under other names.

use crate::error::Error;
use crate::notes::Notes;
use crate::plan::{Plan, backup_path};
use crate::request::Request;
use crate::sessions;
use std::path::{Path, PathBuf};
use wynot_core::Outcome;
use wynot_session::files::{Durability, read_file, write_file_atomically};
use wynot_session::{Digest, Journal, Record, Side};
use wynot_subjects::Variant;

/// Writes both sides as the first results, so that from now on the files hold a result that fails. With `--in-place`, the
/// original is copied before.
pub(super) fn save_first(plan: &Plan, request: &Request, is_resumed: bool) -> Result<(), Error> {
    let (original, baseline) = (plan.subject().original(), plan.subject().baseline());
    if let (true, Variant::Bytes(bytes)) = (request.input.in_place, &original) {
        let backup = backup_path(&request.inputs[0]);
        let path = request.at(&backup);
        if read_file(&path).is_ok_and(|contents| contents != *bytes) {
            let message = format!("{} is there already and holds something else", backup.display());
            return Err(Error::usage(message).hint("move it away; it would be lost"));
        }
        write_file_atomically(&path, bytes, plan.input.mode, &plan.results.tag, Durability::Synced)
            .map_err(|error| Error::cannot_write(&backup, &error))?;
    }
    // When a search is resumed, the file holds a better result already.
    for (side, variant) in [(Side::Failing, &original), (Side::Passing, &baseline)] {
        if !is_resumed || plan.results.size(side).is_none() {
            let saved = plan.results.save(side, variant, Durability::Buffered);
            saved.map_err(|stop| Error::from(&stop))?;
        }
    }
    Ok(())
}

/// Whether a file that will be replaced is the original, or was written by the session.
pub(super) fn is_original_or_result(plan: &Plan, input: &Path) -> bool {
    let Ok(contents) = read_file(input) else { return true };
    let digest = Digest::of_bytes(&contents).to_string();
    let past = Journal::read(&plan.session).unwrap_or_default().records;
    let is_written = past.iter().any(|record| match record {
        Record::Test(test) => test.digest == digest && test.outcome == Outcome::Fail.to_string(),
        Record::End(end) => end.result == digest,
        _ => false,
    });
    !past.is_empty() && (is_written || Variant::Bytes(contents) == plan.subject().original())
}

/// Whether the default path of the result holds a file that no session has written.
pub(super) fn is_result_path_taken(plan: &Plan, request: &Request) -> bool {
    let is_default_path = !request.input.in_place && request.output.is_none();
    let result = &plan.results.failing;
    is_default_path && !plan.is_printed() && result.exists() && !sessions::has_written(result)
}

/// Renames the file at the path of the result, and warns the user.
pub(super) fn move_away(plan: &Plan, notes: &mut dyn Notes) -> Result<(), Error> {
    let (result, shown) = (&plan.results.failing, &plan.outputs.failing);
    let first = backup_path(result);
    let numbered = (2..).map(|number| PathBuf::from(format!("{}{number}", first.display())));
    let backup = std::iter::once(first.clone()).chain(numbered).find(|path| !path.exists());
    let backup = backup.unwrap_or(first);
    std::fs::rename(result, &backup).map_err(|error| Error::cannot_write(&backup, &error))?;
    let backup = shown.with_file_name(backup.file_name().unwrap_or_default());
    let (shown, backup) = (shown.display(), backup.display());
    notes.warn(&format!("{shown} was there already; it is {backup} now"));
    Ok(())
}
