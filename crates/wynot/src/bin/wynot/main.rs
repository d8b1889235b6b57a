//! `wynot`: it worked yesterday. Why not today?
//!
//! The binary: arguments (`commands`), output (`output`) and the terminal (`terminal`) around the library.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

/// Prints a line to standard output. A reader that has gone away must not end the run.
macro_rules! print_line {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stdout(), $($text)*);
    }};
}

/// Prints a line to standard error. A reader that has gone away must not end the run.
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
