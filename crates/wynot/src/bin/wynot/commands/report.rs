//! `wynot report`: write the report of a session, finished or not: a page, an issue, or SARIF.

use crate::output::standard_output::print_bytes;
use clap::{Args, ValueHint};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wynot::{Error, ReportForm, sessions};
use wynot_subjects::quote::command;

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
    /// Where to write the report [default: standard output; a page is not printed on a terminal, except by -o -]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Writes the report.
pub fn run(args: &ReportArgs, here: &Path) -> Result<ExitCode, Error> {
    let is_page = !args.markdown && !args.sarif;
    if is_page && args.output.is_none() && std::io::stdout().is_terminal() {
        return Err(not_for_a_terminal(args));
    }
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

/// The error of a page that would be printed on a terminal, with what to type instead.
fn not_for_a_terminal(args: &ReportArgs) -> Error {
    let session = args.session.as_ref().map(|path| path.to_string_lossy().into_owned());
    let words: Vec<String> = session.into_iter().collect();
    let session = if words.is_empty() { String::new() } else { format!(" {}", command(&words)) };
    Error::usage("the report is a page of HTML, which a terminal does not show").hint(format!(
        "wynot report -o report.html{session} writes it to a file; --markdown prints a report to read here"
    ))
}
