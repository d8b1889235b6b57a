//! The commands of the command line.
//!
//! Here: a file for each command with its arguments and its `run` function, the arguments that searches have in common
//! (`search_args`, `choices`, `duration`), and the texts below the help (`examples`). Help, manual pages and completions
//! are generated from these definitions. Not here: searching, which belongs to the library, and printing results, which
//! belongs to `output`.

mod changes;
mod choices;
mod completions;
mod duration;
mod examples;
#[cfg(target_arch = "x86_64")]
mod explain;
mod history;
mod isolate;
mod man;
mod mcp;
mod options;
mod reduce;
mod remote_args;
mod report;
mod resume;
mod search;
mod search_args;
pub mod secret_headers;
mod serve;
mod sessions_command;
mod standard_streams;
#[cfg(target_arch = "x86_64")]
mod state;
mod submit;
mod submit_client;
mod submit_files;
#[cfg(not(target_arch = "x86_64"))]
mod unsupported_verb;
mod usage_advice;
mod usage_errors;
mod verb_help;
mod verify;
#[cfg(target_arch = "x86_64")]
mod verify_explanation;

use crate::output::standard_output;
use crate::output::text::print_failure;
use changes::ChangesArgs;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use examples::{
    CHANGES_EXAMPLES, EXIT_CODES, EXPLAIN_EXAMPLES, HISTORY_EXAMPLES, ISOLATE_EXAMPLES,
    MCP_EXAMPLES, OPTIONS_EXAMPLES, REDUCE_EXAMPLES, SERVE_EXAMPLES, SESSIONS_EXAMPLES,
    STATE_EXAMPLES, SUBMIT_EXAMPLES, VERIFY_EXAMPLES,
};
#[cfg(target_arch = "x86_64")]
use explain::ExplainArgs;
use history::HistoryArgs;
use isolate::IsolateArgs;
use options::OptionsArgs;
use reduce::ReduceArgs;
use remote_args::NeededArgs;
use report::ReportArgs;
use resume::ResumeArgs;
use search::{SearchCommand, print_error_object};
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use usage_errors::usage_error;
use verify::VerifyArgs;
use wynot::Error;

/// A delta debugger: it worked yesterday, why not today?
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simplify a failing input until everything left in it is needed for the failure
    #[command(after_help = REDUCE_EXAMPLES)]
    Reduce(ReduceArgs),
    /// Isolate the difference between a passing and a failing input
    #[command(after_help = ISOLATE_EXAMPLES)]
    Isolate(IsolateArgs),
    /// Find the options or environment variables that cause a failure, or prevent it
    #[command(after_help = OPTIONS_EXAMPLES)]
    Options(OptionsArgs),
    /// Find the change between two versions that broke it, or the first bad version of a row
    #[command(after_help = CHANGES_EXAMPLES)]
    Changes(ChangesArgs),
    /// Find the change that broke it where no good version is known: walk back through the git history
    #[command(after_help = HISTORY_EXAMPLES)]
    History(HistoryArgs),
    /// Find the variables that carry a failure from the input to the crash
    #[command(after_help = EXPLAIN_EXAMPLES)]
    #[cfg(target_arch = "x86_64")]
    Explain(ExplainArgs),
    /// Show the state of a running program, or what differs between two
    #[command(after_help = STATE_EXAMPLES)]
    #[cfg(target_arch = "x86_64")]
    State(state::StateArgs),
    /// (on x86-64 only) Find the variables that carry a failure from the input to the crash
    #[command(after_help = EXPLAIN_EXAMPLES)]
    #[cfg(not(target_arch = "x86_64"))]
    Explain(unsupported_verb::UnsupportedArgs),
    /// (on x86-64 only) Show the state of a running program, or what differs between two
    #[command(after_help = STATE_EXAMPLES)]
    #[cfg(not(target_arch = "x86_64"))]
    State(unsupported_verb::UnsupportedArgs),
    /// Go on with a search that was stopped
    Resume(ResumeArgs),
    /// Check what was proved about a result with new tests
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Write the report of a session, finished or not
    Report(ReportArgs),
    /// List what earlier searches have left, or remove it
    #[command(after_help = SESSIONS_EXAMPLES)]
    Sessions(sessions_command::SessionsArgs),
    /// Run a server to which failures are submitted, and which finds their causes
    #[command(after_help = SERVE_EXAMPLES)]
    Serve(serve::ServeArgs),
    /// Do what a verb does on a server, wait for the result and write it
    #[command(after_help = SUBMIT_EXAMPLES)]
    Submit(submit::SubmitArgs),
    /// Serve coding agents: the searches as tools of the Model Context Protocol, on standard input and output
    #[command(after_help = MCP_EXAMPLES)]
    Mcp(mcp::McpArgs),
    /// Print a completion script for a shell
    Completions(completions::CompletionsArgs),
    /// Print the manual page, of wynot or of one command
    Man(man::ManArgs),
}

/// Runs the command of this process's command line.
pub fn run() -> ExitCode {
    let parsed = command_line().try_get_matches();
    let code = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => dispatch(cli.command).unwrap_or_else(|error| print_failure(&error)),
        Err(message) => print_message(&message),
    };
    match standard_output::finish() {
        Err(error) => {
            let failed = print_failure(&error);
            if code == ExitCode::SUCCESS { failed } else { code }
        }
        Ok(()) => code,
    }
}

/// The definition of the command line, with the help of each verb.
pub fn command_line() -> clap::Command {
    verb_help::with_verb_help(Cli::command())
}

