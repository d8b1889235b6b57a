//! The report of a session: its HTML page, the body of an issue, and SARIF.

use crate::error::Error;
use crate::sessions;
use std::path::Path;
use wynot_report::SessionSummary;
use wynot_session::Record;

/// The form of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReportForm {
    /// A page of HTML.
    #[default]
    Page,
    /// The body of an issue, in Markdown.
    Markdown,
    /// A log for code scanning.
    Sarif,
}

/// The page of a session, finished or not, as HTML.
pub fn page(session: &Path) -> Result<String, Error> {
    report_of_records(session, &sessions::records(session)?, ReportForm::Page)
}

/// The report of the last run among some records of a session.
pub fn report_of_records(
    session: &Path,
    records: &[Record],
    form: ReportForm,
) -> Result<String, Error> {
    let summary = SessionSummary::from_records(records)
        .ok_or_else(|| Error::usage(format!("{} has no search yet", session.display())))?;
    Ok(match form {
        ReportForm::Page => wynot_report::session_page(&summary),
        ReportForm::Markdown => wynot_report::issue_body(&summary, &environment()),
        ReportForm::Sarif => format!("{:#}\n", wynot_report::sarif(&summary)),
    })
}

/// The facts about this machine on which failures may depend.
fn environment() -> Vec<String> {
    let system = rustix::system::uname();
    let text = |name: &std::ffi::CStr| name.to_string_lossy().into_owned();
    let kernel = [system.sysname(), system.release(), system.machine()].map(text).join(" ");
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| name.trim_matches('"').to_owned());
    let own = format!("wynot {}", env!("CARGO_PKG_VERSION"));
    [own].into_iter().chain(name).chain([kernel]).collect()
}
