//! Requests for searches: plain data that is not yet checked.
//!
//! Paths are relative to [`Request::directory`], never to the current directory of the process, so that requests from
//! different directories can be served by one process.

use crate::remote_request::RemoteRequest;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_exec::Limit;
use wynot_exec::command::Convention;
use wynot_session::judge::Condition;

pub use crate::version_options::{
    ChangeScope, HistoryOptions, SearchEffort, VersionListOptions, VersionOptions,
};

/// The verb of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Simplify an input.
    Reduce,
    /// Isolate the difference between two inputs.
    Isolate,
    /// Find the options or environment variables that cause or prevent a failure.
    Options,
    /// Find the change between two versions that causes a failure.
    Changes,
    /// Find the change in a history that causes a failure, where no good version is known.
    History,
}

impl Verb {
    /// The name of the verb on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Isolate => "isolate",
            Self::Options => "options",
            Self::Changes => "changes",
            Self::History => "history",
        }
    }
}

/// A request for a search.
#[derive(Clone, Debug)]
pub struct Request {
    /// The verb of the search.
    pub verb: Verb,
    /// The directory that all paths are relative to.
    pub directory: PathBuf,
    /// The inputs that fail; none for options and changes.
    pub inputs: Vec<PathBuf>,
    /// An input that passes, for [`Verb::Isolate`]; `None` for the empty input.
    pub passing: Option<PathBuf>,
    /// Options about inputs.
    pub input: InputOptions,
    /// The parts of the test's call that vary, for [`Verb::Options`].
    pub vary: Option<VaryOptions>,
    /// The versions to compare, for [`Verb::Changes`].
    pub versions: Option<VersionOptions>,
    /// The row of versions to bisect, for [`Verb::Changes`] without sources to compare.
    pub version_list: Option<VersionListOptions>,
    /// The history to walk back through, for [`Verb::History`].
    pub history: Option<HistoryOptions>,
    /// The test and its arguments.
    pub test: Vec<OsString>,
    /// Options about the algorithm and the limits of the search.
    pub algorithm: AlgorithmOptions,
    /// What counts as the failure.
    pub outcome: OutcomeOptions,
    /// How tests are run.
    pub run: RunOptions,
    /// The path of the result; `None` for a path beside the input.
    pub output: Option<PathBuf>,
    /// Files that the caller writes itself. They must not be inputs, and do not count as changes of a project.
    pub written_by_caller: Vec<PathBuf>,
    /// The arguments of the command line by which the session can be resumed, if there is one.
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
            version_list: None,
            history: None,
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

    /// A path relative to the request's directory, as the system finds it.
    pub fn at(&self, path: &Path) -> PathBuf {
        self.directory.join(path)
    }

    /// Whether to search the remaining deltas for further causes when one is found.
    pub fn finds_all_causes(&self) -> bool {
        self.input.all_causes || self.vary.as_ref().is_some_and(|vary| vary.all)
    }

    /// Whether the test gets versions of a program.
    pub fn compares_versions(&self) -> bool {
        self.versions.is_some() || self.version_list.is_some() || self.history.is_some()
    }

    /// The shell command that builds a version before each test, if there is one.
    pub fn build(&self) -> Option<&str> {
        let of_versions = self.versions.as_ref().and_then(|versions| versions.build.as_deref());
        of_versions.or_else(|| self.history.as_ref()?.build.as_deref())
    }

    /// Whether to find what prevents the failure, instead of what causes it.
    pub fn prevents(&self) -> bool {
        self.vary.as_ref().is_some_and(|vary| vary.prevent)
    }
}

/// Options about inputs.
#[derive(Clone, Debug)]
pub struct InputOptions {
    /// The units of deltas, such as `line,char`; `None` for the default of the algorithm.
    pub unit: Option<String>,
    /// The language of the input; `None` to guess it.
    pub language: Option<String>,
    /// Whether to search the rest of the input for further causes until it does not fail any more.
    pub all_causes: bool,
    /// What stays as it is: a regular expression, `lines:N-M` or `file:PATH` each.
    pub keep: Vec<String>,
    /// Whether names, literals and layout stay as they are.
    pub readable: bool,
    /// Whether names may change.
    pub rename: bool,
    /// The commands of programs that propose smaller texts.
    pub reduce_with: Vec<String>,
    /// Whether external rewriting tools may be used.
    pub external_tools: bool,
    /// Whether the headers of a project take the place of their inclusions.
    pub inline_includes: bool,
    /// Whether the result replaces the input, which is kept as `NAME.orig`.
    pub in_place: bool,
}

impl Default for InputOptions {
    fn default() -> Self {
        Self {
            unit: None,
            language: None,
            all_causes: false,
            keep: Vec::new(),
            readable: false,
            rename: true,
            reduce_with: Vec::new(),
            external_tools: true,
            inline_includes: false,
            in_place: false,
        }
    }
}

