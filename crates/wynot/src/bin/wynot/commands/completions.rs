//! `wynot completions`: completion scripts for shells.

use super::command_line;
use crate::output::standard_output::print_bytes;
use clap::Args;
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
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command_line(), "wynot", &mut script);
    print_bytes(&script);
    Ok(ExitCode::SUCCESS)
}
