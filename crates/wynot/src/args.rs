//! What was typed. Help text, manual pages and completions all come from here.

use crate::examples::{
    CHANGES_EXAMPLES, EXIT_CODES, EXPLAIN_EXAMPLES, ISOLATE_EXAMPLES, OPTIONS_EXAMPLES,
    REDUCE_EXAMPLES, STATE_EXAMPLES, VERIFY_EXAMPLES,
};
pub use crate::explaining::{ExplainArgs, StateArgs};
use crate::selections::{AlgorithmName, CrashTool, ExitCodes, Scope, conventions, languages};
use crate::times::duration;
use clap::{Args, Parser, Subcommand, ValueHint};
use clap_complete::Shell;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use wynot_run::{Condition, Limit};

/// A delta debugger: it worked yesterday, why not today?
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, arg_required_else_help = true)]
#[command(after_help = EXIT_CODES)]
pub struct Cli {
    #[command(subcommand)]
    pub verb: Verb,
}

#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Simplify a failing input: what remains is all needed for the failure
    #[command(after_help = REDUCE_EXAMPLES)]
    Reduce(SearchArgs),
    /// Isolate the difference between a passing and a failing input
    #[command(after_help = ISOLATE_EXAMPLES)]
    Isolate(IsolateArgs),
    /// Find the options or environment variables that cause a failure, or prevent it
    #[command(after_help = OPTIONS_EXAMPLES)]
    Options(OptionsArgs),
    /// Find the change between two versions that broke it
    #[command(after_help = CHANGES_EXAMPLES)]
    Changes(ChangesArgs),
    /// Find the variables that carry a failure from the input to the crash
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain(ExplainArgs),
    /// Look at the state of a running program, or at what differs between two
    #[command(after_help = STATE_EXAMPLES)]
    State(StateArgs),
    /// Go on with a search that was stopped
    Resume(ResumeArgs),
    /// Check again what was proved about a result, with new tests
    #[command(after_help = VERIFY_EXAMPLES)]
    Verify(VerifyArgs),
    /// Write the HTML report of a session, finished or not
    Report {
        /// The session's directory, or a result [default: the newest one from this directory]
        #[arg(value_hint = ValueHint::AnyPath)]
        session: Option<PathBuf>,
        /// Where to write the page [default: standard output]
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        output: Option<PathBuf>,
    },
    /// Print a completion script for a shell
    Completions {
        /// Which shell
        shell: Shell,
    },
    /// Print the manual page, of wynot or of one command
    Man {
        /// The command, such as reduce
        page: Option<String>,
    },
}

/// What may differ when a search goes on.
#[derive(Debug, Args)]
pub struct ResumeArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub session: Option<PathBuf>,

    /// How many tests run at the same time [default: as before]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Stop after this many further tests, with the best so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time, with the best so far (90s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,
}

/// Options of a check.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// The session's directory, or a result [default: the newest one from this directory]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub session: Option<PathBuf>,

    /// How many tests run at the same time [default: as the search]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Print nothing but errors and the answer
    #[arg(short, long)]
    pub quiet: bool,
}

/// Options of a search over inputs.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The input that fails: a file, several files, or a directory
    #[arg(required = true, num_args = 1.., value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

#[derive(Debug, Args)]
pub struct IsolateArgs {
    /// An input that passes, a file or a directory [default: the empty input]
    #[arg(long, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub passing: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchArgs,
}

/// Options of a search over the call of a test.
#[derive(Debug, Args)]
pub struct OptionsArgs {
    #[command(flatten)]
    pub vary: VaryArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// What varies in the call of a test.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What varies")]
pub struct VaryArgs {
    /// The options that may matter; they take the place of {options} in the test
    #[arg(long, value_name = "OPTIONS", required_unless_present_any = ["vary_file", "env"],
          allow_hyphen_values = true)]
    pub vary: Option<String>,

    /// A file with one option per line, together with its values
    #[arg(long, value_name = "FILE", conflicts_with = "vary", value_hint = ValueHint::FilePath)]
    pub vary_file: Option<PathBuf>,

    /// Vary the environment: that of this shell against a clean one
    #[arg(long, conflicts_with_all = ["vary", "vary_file"])]
    pub env: bool,

    /// An environment with which the test passes, as written by env -0 [default: a clean one]
    #[arg(long, value_name = "FILE", requires = "env", value_hint = ValueHint::FilePath)]
    pub passing_env: Option<PathBuf>,

    /// An environment with which the test fails, as written by env -0 [default: this one]
    #[arg(long, value_name = "FILE", requires = "env", value_hint = ValueHint::FilePath)]
    pub failing_env: Option<PathBuf>,

    /// Find what makes the failure go away: the test fails without, and passes with all of it
    #[arg(long)]
    pub prevent: bool,

    /// Go on with what is left, until nothing else causes (or prevents) the failure
    #[arg(long)]
    pub all: bool,
}

/// Options of a search over versions.
#[derive(Debug, Args)]
pub struct ChangesArgs {
    #[command(flatten)]
    pub versions: VersionArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// Which versions, and how they are built.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The versions")]
pub struct VersionArgs {
    /// A version that works: a directory, an archive, or a git revision
    #[arg(long, value_name = "VERSION")]
    pub good: String,

    /// A version that does not
    #[arg(long, value_name = "VERSION")]
    pub bad: String,

    /// A shell command that builds before each test; where it fails, the outcome is unresolved. What it
    /// makes stays for the next build, what the test leaves does not
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,

    /// Take any failure for the same one, instead of one with the same exit code and message
    #[arg(long)]
    pub any_failure: bool,

