//! `wynot`: it worked yesterday. Why not today?
//!
//! Here: the command line around the library, which is its arguments (`commands`), its output (`output`), the terminal
//! (`terminal`) and its exit codes (`exit_code`). Not here: searches and everything else that another program could call,
//! which belong to the library.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

/// Prints a line to standard output. Errors are ignored: a closed pipe must not end the search.
macro_rules! print_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
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

fn main() -> ExitCode {
    wynot::init();
    commands::run()
}
