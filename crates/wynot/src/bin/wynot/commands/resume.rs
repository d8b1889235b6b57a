//! `wynot resume`: continue a search that was stopped.

use super::duration::duration;
#[cfg(target_arch = "x86_64")]
use super::explain;
use super::search::SearchCommand;
use super::{Cli, Command};
use clap::{Args, Parser, ValueHint};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wynot::{Error, sessions};
use wynot_session::CommandLine;

/// The arguments of `wynot resume`, which replace those of the search.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub session: Option<PathBuf>,

    /// How many tests run at the same time [default: as before]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Stop after this many further tests, with the best so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time, with the best so far (90s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
}

/// Continues the last search of a session.
pub fn run(args: &ResumeArgs, here: &Path) -> Result<ExitCode, Error> {
    let found = sessions::find(args.session.as_deref(), here)?;
    let records = sessions::intact_records(&found.directory)?;
    let line = found.last_run(&records)?.line;
    let session = found.directory;
    #[cfg(target_arch = "x86_64")]
    if let Command::Explain(mut explain_args) = parse(line)? {
        explain_args.session = Some(session);
        explain_args.fresh = false;
        explain_args.jobs = args.jobs.or(explain_args.jobs);
        explain_args.max_tests = args.max_tests;
        explain_args.max_time = args.max_time;
        let arguments = Some(line.arguments.clone());
        return explain::run(&explain_args, Path::new(&line.directory), arguments);
    }
    let mut search = search_to_resume(&session, line)?;
    let request = &mut search.request;
    request.run.jobs = args.jobs.or(request.run.jobs);
    // The limits of the earlier run do not apply: they would stop this one at the same point.
    request.algorithm.max_tests = args.max_tests;
    request.algorithm.max_time = args.max_time;
    search.run()
}

/// The search of a session's command line, set up to resume that session.
pub fn search_to_resume(session: &Path, line: &CommandLine) -> Result<SearchCommand, Error> {
    let directory = PathBuf::from(&line.directory);
    if !directory.is_dir() {
        let message = format!("there is no directory {} any more", line.directory);
        return Err(Error::usage(message).hint("the session was started there"));
    }
    let mut search = parse(line)?
        .search(directory, Some(line.arguments.clone()))
        .ok_or_else(|| Error::usage(format!("{} holds no search", session.display())))??;
    if search.request.inputs.iter().any(|input| input == Path::new("-")) {
        return Err(Error::usage("the input came from standard input, and is not kept")
            .hint("write it to a file, and start the search with that"));
    }
    search.request.resumed = true;
    search.request.run.session = Some(session.to_owned());
    search.request.run.fresh = false;
    Ok(search)
}

/// The command of a command line.
pub fn parse(line: &CommandLine) -> Result<Command, Error> {
    let arguments = std::iter::once("wynot").chain(line.arguments.iter().map(String::as_str));
    Cli::try_parse_from(arguments).map(|cli| cli.command).map_err(|error| Error::unexpected(&error))
}
