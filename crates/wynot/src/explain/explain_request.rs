//! Requests for explanations.

use std::path::PathBuf;
use std::time::Duration;
use wynot_session::judge::Condition;

/// A request to explain the difference between two runs of one program.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The directory that both runs and all paths are relative to.
    pub directory: PathBuf,
    /// The command line of a run that passes; `< FILE` gives it standard input.
    pub pass: String,
    /// The command lines of further runs that pass: a value that one of them has as well is no cause.
    pub also_pass: Vec<String>,
    /// The command line of a run of the same program that fails.
    pub fail: String,
    /// The places to compare: `FUNCTION`, `FUNCTION:HIT`, `FILE:LINE` or `FILE:LINE:HIT`; empty to choose them.
    pub at: Vec<String>,
    /// The number of places to begin with.
    pub first_places: usize,
    /// The number of places after which the search ends.
    pub max_places: usize,
    /// A file with hints about the program's types.
    pub hints: Option<PathBuf>,
    /// A run fails only if all of these hold.
    pub fail_when: Vec<Condition>,
    /// A run passes only if all of these hold.
    pub pass_when: Vec<Condition>,
    /// Whether an experiment passes or fails only with the output of the passing or the failing run.
    pub same_output: bool,
    /// The number of places that are compared at the same time; `None` for the number of cores.
    pub jobs: Option<u16>,
    /// The time after which a run is killed; `None` for the default.
    pub timeout: Option<Duration>,
    /// The number of experiments after which the search stops.
    pub max_tests: Option<u64>,
    /// The time after which the search stops.
    pub max_time: Option<Duration>,
    /// The directory of the session; `None` for the one that belongs to the program, both runs and the options.
    pub session: Option<PathBuf>,
    /// Whether the program runs in the directory itself, instead of a private view of it.
    pub in_place: bool,
    /// Whether each run reads its input file under its own name, instead of both under one.
    pub own_names: bool,
    /// Whether to discard known outcomes instead of resuming.
    pub fresh: bool,
    /// The arguments of the command line by which the session can be resumed, if there is one.
    pub command_line: Option<Vec<String>>,
}

impl ExplainRequest {
    /// The number of places to begin with, unless the caller says otherwise.
    pub const DEFAULT_FIRST_PLACES: usize = 5;

    /// The number of places after which a search ends, unless the caller says otherwise.
    pub const DEFAULT_MAX_PLACES: usize = 100;

    /// A comparison of two command lines, with all options at their defaults.
    pub fn new(
        directory: impl Into<PathBuf>,
        pass: impl Into<String>,
        fail: impl Into<String>,
    ) -> Self {
        Self {
            directory: directory.into(),
            pass: pass.into(),
            also_pass: Vec::new(),
            fail: fail.into(),
            at: Vec::new(),
            first_places: Self::DEFAULT_FIRST_PLACES,
            max_places: Self::DEFAULT_MAX_PLACES,
            hints: None,
            fail_when: Vec::new(),
            pass_when: Vec::new(),
            same_output: false,
            jobs: None,
            timeout: None,
            max_tests: None,
            max_time: None,
            session: None,
            in_place: false,
            own_names: false,
            fresh: false,
            command_line: None,
        }
    }
}
