//! The arguments that searches have in common, and the requests that are made from them.

use super::choices::{AlgorithmName, CrashTool, ExitCodeKind, conventions, languages};
use super::duration::duration;
use super::remote_args::{NeededArgs, RemoteArgs};
use crate::output::display_options::DisplayOptions;
use clap::{Args, ValueHint};
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;
use wynot::request::{AlgorithmOptions, InputOptions, OutcomeOptions, Request, RunOptions, Verb};
use wynot_exec::Limit;
use wynot_session::judge::Condition;

/// The arguments of a search over inputs.
#[derive(Debug, Args)]
pub struct SearchArgs {
    /// The input that fails: a file, several files, or a directory
    #[arg(required = true, num_args = 1.., value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub inputs: Vec<PathBuf>,

    #[command(flatten)]
    pub input: InputArgs,
    #[command(flatten)]
    pub needed: NeededArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The arguments of every search.
#[derive(Debug, Args)]
pub struct CommonArgs {
    /// The test and its arguments; {} becomes the path of the variant, without it the test also gets the
    /// variant on standard input; {options} becomes the options that vary, {version} the version of a row
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
    pub remote: RemoteArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// The arguments about inputs.
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

    /// Search the rest of the input for further causes until it does not fail any more; each cause gets
    /// a result of its own. Other crashes are listed, each with the smallest input that shows it
    #[arg(long, conflicts_with = "in_place")]
    pub all_causes: bool,

    /// Keep this as it is (repeatable): what a regular expression matches in the input, its lines with
    /// lines:10-20, or a file of a directory with file:PATH. It may move as a whole
    #[arg(long, value_name = "WHAT", conflicts_with = "all_causes")]
    pub keep: Vec<String>,

    /// Keep names, literals and layout: delete and exchange, but do not rename, squeeze or shorten
    #[arg(long)]
    pub readable: bool,

    /// Keep names as they are
    #[arg(long)]
    pub no_rename: bool,

    /// Let a program propose smaller texts (repeatable): JSON lines on its standard input and output, as in Shrink Ray
    #[arg(long, value_name = "COMMAND")]
    pub reduce_with: Vec<String>,

    /// Put the headers of the project into a C or C++ input first: those beside it, and those in
    /// directories that the test names with -I
    #[arg(long)]
    pub inline_includes: bool,

    /// Do not use clang_delta for C and C++, even if it is installed
    #[arg(long)]
    pub no_external: bool,

    /// Replace the input by the result; the input is kept as NAME.orig
    #[arg(long, conflicts_with = "output")]
    pub in_place: bool,
}

/// The arguments about the algorithm and the limits of the search.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub struct AlgorithmArgs {
    /// The algorithm [default: smart to reduce, ddmin if a unit is given, dd to isolate, gather for
    /// options, dd for changes, which removes single groups where halves do not build]
    #[arg(long, value_enum, default_value_t = AlgorithmName::Auto, hide_default_value = true)]
    pub algorithm: AlgorithmName,

    /// Go on until no set of up to N deltas can be removed
    #[arg(long, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u8).range(1..=4))]
    pub minimality: u8,

    /// Assume that supersets of failing inputs fail and subsets of passing ones pass
    #[arg(long)]
    pub assume_monotone: bool,

    /// Stop after this many tests, with the best so far
    #[arg(long, value_name = "N")]
    pub max_tests: Option<u64>,

    /// Stop after this time, with the best so far (90s, 10m, 2h)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_time: Option<Duration>,

    /// Stop when the failing side has at most this many bytes (200, 4K, 1M)
    #[arg(long, value_name = "SIZE", value_parser = wynot_exec::size)]
    pub until_size: Option<u64>,
}

/// The arguments about outcomes.
#[derive(Debug, Args)]
#[command(next_help_heading = "What counts as the failure")]
pub struct OutcomeArgs {
    /// Fail only if this holds (repeatable), whatever the original reports: exit=N, signal=NAME, timeout,
    /// stdout~REGEX, stderr~REGEX, and the opposite: exit!=N, stdout!~REGEX, stderr!~REGEX; or what the test
    /// uses: seconds>2, memory>1G (also with <); without a number, a limit between the first runs
    #[arg(long, value_name = "CONDITION")]
    pub fail_when: Vec<Condition>,

