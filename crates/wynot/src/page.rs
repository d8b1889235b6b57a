//! The HTML page of a session.

use crate::error::Error;
use crate::sessions;
use std::path::Path;
use wynot_report::SessionSummary;

/// The page of a session, finished or not, as HTML.
pub fn page(session: &Path) -> Result<String, Error> {
    let records = sessions::records(session)?;
    let summary = SessionSummary::from_records(&records)
        .ok_or_else(|| Error::usage(format!("{} has no search yet", session.display())))?;
    Ok(wynot_report::session_page(&summary))
}