    /// What goes together first: the changes of a commit, a directory, a file, or nothing [default:
    /// commit, where there is a history]
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub group: Option<Scope>,
}

/// Options of every search.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// The test and its arguments; {} is the path of the variant, without it standard input is too;
    /// {options} is where options go that vary
    #[arg(last = true, required = true, num_args = 1.., value_name = "TEST", help_heading = "The test",
          value_hint = ValueHint::CommandWithArguments)]
    pub test: Vec<OsString>,

    #[command(flatten)]
    pub algorithm: AlgorithmArgs,
    #[command(flatten)]
    pub outcome: OutcomeArgs,
    #[command(flatten)]
    pub run: RunArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What concerns inputs only.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "The input")]
pub struct InputArgs {
    /// The size of a delta: line, token, char or byte; a list such as line,char goes from coarse to
    /// fine; json for elements and members of JSON, outer ones first [default: line,token,char for
    /// ddmin, line,char to isolate, file,line in directories]
    #[arg(long, value_name = "UNIT")]
    pub unit: Option<String>,

    /// The language of the input [default: by its name and first bytes]
    #[arg(long, value_name = "NAME", value_parser = languages())]
    pub language: Option<String>,

    /// Go on with what is left until nothing else fails; each cause gets a result of its own. Other
    /// crashes that are met are listed, each with the smallest input that shows it
    #[arg(long, conflicts_with = "in_place")]
    pub all_causes: bool,

    /// Do not use clang_delta for C and C++, even if it is installed
    #[arg(long)]
    pub no_external: bool,

    /// Replace the input by the result; the input stays as NAME.orig
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct AlgorithmArgs {
    /// How to search [default: smart to reduce, ddmin if a unit is given, dd to isolate, gather for
    /// options, dd for changes with single groups where halves do not build]
    #[arg(long, value_enum, default_value_t = AlgorithmName::Auto, hide_default_value = true)]
    pub algorithm: AlgorithmName,

    /// Go on until no choice of up to N deltas can go
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=4))]
    pub minimality: u8,

    /// Trust that supersets of failing inputs fail and subsets of passing ones pass
    #[arg(long)]
    pub assume_monotone: bool,

    /// Stop after this many tests, with the best so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time, with the best so far (90s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,

    /// Stop when the failing side has at most this many bytes (200, 4K, 1M)
    #[arg(long, value_name = "SIZE", value_parser = wynot_run::size)]
    pub until_size: Option<u64>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as the failure")]
pub struct OutcomeArgs {
    /// Fail only if this holds (repeatable): exit=N, signal=NAME, timeout, stdout~REGEX, stderr~REGEX
    #[arg(long, value_name = "CONDITION")]
    pub fail_when: Vec<Condition>,

    /// Pass only if this holds (repeatable)
    #[arg(long, value_name = "CONDITION")]
    pub pass_when: Vec<Condition>,

    /// Fail only with the output of the original
    #[arg(long)]
    pub same_output: bool,

    /// Fail only with the crash of the original: the signal, or what the program reports, and the
    /// innermost functions of the backtrace [default: 5 of them]
    #[arg(long, value_name = "FUNCTIONS", num_args = 0..=1, require_equals = true,
          default_missing_value = "5", value_parser = clap::value_parser!(u8).range(1..=50))]
    pub same_crash: Option<u8>,

    /// Who takes the backtraces of --same-crash [default: wynot itself]
    #[arg(long, value_enum, value_name = "TOOL", requires = "same_crash")]
    pub crash_with: Option<CrashTool>,

    /// What exit codes mean: reduce (0: the failure is there), bisect (0: good, 125: skip) [default:
    /// found out by running the test on both sides]
    #[arg(long, value_enum, value_name = "KIND")]
    pub exit_code: Option<ExitCodes>,

    /// Call the test exactly as another tool does
    #[arg(long = "as", value_name = "TOOL", conflicts_with = "exit_code",
          value_parser = conventions())]
    pub convention: Option<String>,

    /// The test fails only now and then: measure how often, and ask until it is clear whether a variant
    /// fails as often
    #[arg(long, conflicts_with_all = ["repeat", "quorum"])]
    pub flaky: bool,

    /// Run each test up to N times
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,

    /// How many equal answers make an outcome [default: more than half of --repeat]
    #[arg(long, value_name = "K", requires = "repeat")]
    pub quorum: Option<u32>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Running tests")]
pub struct RunArgs {
    /// How many tests run at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// How long a test may take (500ms, 10s, 2m) [default: 10 times the first runs, at least 1 s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// Run tests in copies of this project; the variant takes the input's place in it
    #[arg(long = "in", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,

    /// Limit what a test may use (repeatable): memory=2G, cpu=10, file=100M [default: file=1G]
    #[arg(long, value_name = "KIND=VALUE")]
    pub limit: Vec<Limit>,

    /// Run tests without network, and with everything outside of their private directories read-only
    #[arg(long)]
    pub sandbox: bool,

    /// Where private directories go [default: memory if it has room, else the temporary directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub scratch: Option<PathBuf>,

    /// Where outcomes are kept [default: found by the input, test and options]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub session: Option<PathBuf>,

    /// Start over instead of resuming
    #[arg(long)]
    pub fresh: bool,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Where the result goes [default: NAME.min.EXT beside the input; options: printed]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Write what happens to a file, one JSON object per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub events: Option<PathBuf>,

    /// Write an HTML report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,

    /// Print a line for each test: what was kept, and ✘ if the failure is there, ✔ if it is gone, ? else
    #[arg(long)]
    pub trace: bool,

    /// Print nothing but errors and the result
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more
    #[arg(short, long)]
    pub verbose: bool,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }
}