    /// Pass only if this holds (repeatable)
    #[arg(long, value_name = "CONDITION")]
    pub pass_when: Vec<Condition>,

    /// Let every failure count that ends with the exit code or signal of the original [default: only the
    /// failure of the original, recognised by its crash report, internal error, backtrace or message]
    #[arg(long, conflicts_with_all = ["same_output", "same_crash"])]
    pub any_failure: bool,

    /// Fail only if this second command succeeds on the variant, {} being its path; otherwise the outcome is
    /// unresolved. It runs in a directory of its own, and only after the test has failed
    #[arg(long, value_name = "COMMAND")]
    pub valid_when: Option<String>,

    /// Fail only without errors that the original does not have: a compiler's error codes, or its messages
    /// if they have no codes
    #[arg(long)]
    pub no_new_errors: bool,

    /// Fail only with the output of the original
    #[arg(long)]
    pub same_output: bool,

    /// Fail only with the crash of the original: the signal or the message of the program, and this many
    /// of the innermost functions of the backtrace [default: 5]
    #[arg(long, value_name = "FUNCTIONS", num_args = 0..=1, require_equals = true,
          default_missing_value = "5", value_parser = clap::value_parser!(u8).range(1..=50))]
    pub same_crash: Option<u8>,

    /// The tool that takes the backtraces of --same-crash [default: wynot itself]
    #[arg(long, value_enum, value_name = "TOOL", requires = "same_crash")]
    pub crash_with: Option<CrashTool>,

    /// What exit codes mean: reduce (0: the failure is present), bisect (0: good, 125: skip) [default:
    /// inferred by running the test on both sides]
    #[arg(long, value_enum, value_name = "KIND")]
    pub exit_code: Option<ExitCodeKind>,

    /// Call the test exactly as another tool does
    #[arg(long = "as", value_name = "TOOL", conflicts_with = "exit_code",
          value_parser = conventions())]
    pub convention: Option<String>,

    /// The test fails only sometimes: measure how often, and repeat tests until it is clear whether a
    /// variant fails as often
    #[arg(long, conflicts_with_all = ["repeat", "quorum"])]
    pub flaky: bool,

    /// Run each test up to N times
    #[arg(long, value_name = "N", default_value_t = 1, hide_default_value = true,
          value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub repeat: u32,

    /// How many equal outcomes decide [default: more than half of --repeat]
    #[arg(long, value_name = "K", requires = "repeat")]
    pub quorum: Option<u32>,
}

/// The arguments about running tests.
#[derive(Debug, Args)]
#[command(next_help_heading = "Running tests")]
pub struct RunArgs {
    /// How many tests run at the same time [default: all cores]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub jobs: Option<u16>,

    /// How much time a test may use (500ms, 10s, 2m) [default: 10 times the first runs, at least 2 s]
    ///
    /// A test uses the processor time of all its processes together, and the time in which all of them wait. The load
    /// of the machine and the number of jobs do not change that.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,

    /// Run tests in copies of this project; the variant takes the input's place in it
    #[arg(long = "in", value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub project: Option<PathBuf>,

    /// Limit what a test may use (repeatable): memory=2G, cpu=10, file=100M, processes=100, resident=4G
    /// [default: file=1G, processes=4096, resident=3/4 of the memory]
    ///
    /// memory is the address space and cpu the processor time of each process; resident is the memory that all
    /// processes of a test use together. A test that has more processes or resident memory is ended and unresolved.
    #[arg(long, value_name = "KIND=VALUE")]
    pub limit: Vec<Limit>,

    /// Run tests in a sandbox: no network, nothing to write outside of their private directories, home directories
    /// and sockets hidden
    #[arg(long)]
    pub sandbox: bool,

    /// Show a file or directory that the sandbox hides (repeatable)
    #[arg(long, value_name = "PATH", requires = "sandbox", value_hint = ValueHint::AnyPath)]
    pub sandbox_read: Vec<PathBuf>,

    /// Hide one more directory (repeatable); of what is in it, tests see only the directory in which wynot was
    /// started, even if they name something else
    #[arg(long, value_name = "DIR", requires = "sandbox", value_hint = ValueHint::DirPath)]
    pub sandbox_hide: Vec<PathBuf>,

    /// Leave out the parts of the sandbox that this system does not have, instead of refusing
    #[arg(long, requires = "sandbox")]
    pub sandbox_partial: bool,

