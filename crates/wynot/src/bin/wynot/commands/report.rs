//! `wynot report`: write the report of a session, finished or not: a page, an issue, or SARIF.

use crate::output::standard_output::print_bytes;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wynot::{Error, ReportForm, sessions};

/// The arguments of `wynot report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    session: Option<PathBuf>,
    /// Print the body of an issue in Markdown instead of a page: command, result, environment, what is proved, how to repeat
    #[arg(long)]
    markdown: bool,
    /// Print SARIF for code scanning instead of a page
    #[arg(long, conflicts_with = "markdown")]
    sarif: bool,
    /// Where to write the report [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Writes the report.
pub fn run(args: &ReportArgs, here: &Path) -> Result<ExitCode, Error> {
    let session = sessions::find(args.session.as_deref(), here)?;
    let records = sessions::records(&session.directory)?;
    // A session whose command line is unknown has only one kind of run.
    let run = session.last_run(&records);
    let form = match (args.markdown, args.sarif) {
        (true, _) => ReportForm::Markdown,
        (_, true) => ReportForm::Sarif,
        _ => ReportForm::Page,
    };
    let records = run.map_or(records.as_slice(), |run| run.records);
    let page = wynot::report_of_records(&session.directory, records, form)?;
    match &args.output {
        Some(path) if path.as_os_str() != "-" => {
            std::fs::write(path, page).map_err(|error| Error::cannot_write(path, &error))?
        }
        _ => print_bytes(page.as_bytes()),
    }
    Ok(ExitCode::SUCCESS)
}
