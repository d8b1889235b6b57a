//! What a user asks for: plain data, as typed and not yet checked.
//!
//! Paths are relative to [`Request::directory`], never to the current directory of the process, so that requests from
//! different directories can be served by one process.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_exec::Limit;
use wynot_exec::command::Convention;
use wynot_session::judge::Condition;

/// The verb of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Simplify an input.
    Reduce,
    /// Isolate the difference between two inputs.
    Isolate,
    /// Find options or environment variables.
    Options,
    /// Find the change between two versions.
    Changes,
}

impl Verb {
    /// The verb as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Isolate => "isolate",
            Self::Options => "options",
            Self::Changes => "changes",
        }
    }
}

/// A search that is asked for.
#[derive(Clone, Debug)]
pub struct Request {
    /// What is to be done.
    pub verb: Verb,
    /// The directory that all paths are relative to.
    pub directory: PathBuf,
    /// The inputs that fail; none for options and changes.
    pub inputs: Vec<PathBuf>,
    /// An input that passes, for isolating.
    pub passing: Option<PathBuf>,
    /// What concerns inputs only.
    pub input: InputOptions,
    /// What varies in the call of the test, for options.
    pub vary: Option<VaryOptions>,
    /// The versions, for changes.
    pub versions: Option<VersionOptions>,
    /// The test and its arguments.
    pub test: Vec<OsString>,
    /// How to search.
    pub algorithm: AlgorithmOptions,
    /// What counts as the failure.
    pub outcome: OutcomeOptions,
    /// How tests are run.
    pub run: RunOptions,
    /// Where the result goes [default: beside the input].
    pub output: Option<PathBuf>,
    /// Files that the caller writes itself: they must not be inputs, and do not make a project another one.
    pub written_by_caller: Vec<PathBuf>,
    /// The arguments of the command line, by which the session can be resumed, if there is one.
    pub command_line: Option<Vec<String>>,
    /// Whether the request comes from an earlier run that is to be resumed.
    pub resumed: bool,
}

impl Request {
    /// A reduction of an input by a test, with all options at their defaults.
    pub fn reduce(
        directory: impl Into<PathBuf>,
        input: impl Into<PathBuf>,
        test: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self::new(Verb::Reduce, directory, test).with_input(input)
    }

    /// A request with all options at their defaults and no input yet.
    pub fn new(
        verb: Verb,
        directory: impl Into<PathBuf>,
        test: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Self {
        Self {
            verb,
            directory: directory.into(),
            inputs: Vec::new(),
            passing: None,
            input: InputOptions::default(),
            vary: None,
            versions: None,
            test: test.into_iter().map(Into::into).collect(),
            algorithm: AlgorithmOptions::default(),
            outcome: OutcomeOptions::default(),
            run: RunOptions::default(),
            output: None,
            written_by_caller: Vec::new(),
            command_line: None,
            resumed: false,
        }
    }

    /// The same with one more input.
    #[must_use]
    pub fn with_input(mut self, input: impl Into<PathBuf>) -> Self {
        self.inputs.push(input.into());
        self
    }

    /// A path as the system finds it.
    pub fn at(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }

    /// Whether to go on with what is left when a cause is found.
    pub fn finds_all_causes(&self) -> bool {
        self.input.all_causes || self.vary.as_ref().is_some_and(|vary| vary.all)
    }

    /// Whether to look for what prevents the failure.
    pub fn prevents(&self) -> bool {
        self.vary.as_ref().is_some_and(|vary| vary.prevent)
    }
}

/// What concerns inputs only.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// The units of deltas, such as `line,char`; `None` for the default of the algorithm.
    pub unit: Option<String>,
    /// The language of the input; `None` to guess it.
    pub language: Option<String>,
    /// Whether to go on with what is left until nothing else fails.
    pub all_causes: bool,
    /// Whether rewriting tools of the system may help.
    pub external_tools: bool,
    /// Whether the result replaces the input, which stays as `NAME.orig`.
    pub in_place: bool,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            unit: None,
            language: None,
            all_causes: false,
            external_tools: true,
            in_place: false,
        }
    }
}

/// What varies in the call of a test.
#[derive(Clone, Debug, Default)]
pub struct VaryOptions {
    /// The options that may matter, as a shell would read them.
    pub vary: Option<String>,
    /// A file with one option per line.
    pub vary_file: Option<PathBuf>,
    /// Whether the environment varies.
    pub env: bool,
    /// An environment with which the test passes, as written by `env -0`.
    pub passing_env: Option<PathBuf>,
    /// An environment with which the test fails.
    pub failing_env: Option<PathBuf>,
    /// Whether to find what makes the failure go away.
    pub prevent: bool,
    /// Whether to go on until nothing else causes (or prevents) the failure.
    pub all: bool,
}

