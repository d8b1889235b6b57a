//! The page of a session.

use crate::error::Error;
use crate::sessions;
use std::path::Path;
use wynot_report::Story;

/// The page of a session, finished or not, as HTML.
pub fn page(session: &Path) -> Result<String, Error> {
    let records = sessions::records(session)?;
    let story = Story::from_records(&records)
        .ok_or_else(|| Error::usage(format!("nothing has happened in {}", session.display())))?;
    Ok(wynot_report::html(&story))
}
