//! `wynot changes`: the change between two versions that broke it.

use super::choices::ChangeScopeName;
use super::search_args::CommonArgs;
use clap::Args;
use std::path::PathBuf;
use wynot::request::{Request, Verb, VersionOptions};

/// The arguments of `wynot changes`.
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
    pub group: Option<ChangeScopeName>,
}

impl ChangesArgs {
    /// The request.
    pub fn request(self, directory: PathBuf) -> Request {
        let VersionArgs { good, bad, build, any_failure, group } = self.versions;
        let group = group.map(Into::into);
        let versions = VersionOptions { good, bad, build, any_failure, group };
        Request { versions: Some(versions), ..self.common.request(Verb::Changes, directory) }
    }
}
