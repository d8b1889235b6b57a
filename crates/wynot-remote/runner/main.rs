//! The program that wynot sends to the workers of a remote execution service, where it runs one test.
//!
//! It is linked statically, so that it runs on every Linux of the same architecture.

use std::process::{Command, ExitCode};
use wynot_supervisor::runner::run_on_worker;
use wynot_supervisor::supervise;

/// The argument with which the program starts itself as a supervisor.
const SUPERVISE: &str = "supervise";

fn main() -> ExitCode {
    let result = match std::env::args_os().nth(1) {
        Some(argument) if argument == SUPERVISE => supervise(),
        _ => run_on_worker(|| {
            let mut command = Command::new(std::env::current_exe()?);
            command.arg(SUPERVISE);
            Ok(command)
        }),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("wynot-runner: {error}");
            ExitCode::FAILURE
        }
    }
}
