//! `wynot man`: manual pages.

use super::Cli;
use clap::{Args, CommandFactory};
use std::io::{ErrorKind, stdout};
use std::process::ExitCode;
use wynot::Error;

/// The arguments of `wynot man`.
#[derive(Debug, Args)]
pub struct ManArgs {
    /// The command, such as reduce
    page: Option<String>,
}

/// Prints a manual page: of wynot, or of one of its commands.
pub fn run(args: &ManArgs) -> Result<ExitCode, Error> {
    let root = Cli::command();
    let command = match &args.page {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name);
            let found =
                found.ok_or_else(|| Error::usage(format!("there is no command '{name}'")))?;
            found.clone().display_name(format!("wynot-{name}")).bin_name(format!("wynot {name}"))
        }
    };
    match clap_mangen::Man::new(command).render(&mut stdout()) {
        // A pager that is closed early is no error.
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(Error::unexpected(&error)),
        _ => Ok(ExitCode::SUCCESS),
    }
}
