//! `wynot history`: find the change that broke it, where no good version is known.

use super::choices::SearchEffortName;
use super::search_args::CommonArgs;
use clap::Args;
use std::path::PathBuf;
use wynot::request::{HistoryOptions, OutcomeOptions, Request, Verb};

/// The arguments of `wynot history`.
#[derive(Debug, Args)]
pub struct HistoryArgs {
    #[command(flatten)]
    pub history: WalkArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The arguments about the history and how its versions are built.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The history")]
pub struct WalkArgs {
    /// The revision that fails [default: HEAD]
    #[arg(long, value_name = "REVISION")]
    pub from: Option<String>,

    /// The oldest revision to test [default: the first commit]
    #[arg(long, value_name = "REVISION")]
    pub until: Option<String>,

    /// A shell command that builds a version before each test; if it fails, the outcome is unresolved. Its products
    /// stay for the next build
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,

    /// Test one version after the other, instead of 1, 2, 4, … versions back
    #[arg(long)]
    pub linear: bool,

    /// Simplify patches line by line, as in the paper, without directories, files, functions and hunks
    #[arg(long)]
    pub flat: bool,

    /// Do not simplify the patches of old versions once more at the end
    #[arg(long)]
    pub no_fix_point: bool,

    /// Make a new branch with the fix as one commit; the checkout stays as it is
    #[arg(long, value_name = "NAME")]
    pub branch: Option<String>,

    /// A command that must succeed on every version that passes or fails, such as valgrind with the test; otherwise the
    /// outcome is unresolved. So a version does not count that passes only because it corrupts memory
    #[arg(long, value_name = "COMMAND", conflicts_with = "valid_when")]
    pub guard: Option<String>,

    /// A file or directory of the failing revision that every version gets, such as a test. Files of tests that TEST
    /// names need not be given. Can be given several times
    #[arg(long, value_name = "PATH")]
    pub carry: Vec<PathBuf>,

    /// A file or directory that is added to every version that does not have it, such as one that git does not
    /// track. Can be given several times
    #[arg(long, value_name = "PATH")]
    pub with: Vec<PathBuf>,

    /// How many tests may decide nothing in the search for one patch: normal is about a minute of them, low a quarter
    /// of it, high ten times as long, max without an end
    #[arg(long, value_enum, value_name = "EFFORT", default_value = "normal")]
    pub effort: SearchEffortName,
}

impl HistoryArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        let args = self.history;
        let request = self.common.request(Verb::History, directory);
        let history = HistoryOptions {
            from: args.from,
            until: args.until,
            build: args.build,
            effort: args.effort.into(),
            with: args.with,
            carry: args.carry,
            linear: args.linear,
            flat: args.flat,
            fix_point: !args.no_fix_point,
            branch: args.branch,
        };
        let outcome = OutcomeOptions { guard: args.guard, ..request.outcome };
        Request { history: Some(history), outcome, ..request }
    }
}
