//! `wynot`: it worked yesterday. Why not today?

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

/// Prints a line to standard output. That nobody reads it must not end the run.
macro_rules! printed {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// Prints a line to standard error. That nobody reads it must not end the run.
macro_rules! told {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod account;
mod args;
mod asking;
mod assistant;
mod audit;
mod call;
mod causes;
mod changes;
mod control;
mod difference;
mod examples;
mod explain;
mod explain_oracle;
mod explaining;
mod failure;
mod finish;
mod flaky;
mod inspect;
mod keys;
mod listen;
mod live;
mod look;
mod matter;
mod places;
mod plan;
mod progress;
mod refutation;
mod results;
mod runs;
mod script;
mod search;
mod selections;
mod sessions;
mod strategy;
mod telling;
mod times;
mod trace;
mod verify;
mod versions;

use args::{Cli, ResumeArgs, Verb};
use clap::{CommandFactory, Parser};
use failure::Failure;
use sessions::Typed;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use wynot_report::Story;
use wynot_run::Journal;

/// The first argument with which wynot starts itself to watch over tests.
const SUPERVISE: &str = "__supervise";

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|first| first == SUPERVISE) {
        return match wynot_run::supervise() {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => Failure::unexpected(&error).show(),
        };
    }
    let done = match Cli::parse().verb {
        verb @ (Verb::Reduce(_) | Verb::Isolate(_) | Verb::Options(_) | Verb::Changes(_)) => {
            let typed = Typed::of(verb, sessions::words());
            search::run(&mut typed.expect("these verbs are searches"))
        }
        Verb::Explain(args) => explain::run(&args),
        Verb::State(args) => inspect::run(&args),
        Verb::Resume(args) => resume(&args),
        Verb::Verify(args) => verify::run(&args),
        Verb::Report { session, output } => report(session.as_deref(), output.as_deref()),
        Verb::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "wynot", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
        Verb::Man { page } => man(page.as_deref()),
    };
    done.unwrap_or_else(|failure| failure.show())
}

/// Goes on with the last search of a session.
fn resume(args: &ResumeArgs) -> Result<ExitCode, Failure> {
    let session = sessions::find(args.session.as_deref())?;
    let records = Journal::read(&session).map_err(|error| Failure::unexpected(&error))?;
    let (mut typed, _) = sessions::typed(&session, &records)?;
    typed.args.run.jobs = args.jobs.or(typed.args.run.jobs);
    // What ended the earlier run must not end this one at the same place.
    typed.args.algorithm.max_tests = args.max_tests;
    typed.args.algorithm.max_time = args.max_time;
    search::run(&mut typed)
}

/// Writes the report of a session, finished or not.
fn report(session: Option<&Path>, output: Option<&Path>) -> Result<ExitCode, Failure> {
    let session = sessions::find(session)?;
    let records = Journal::read(&session).map_err(|error| Failure::unexpected(&error))?;
    let story = Story::from_records(&records)
        .ok_or_else(|| Failure::usage(format!("nothing has happened in {}", session.display())))?;
    let page = wynot_report::html(&story);
    match output {
        Some(path) => {
            std::fs::write(path, page).map_err(|error| Failure::cannot_write(path, &error))?
        }
        None => std::io::stdout()
            .write_all(page.as_bytes())
            .map_err(|error| Failure::unexpected(&error))?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints a manual page: of wynot, or of one of its commands.
fn man(page: Option<&str>) -> Result<ExitCode, Failure> {
    let root = Cli::command();
    let command = match page {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name);
            let found =
                found.ok_or_else(|| Failure::usage(format!("there is no command '{name}'")))?;
            found.clone().display_name(format!("wynot-{name}")).bin_name(format!("wynot {name}"))
        }
    };
    match clap_mangen::Man::new(command).render(&mut std::io::stdout()) {
        // That nobody reads on is no failure.
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Failure::unexpected(&error))
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}