/// Prints help, or an error of usage, and returns the exit code.
fn print_message(message: &clap::Error) -> ExitCode {
    let words = own_arguments().unwrap_or_default();
    if message.use_stderr() && !words.is_empty() {
        let error = usage_error(message, &words, &command_line());
        let is_json = words.iter().take_while(|word| *word != "--").any(|word| word == "--json");
        print_error_object(&error, &words[0], is_json);
        return print_failure(&error);
    }
    if message.use_stderr() || std::io::stdout().is_terminal() {
        // With colours; an error of a terminal cannot be shown.
        let _ = message.print();
    } else {
        standard_output::print_page(message.render().to_string().as_bytes());
    }
    u8::try_from(message.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

fn dispatch(command: Command) -> Result<ExitCode, Error> {
    let here = std::env::current_dir().map_err(|error| Error::unexpected(&error))?;
    match command {
        #[cfg(target_arch = "x86_64")]
        Command::Explain(args) => explain::run(&args, &here, own_arguments()),
        #[cfg(not(target_arch = "x86_64"))]
        Command::Explain(_) => Err(unsupported_verb::refusal("explain")),
        #[cfg(not(target_arch = "x86_64"))]
        Command::State(_) => Err(unsupported_verb::refusal("state")),
        #[cfg(target_arch = "x86_64")]
        Command::State(args) => state::run(&args, &here),
        Command::Resume(args) => resume::run(&args, &here),
        Command::Verify(args) => {
            #[cfg(target_arch = "x86_64")]
            if let Some(code) = verify_explanation::run_if_explained(&args, &here)? {
                return Ok(code);
            }
            verify::run(&args, &here)
        }
        Command::Report(args) => report::run(&args, &here),
        Command::Sessions(args) => sessions_command::run(&args, &here),
        Command::Submit(args) => submit::run(&args, &here),
        Command::Serve(args) => serve::run(args),
        Command::Mcp(args) => mcp::run(&args),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
        command => match command.search(here, own_arguments()) {
            Some(search) => search?.run(),
            None => unreachable!("all other commands are searches"),
        },
    }
}

impl Command {
    /// The search of a command; `None` if the command does not search.
    fn search(
        self,
        directory: PathBuf,
        arguments: Option<Vec<String>>,
    ) -> Option<Result<SearchCommand, Error>> {
        let (common, needed) = match &self {
            Self::Reduce(args) => (&args.search.common, args.search.needed.clone()),
            Self::Isolate(args) => (&args.search.common, args.search.needed.clone()),
            Self::Options(args) => (&args.common, args.needed.clone()),
            // These bring files into the versions that they test.
            Self::Changes(args) => (&args.common, NeededArgs::default()),
            Self::History(args) => (&args.common, NeededArgs::default()),
            _ => return None,
        };
        let display = common.display();
        let executor = common.remote.clone().choose(needed, &directory);
        let mut request = match self {
            Self::Reduce(args) => args.request(directory),
            Self::Isolate(args) => args.request(directory),
            Self::Options(args) => args.request(directory),
            Self::Changes(args) => args.request(directory),
            Self::History(args) => args.request(directory),
            _ => return None,
        };
        let executor = match executor {
            Ok(executor) => executor,
            Err(error) => {
                print_error_object(&error, request.verb.name(), display.json);
                return Some(Err(error));
            }
        };
        request.run.jobs = request.run.jobs.or(executor.jobs);
        request.run.remote = executor.remote;
        request.command_line = arguments;
        let settings = match display.verbose {
            true => executor.settings,
            false => executor.notice.into_iter().collect(),
        };
        Some(Ok(SearchCommand { request, display, settings }))
    }
}

/// The arguments of this process; `None` if they are not Unicode.
fn own_arguments() -> Option<Vec<String>> {
    std::env::args_os().skip(1).map(|word| word.into_string().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn every_example_of_the_help_can_be_parsed() {
        let root = command_line();
        let mut examples = 0;
        for verb in root.get_subcommands() {
            let text = verb.get_after_long_help().or(verb.get_after_help());
            let text = text.map(ToString::to_string).unwrap_or_default();
            for line in text.lines().filter(|line| line.starts_with("  wynot ")) {
                let line = line.split(" | ").next().unwrap_or(line);
                let words = words_of(line);
                if let Err(error) = command_line().try_get_matches_from(&words) {
                    panic!("{line}: {error}");
                }
                examples += 1;
            }
        }
        assert!(examples > 25, "{examples}");
    }

    #[test]
    fn every_command_in_the_documentation_can_be_parsed() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut folders = vec![root.join("docs")];
        let mut pages = vec![root.join("README.md"), root.join("skills/wynot/SKILL.md")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap().flatten() {
                match entry.path() {
                    path if path.is_dir() => folders.push(path),
                    path if path.extension().is_some_and(|end| end == "md") => pages.push(path),
                    _ => {}
                }
            }
        }
        let mut commands = 0;
        for page in pages {
            let text = std::fs::read_to_string(&page).unwrap();
            for block in text.split("\n```sh\n").skip(1) {
                let block = block.split("\n```").next().unwrap();
                for line in block.lines().filter(|line| line.starts_with("wynot ")) {
                    let line = line.split(" #").next().unwrap();
                    if let Err(error) = command_line().try_get_matches_from(words_of(line)) {
                        panic!("{}: {line}: {error}", page.display());
                    }
                    commands += 1;
                }
            }
        }
        assert!(commands > 10, "{commands}");
    }

    /// The words of a command line with simple quotes.
    fn words_of(line: &str) -> Vec<String> {
        let mut words = vec![String::new()];
        let mut is_quoted = false;
        for c in line.trim().chars() {
            match c {
                '\'' => is_quoted = !is_quoted,
                ' ' if !is_quoted => words.push(String::new()),
                c => words.last_mut().unwrap().push(c),
            }
        }
        words
    }

    #[test]
    fn the_command_line_is_consistent() {
        command_line().debug_assert();
    }
}
