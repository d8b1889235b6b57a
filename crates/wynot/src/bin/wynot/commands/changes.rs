//! `wynot changes`: find the change between two versions that broke it, or the version of a row.

use super::choices::{ChangeScopeName, SearchEffortName};
use super::search_args::CommonArgs;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use wynot::request::{AlgorithmOptions, Request, Verb, VersionListOptions, VersionOptions};

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
    /// A version that passes the test: a directory, an archive (tar, compressed or not, or zip), a git revision, or
    /// a lock file (Cargo.lock, package-lock.json, requirements.txt, uv.lock, go.mod); with --versions, one of the list [default with --versions: the first one]
    #[arg(long, value_name = "VERSION", required_unless_present = "versions")]
    pub good: Option<String>,

    /// A version that fails the test [default with --versions: the last one]
    #[arg(long, value_name = "VERSION", required_unless_present = "versions")]
    pub bad: Option<String>,

    /// A file with the names of versions, one per line, the oldest first: find the first bad one. The test and --build
    /// get the name in place of {version} and in the variable WYNOT_VERSION; they run in an empty private directory,
    /// or in a copy of the project with --in
    #[arg(long, value_name = "FILE", conflicts_with_all = ["group", "effort"], value_hint = ValueHint::FilePath)]
    pub versions: Option<PathBuf>,

    /// A shell command that builds a version before each test; if it fails, the outcome is unresolved.
    /// Its products stay for the next build, except with --versions; files that the test writes do not
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

    /// How probable the answer about a row of versions must be if the test is --flaky, from 0.5 to 0.9999
    /// [default: 0.99]
    #[arg(long, value_name = "P", requires = "flaky", value_parser = confidence)]
    pub confidence: Option<f64>,
}

impl ChangesArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        let VersionArgs { good, bad, versions, build, group, effort, with, confidence } =
            self.versions;
        let request = self.common.request(Verb::Changes, directory);
        let algorithm = AlgorithmOptions {
            confidence: confidence.unwrap_or(request.algorithm.confidence),
            ..request.algorithm
        };
        let request = Request { algorithm, ..request };
        match versions {
            Some(file) => {
                let list = VersionListOptions { file, good, bad, build };
                Request { version_list: Some(list), ..request }
            }
            None => {
                // Both are required without a list.
                let (good, bad) = (good.unwrap_or_default(), bad.unwrap_or_default());
                let group = group.map(Into::into);
                let effort = effort.into();
                let versions = VersionOptions { good, bad, build, group, effort, with };
                Request { versions: Some(versions), ..request }
            }
        }
    }
}

/// Parses the probability that an answer must have.
fn confidence(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(probability @ 0.5..=0.9999) => Ok(probability),
        _ => Err("a confidence is a number from 0.5 to 0.9999".to_owned()),
    }
}
