//! The report of a session: its HTML page, the body of an issue, and SARIF.

use crate::error::Error;
use crate::sessions;
use std::path::Path;
use wynot_report::SessionSummary;
use wynot_session::{ChainRecord, Record, RunRecord};

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
    let is_run = |record: &Record| matches!(record, Record::Run(_));
    let last = records.iter().rposition(is_run).map(|at| records[at..].iter());
    if let Some((Some(Record::Run(run)), rest)) = last.map(|mut last| (last.next(), last))
        && run.command == "explain"
    {
        let chain = rest.rev().find_map(|record| match record {
            Record::Chain(chain) => Some(chain),
            _ => None,
        });
        let chain = chain.ok_or_else(|| {
            let message = format!("the explanation in {} has not ended", session.display());
            Error::usage(message).hint("wynot resume goes on with it")
        })?;
        return Ok(report_of_chain(run, chain, form));
    }
    let summary = SessionSummary::from_records(records)
        .ok_or_else(|| Error::usage(format!("{} has no search yet", session.display())))?;
    Ok(match form {
        ReportForm::Page => wynot_report::session_page(&summary),
        ReportForm::Markdown => wynot_report::issue_body(&summary, &environment()),
        ReportForm::Sarif => format!("{:#}\n", wynot_report::sarif(&summary)),
    })
}

/// The report of an explanation.
fn report_of_chain(run: &RunRecord, chain: &ChainRecord, form: ReportForm) -> String {
    match form {
        ReportForm::Page => wynot_report::chain_page(chain),
        ReportForm::Markdown => wynot_report::chain_issue_body(run, chain, &environment()),
        ReportForm::Sarif => format!("{:#}\n", wynot_report::chain_sarif(chain)),
    }
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
