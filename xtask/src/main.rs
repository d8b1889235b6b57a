//! The chores of this workspace: `cargo xtask --help`.

mod install;
mod package;
mod test;

use std::env;
use std::process::ExitCode;

const HELP: &str = "\
The chores of this workspace.

Usage: cargo xtask COMMAND

Commands:
  test           Install missing tools, then check everything: format, lints, documentation, all tests.
                 No test is skipped. On Debian and Ubuntu, packages are installed with apt-get if this is root or
                 sudo asks for no password; elsewhere the missing ones are listed, and the exit code is 2.
  test --fast    The tests that need no tools besides Rust, gcc and git, in less than a minute after the build.
  package        Package every crate that can be published, without building the packages.

Example: check a change while working on it, then before it is committed

  cargo xtask test --fast
  cargo xtask test

Exit codes: 0 all is well, 1 a check has failed, 2 a tool is missing or the command line is wrong.
";

/// What a command comes to.
type Outcome = Result<(), Failure>;

/// Why a command has failed.
enum Failure {
    /// A step ended with an error; it has printed why.
    Step(String),
    /// Something is missing that nothing here may install.
    Missing(String),
}

fn main() -> ExitCode {
    let words: Vec<String> = env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["test"] => test::everything(),
        ["test", "--fast"] => test::fast(),
        ["package"] => package::all(),
        [] | ["help" | "-h" | "--help"] | [_, "-h" | "--help"] => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(Failure::Missing(format!("unknown: {}\n\n{HELP}", words.join(" ")))),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure::Step(what)) => {
            eprintln!("xtask: failed: {what}");
            ExitCode::from(1)
        }
        Err(Failure::Missing(what)) => {
            eprintln!("xtask: {what}");
            ExitCode::from(2)
        }
    }
}