    /// Let tests see all processes of the system, and use sudo
    ///
    /// By default, tests see their own processes alone, in a process namespace that ends with them; for users other
    /// than root, this takes a user namespace, in which programs such as sudo do not work.
    #[arg(long, conflicts_with = "sandbox")]
    pub share_processes: bool,

    /// Where the private directories of tests are [default: in memory if there is enough, else in the
    /// temporary directory]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub scratch: Option<PathBuf>,

    /// Where outcomes are kept [default: a directory for this input, test and options]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub session: Option<PathBuf>,

    /// Start over instead of resuming
    #[arg(long)]
    pub fresh: bool,
}

/// The arguments about output.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Where the result goes [default: NAME.min.EXT beside the input; options: printed]
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub json: bool,

    /// Write the events of the search to a file, one JSON object per line
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub events: Option<PathBuf>,

    /// Write an HTML report
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub report: Option<PathBuf>,

    /// Print a line for each test: what was kept, and ✘ if it fails, ✔ if it passes, ? if it is unresolved
    #[arg(long)]
    pub trace: bool,

    /// Print nothing but errors and the result
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,

    /// Print more: the session's directory, each step, and in the trace also tests with known outcomes
    #[arg(short, long)]
    pub verbose: bool,
}

impl SearchArgs {
    /// The request of a search over inputs.
    pub fn request(self, verb: Verb, directory: PathBuf) -> Request {
        let Self { inputs, input, needed: _, common } = self;
        Request { inputs, input: input.options(), ..common.request(verb, directory) }
    }
}

impl InputArgs {
    fn options(self) -> InputOptions {
        InputOptions {
            // Both name the default.
            unit: self.unit.filter(|unit| unit != "auto" && unit != "syntax"),
            language: self.language,
            all_causes: self.all_causes,
            keep: self.keep,
            readable: self.readable,
            rename: !self.no_rename,
            reduce_with: self.reduce_with,
            external_tools: !self.no_external,
            inline_includes: self.inline_includes,
            in_place: self.in_place,
        }
    }
}

impl CommonArgs {
    /// What is shown of the search.
    pub fn display(&self) -> DisplayOptions {
        let output = &self.output;
        DisplayOptions {
            json: output.json,
            events: output.events.clone(),
            report: output.report.clone(),
            trace: output.trace,
            quiet: output.quiet,
            verbose: output.verbose,
        }
    }

    /// The request of a search without inputs.
    pub fn request(self, verb: Verb, directory: PathBuf) -> Request {
        let Self { test, algorithm, outcome, run, remote: _, output } = self;
        Request {
            algorithm: AlgorithmOptions {
                algorithm: algorithm.algorithm.algorithm(),
                minimality: algorithm.minimality,
                assume_monotone: algorithm.assume_monotone,
                max_tests: algorithm.max_tests,
                max_time: algorithm.max_time,
                until_size: algorithm.until_size,
                ..AlgorithmOptions::default()
            },
            outcome: OutcomeOptions {
                fail_when: outcome.fail_when,
                pass_when: outcome.pass_when,
                same_output: outcome.same_output,
                same_crash: outcome.same_crash,
                any_failure: outcome.any_failure,
                no_new_errors: outcome.no_new_errors,
                valid_when: outcome.valid_when,
                guard: None,
                crash_with_gdb: outcome.crash_with == Some(CrashTool::Gdb),
                exit_codes: outcome.exit_code.map(Into::into),
                convention: outcome.convention.and_then(|name| name.parse().ok()),
                flaky: outcome.flaky,
                repeat: outcome.repeat,
                quorum: outcome.quorum,
            },
            run: RunOptions {
                jobs: run.jobs,
                timeout: run.timeout,
                project: run.project,
                limits: run.limit,
                sandbox: run.sandbox,
                sandbox_read: run.sandbox_read,
                sandbox_hide: run.sandbox_hide,
                sandbox_partial: run.sandbox_partial,
                shares_processes: run.share_processes,
                scratch: run.scratch,
                session: run.session,
                fresh: run.fresh,
                remote: None,
            },
            output: output.output,
            written_by_caller: [output.events, output.report].into_iter().flatten().collect(),
            ..Request::new(verb, directory, test)
        }
    }
}
