//! `wynot changes`: find the change between two versions that broke it.

use super::choices::{ChangeScopeName, SearchEffortName};
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

/// The arguments about versions and how they are built.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "The versions")]
pub struct VersionArgs {
    /// A version that passes the test: a directory, an archive (tar, compressed or not, or zip), or a git revision
    #[arg(long, value_name = "VERSION")]
    pub good: String,

    /// A version that fails the test
    #[arg(long, value_name = "VERSION")]
    pub bad: String,

    /// A shell command that builds a version before each test; if it fails, the outcome is unresolved.
    /// Its products stay for the next build, files that the test writes do not
    #[arg(long, value_name = "COMMAND")]
    pub build: Option<String>,

    /// The changes that are grouped first: those of a commit, a directory, a file, a function, or no
    /// group [default: commit, if there is a history]
    #[arg(long, value_enum, value_name = "SCOPE")]
    pub group: Option<ChangeScopeName>,

    /// How long to search among lines although tests decide nothing, because parts of a change do not build:
    /// normal is about a minute of such tests, or four times as many as the search for the commit took; low is a
    /// quarter of it, high ten times as long, max without an end
    #[arg(long, value_enum, value_name = "EFFORT", default_value = "normal")]
    pub effort: SearchEffortName,

    /// A file or directory that is added to every version that does not have it, such as one that git does not
    /// track. Can be given several times
    #[arg(long, value_name = "PATH")]
    pub with: Vec<PathBuf>,
}

impl ChangesArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        let VersionArgs { good, bad, build, group, effort, with } = self.versions;
        let group = group.map(Into::into);
        let effort = effort.into();
        let versions = VersionOptions { good, bad, build, group, effort, with };
        Request { versions: Some(versions), ..self.common.request(Verb::Changes, directory) }
    }
}