/// The parts of a test's call that vary.
#[derive(Clone, Debug, Default)]
pub struct VaryOptions {
    /// The options that vary, as a shell would read them.
    pub vary: Option<String>,
    /// A file with one option per line.
    pub vary_file: Option<PathBuf>,
    /// Whether the environment varies.
    pub env: bool,
    /// An environment with which the test passes, as written by `env -0`.
    pub passing_env: Option<PathBuf>,
    /// An environment with which the test fails.
    pub failing_env: Option<PathBuf>,
    /// Whether to find what prevents the failure, instead of what causes it.
    pub prevent: bool,
    /// Whether to go on until nothing else causes (or prevents) the failure.
    pub all: bool,
}

/// Options about the algorithm and the limits of a search.
#[derive(Clone, Debug)]
pub struct AlgorithmOptions {
    /// The algorithm; `None` for the best one for the task.
    pub algorithm: Option<Algorithm>,
    /// The order of minimality: no set of up to this many deltas can be removed from the result.
    pub minimality: u8,
    /// Whether supersets of failing inputs are assumed to fail, and subsets of passing ones to pass.
    pub assume_monotone: bool,
    /// The number of tests after which the search stops.
    pub max_tests: Option<u64>,
    /// The time after which the search stops.
    pub max_time: Option<Duration>,
    /// The number of bytes of the failing side at which the search stops.
    pub until_size: Option<u64>,
    /// The probability of the answer at which the bisection of a row ends, if the test fails only sometimes.
    pub confidence: f64,
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
            confidence: 0.99,
        }
    }
}

/// An algorithm for reducing or isolating.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Edits that the syntax of the input proposes.
    Smart,
    /// Simplify until no single delta can be removed.
    Ddmin,
    /// The same, going on with the next complement after one that fails.
    DdminNext,
    /// Simplify by isolating the deltas that are needed, one after the other.
    Gather,
    /// Narrow the difference from both sides.
    Dd,
    /// Grow the passing side only.
    Ddmax,
}

impl Algorithm {
    /// The name of the algorithm on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Smart => "smart",
            Self::Ddmin => "ddmin",
            Self::DdminNext => "ddmin-next",
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
    /// Whether only a run with the output of the original counts as the failure.
    pub same_output: bool,
    /// The number of innermost functions by which crashes are compared, if only the crash of the original counts as the
    /// failure.
    pub same_crash: Option<u8>,
    /// Whether every failure with the exit code or signal of the original counts, whatever it reports.
    pub any_failure: bool,
    /// Whether a run with errors that the original does not have is unresolved.
    pub no_new_errors: bool,
    /// A command that must succeed on a variant that fails; if it does not, the outcome is unresolved.
    pub valid_when: Option<String>,
    /// A command that must succeed on a variant that fails or passes; if it does not, the outcome is unresolved.
    pub guard: Option<String>,
    /// Whether gdb takes the backtraces.
    pub crash_with_gdb: bool,
    /// What exit codes mean; `None` to infer it from the first runs.
    pub exit_codes: Option<ExitCodes>,
    /// The tool whose convention for calling tests is used.
    pub convention: Option<Convention>,
    /// Whether the test fails only sometimes, so that rates of failures are compared.
    pub flaky: bool,
    /// The maximum number of runs per variant.
    pub repeat: u32,
    /// The number of equal outcomes that decide; `None` for more than half.
    pub quorum: Option<u32>,
}

impl Default for OutcomeOptions {
    fn default() -> Self {
        Self {
            fail_when: Vec::new(),
            pass_when: Vec::new(),
            same_output: false,
            same_crash: None,
            any_failure: false,
            no_new_errors: false,
            valid_when: None,
            guard: None,
            crash_with_gdb: false,
            exit_codes: None,
            convention: None,
            flaky: false,
            repeat: 1,
            quorum: None,
        }
    }
}

/// What exit codes mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitCodes {
    /// 0: the failure is present, 125: unresolved, other: it is absent.
    Reduce,
    /// 0: good, 125: skip, 1-127: bad, other: abort.
    Bisect,
}

/// How tests are run.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The number of tests that run at the same time; `None` for the number of cores.
    pub jobs: Option<u16>,
    /// The time after which a test is killed; `None` to derive it from the first runs.
    pub timeout: Option<Duration>,
    /// The directory of a project; tests run in copies of it.
    pub project: Option<PathBuf>,
    /// Limits of a test that replace the default ones.
    pub limits: Vec<Limit>,
    /// Whether tests run in a sandbox.
    pub sandbox: bool,
    /// The files and directories that tests in the sandbox can read although they are hidden otherwise.
    pub sandbox_read: Vec<PathBuf>,
    /// Further directories that the sandbox hides.
    pub sandbox_hide: Vec<PathBuf>,
    /// Whether parts of the sandbox that the system cannot provide are left out.
    pub sandbox_partial: bool,
    /// Whether tests see the processes of the whole system, instead of those of the test alone.
    pub shares_processes: bool,
    /// The directory for the private directories of tests; `None` to choose one.
    pub scratch: Option<PathBuf>,
    /// The directory of the session; `None` for the one that belongs to the input, the test and the options.
    pub session: Option<PathBuf>,
    /// Whether to discard known outcomes instead of resuming.
    pub fresh: bool,
    /// The service whose workers run the tests; `None` for this machine.
    pub remote: Option<RemoteRequest>,
}