/// The versions that are compared, and how they are built.
#[derive(Clone, Debug)]
pub struct VersionOptions {
    /// A version that works: a directory, an archive or a git revision.
    pub good: String,
    /// A version that does not.
    pub bad: String,
    /// A shell command that builds before each test.
    pub build: Option<String>,
    /// Whether any failure counts as the same one.
    pub any_failure: bool,
    /// The coarsest changes that are searched.
    pub group: Option<ChangeScope>,
}

/// The coarsest changes that are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeScope {
    /// Commits, then directories, files, functions, hunks and lines.
    Commit,
    /// Directories, then files, functions, hunks and lines.
    Directory,
    /// Files, then functions, hunks and lines.
    File,
    /// Functions, then hunks and lines.
    Function,
    /// Lines.
    None,
}

/// How to search.
#[derive(Clone, Debug)]
pub struct AlgorithmOptions {
    /// The algorithm; `None` for the best one for the task.
    pub algorithm: Option<Algorithm>,
    /// No choice of up to so many deltas can go.
    pub minimality: u8,
    /// Whether supersets of failing inputs are trusted to fail, and subsets of passing ones to pass.
    pub assume_monotone: bool,
    /// The search stops after so many tests.
    pub max_tests: Option<u64>,
    /// The search stops after this time.
    pub max_time: Option<Duration>,
    /// The search stops when the failing side has at most so many bytes.
    pub until_size: Option<u64>,
}

impl Default for AlgorithmOptions {
    fn default() -> Self {
        Self {
            algorithm: None,
            minimality: 1,
            assume_monotone: false,
            max_tests: None,
            max_time: None,
            until_size: None,
        }
    }
}

/// The algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Edits proposed by the syntax of the input.
    Smart,
    /// Simplify until no single delta can go.
    Ddmin,
    /// Simplify by isolating what is needed, one delta after the other.
    Gather,
    /// Narrow the difference from both sides.
    Dd,
    /// Grow the passing side only.
    Ddmax,
}

impl Algorithm {
    /// The name of the algorithm, as it is typed.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Ddmin => "ddmin",
            Self::Gather => "gather",
            Self::Dd => "dd",
            Self::Ddmax => "ddmax",
        }
    }

    /// Whether the result is a pair of sides instead of a single input.
    pub fn isolates(self) -> bool {
        matches!(self, Self::Dd | Self::Ddmax)
    }
}

/// What counts as the failure.
#[derive(Clone, Debug)]
pub struct OutcomeOptions {
    /// The test fails only if all of these hold.
    pub fail_when: Vec<Condition>,
    /// The test passes only if all of these hold.
    pub pass_when: Vec<Condition>,
    /// Whether only the output of the original is the failure.
    pub same_output: bool,
    /// Whether only the crash of the original is the failure, by so many functions of its backtrace.
    pub same_crash: Option<u8>,
    /// Whether gdb takes the backtraces.
    pub crash_with_gdb: bool,
    /// What exit codes mean; `None` to find out by the first runs.
    pub exit_codes: Option<ExitCodes>,
    /// The tool whose way of calling tests is followed.
    pub convention: Option<Convention>,
    /// Whether the test fails only now and then, so that rates are compared.
    pub flaky: bool,
    /// How often each variant is tested at most.
    pub repeat: u32,
    /// How many equal answers make an outcome; `None` for more than half.
    pub quorum: Option<u32>,
}

impl Default for OutcomeOptions {
    fn default() -> Self {
        Self {
            fail_when: Vec::new(),
            pass_when: Vec::new(),
            same_output: false,
            same_crash: None,
            crash_with_gdb: false,
            exit_codes: None,
            convention: None,
            flaky: false,
            repeat: 1,
            quorum: None,
        }
    }
}

/// What exit codes mean, if the user says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCodes {
    /// 0: the failure is there, 125: unresolved, other: it is gone.
    Reduce,
    /// 0: good, 125: skip, 1-127: bad, other: abort.
    Bisect,
}

/// How tests are run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// How many tests run at the same time; `None` for the number of cores.
    pub jobs: Option<u16>,
    /// How long a test may take; `None` to choose by the first runs.
    pub timeout: Option<Duration>,
    /// A project; tests run in copies of it.
    pub project: Option<PathBuf>,
    /// What a test may use, besides the default.
    pub limits: Vec<Limit>,
    /// Whether tests run in a sandbox.
    pub sandbox: bool,
    /// The directory of the private directories; `None` for the best place there is.
    pub scratch: Option<PathBuf>,
    /// The directory of the session; `None` to find it by what outcomes depend on.
    pub session: Option<PathBuf>,
    /// Whether to start over instead of resuming.
    pub fresh: bool,
}
