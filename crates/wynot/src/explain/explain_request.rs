//! What a user asks for when a failure is to be explained.

use std::path::PathBuf;
use std::time::Duration;
use wynot_session::judge::Condition;

/// A comparison of two runs of one program.
#[derive(Clone, Debug)]
pub struct ExplainRequest {
    /// The directory that both runs and all paths are relative to.
    pub directory: PathBuf,
    /// The command line of a run that passes; `< FILE` gives it standard input.
    pub pass: String,
    /// The command line of a run of the same program that fails.
    pub fail: String,
    /// The places to compare: `FUNCTION`, `FUNCTION:HIT`, `FILE:LINE` or `FILE:LINE:HIT`; none to choose them.
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
    /// Whether only the output of the two runs counts as theirs.
    pub same_output: bool,
    /// How many places are compared at the same time; `None` for the number of cores.
    pub jobs: Option<u16>,
    /// How long a run may take; `None` for the default.
    pub timeout: Option<Duration>,
    /// The search stops after so many experiments.
    pub max_tests: Option<u64>,
    /// The search stops after this time.
    pub max_time: Option<Duration>,
    /// The directory of the session; `None` to find it by what outcomes depend on.
    pub session: Option<PathBuf>,
    /// Whether to start over instead of resuming.
    pub fresh: bool,
    /// The arguments of the command line, by which the session can be resumed, if there is one.
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
            fresh: false,
            command_line: None,
        }
    }
}
