//! `wynot report`: write the page of a session, finished or not.

use crate::output::standard_output::print_bytes;
use clap::{Args, ValueHint};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use wynot::{Error, sessions};

/// The arguments of `wynot report`.
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    session: Option<PathBuf>,
    /// Where to write the page [default: standard output]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: Option<PathBuf>,
}

/// Writes the page.
pub fn run(args: &ReportArgs, here: &Path) -> Result<ExitCode, Error> {
    let session = sessions::find(args.session.as_deref(), here)?;
    let records = sessions::records(&session.directory)?;
    // A session whose command line is unknown has only one kind of run.
    let run = session.last_run(&records);
    let page = wynot::page_of_records(
        &session.directory,
        run.map_or(records.as_slice(), |run| run.records),
    )?;
    match &args.output {
        Some(path) => {
            std::fs::write(path, page).map_err(|error| Error::cannot_write(path, &error))?
        }
        None => print_bytes(page.as_bytes()),
    }
    Ok(ExitCode::SUCCESS)
}
