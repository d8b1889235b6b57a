//! `wynot man`: manual pages.

use super::command_line;
use crate::output::standard_output::print_page;
use clap::Args;
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
    let root = command_line();
    let command = match &args.page {
        None => root,
        Some(name) => {
            let found = root.find_subcommand(name);
            let found =
                found.ok_or_else(|| Error::usage(format!("there is no command '{name}'")))?;
            found.clone().display_name(format!("wynot-{name}")).bin_name(format!("wynot {name}"))
        }
    };
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).map_err(|error| Error::unexpected(&error))?;
    print_page(&page);
    Ok(ExitCode::SUCCESS)
}
