//! The HTML page of a session.

use crate::error::Error;
use crate::sessions;
use std::path::Path;
use wynot_report::SessionSummary;
use wynot_session::Record;

/// The page of a session, finished or not, as HTML.
pub fn page(session: &Path) -> Result<String, Error> {
    page_of_records(session, &sessions::records(session)?)
}

/// The page of the last run among some records of a session.
pub fn page_of_records(session: &Path, records: &[Record]) -> Result<String, Error> {
    let summary = SessionSummary::from_records(records)
        .ok_or_else(|| Error::usage(format!("{} has no search yet", session.display())))?;
    Ok(wynot_report::session_page(&summary))
}
