//! `wynot mcp`: the searches as tools for coding agents.

use super::secret_headers;
use clap::Args;
use std::process::ExitCode;
use wynot::{Error, ErrorKind};
use wynot_mcp::SearchProgram;

/// The arguments of `wynot mcp`: there are none, since agents give theirs with each call.
#[derive(Debug, Args)]
pub struct McpArgs {}

/// Serves an agent until its input ends. Standard output belongs to the protocol.
pub fn run(_: &McpArgs) -> Result<ExitCode, Error> {
    let program = std::env::current_exe().and_then(|path| {
        Ok(SearchProgram { path, environment: secret_headers::environment_to_hand_on()? })
    });
    let program = program.map_err(|error| Error::unexpected(&error))?;
    wynot_mcp::serve(program).map_err(|error| {
        let message = format!("cannot serve the Model Context Protocol: {error}");
        Error::new(ErrorKind::Unexpected, message).hint(
            "wynot mcp is started by a client of the protocol, such as a coding agent: see wynot mcp --help",
        )
    })?;
    Ok(ExitCode::SUCCESS)
}
