//! What is typed after `wynot explain`.

use crate::times::duration;
use clap::{Args, Subcommand, ValueEnum, ValueHint};
use std::path::PathBuf;
use std::time::Duration;
use wynot_run::Condition;

const HINTS: &str = "\
A file with what compilers do not write down, a line each:
  struct TValue.value_ by tt_: 3 -> i, 19 -> n, 4..127 -> gc, else -> p
      which member of a union is in use
  struct vec.data[len]
      how many values a pointer leads to
  union StackValue is val
      the only member that matters
Comments begin with #.";

/// Options of a comparison of two runs.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// A run that passes: a program with debug information and its arguments, < FILE for its input
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub pass: String,

    /// A run of the same program that fails
    #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
    pub fail: String,

    /// Compare here (repeatable): FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT [default: from main
    /// to the last common call, and where causes change]
    #[arg(long, value_name = "PLACE")]
    pub at: Vec<String>,

    /// In how many places to begin with
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub places: u16,

    /// In how many places to compare at most
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u16).range(1..=10_000))]
    pub most: u16,

    /// A file that says which member of a union is in use, and how many values a pointer leads to
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, long_help = HINTS)]
    pub hints: Option<PathBuf>,

    /// Fail only if this holds (repeatable): exit=N, signal=NAME, timeout, stdout~REGEX, stderr~REGEX
    #[arg(long, value_name = "CONDITION")]
    pub fail_when: Vec<Condition>,

    /// Pass only if this holds (repeatable)
    #[arg(long, value_name = "CONDITION")]
    pub pass_when: Vec<Condition>,

    /// Pass and fail only with the output of the two runs
    #[arg(long, conflicts_with_all = ["fail_when", "pass_when"])]
    pub same_output: bool,

    /// How many places are compared at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// How long a run may take (500ms, 10s, 2m) [default: 60 s, experiments 10 times the first runs]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// Ask about steps of the chain, whether they are as intended: where they cease to be, the error is
    #[arg(long, conflicts_with = "json")]
    pub narrow: bool,

    /// Write a script for GDB for each step of the chain, which replays it
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub gdb: Option<PathBuf>,

    /// Write an HTML report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors and the chain
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print what is found in each place
    #[arg(short, long)]
    pub verbose: bool,
}

/// Looking at states.
#[derive(Debug, Args)]
pub struct StateArgs {
    #[command(subcommand)]
    pub verb: StateVerb,
}

#[derive(Debug, Subcommand)]
pub enum StateVerb {
    /// Show all that the variables of a stopped program lead to
    Dump {
        /// The program and its arguments, < FILE for its input
        #[arg(value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        command: String,
        /// Where to stop: FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT
        #[arg(long, value_name = "PLACE", default_value = "main")]
        at: String,
        /// A file about unions and lengths, as for explain
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        hints: Option<PathBuf>,
        /// How to show it
        #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Drawn::Text)]
        form: Drawn,
    },
    /// Show what differs between two runs of a program in one place
    Diff {
        /// A run that passes
        #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        pass: String,
        /// A run of the same program that fails
        #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        fail: String,
        /// Where to stop: FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT
        #[arg(long, value_name = "PLACE", default_value = "main")]
        at: String,
        /// A file about unions and lengths, as for explain
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        hints: Option<PathBuf>,
        /// How to show it
        #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = Drawn::Text)]
        form: Drawn,
    },
}

/// Forms of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Drawn {
    /// A line for each variable or object
    Text,
    /// One JSON object
    Json,
    /// A graph for Graphviz
    Dot,
}
