//! `wynot completions`: completion scripts for shells.

use super::Cli;
use clap::{Args, CommandFactory};
use clap_complete::Shell;
use std::process::ExitCode;
use wynot::Error;

/// The arguments of `wynot completions`.
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Prints a completion script.
pub fn run(args: &CompletionsArgs) -> Result<ExitCode, Error> {
    clap_complete::generate(args.shell, &mut Cli::command(), "wynot", &mut std::io::stdout());
    Ok(ExitCode::SUCCESS)
}
