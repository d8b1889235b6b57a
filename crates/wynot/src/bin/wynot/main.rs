//! `wynot`: it worked yesterday. Why not today?
//!
//! Here: the command line around the library, which is its arguments (`commands`), its output (`output`), the terminal
//! (`terminal`) and its exit codes (`exit_code`). Not here: searches and everything else that another program could call,
//! which belong to the library.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

/// Prints a line to standard output. Errors are reported at the end: a closed pipe must not end the search.
macro_rules! print_line {
    ($($text:tt)*) => {
        crate::output::standard_output::print(format_args!($($text)*))
    };
}

/// Prints a line to standard error. Errors are ignored: a closed pipe must not end the search.
macro_rules! print_error_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod commands;
mod exit_code;
mod output;
mod terminal;

use std::process::ExitCode;

/// The stack for everything but the supervisors: enough for the deepest inputs, whatever limit (`ulimit -s`) was set for
/// programs.
const STACK_BYTES: usize = 64 << 20;

fn main() -> ExitCode {
    // Supervisors stay on the first thread, since only processes of one thread can enter namespaces.
    wynot::init();
    commands::secret_headers::hide();
    match std::thread::Builder::new().stack_size(STACK_BYTES).spawn(commands::run) {
        Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
        // Where no thread can be started, the stack is as large as it is.
        Err(_) => commands::run(),
    }
}
