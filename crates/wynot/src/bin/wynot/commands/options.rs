//! `wynot options`: find the options or environment variables that cause a failure, or prevent it.

use super::remote_args::NeededArgs;
use super::search_args::CommonArgs;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use wynot::request::{Request, VaryOptions, Verb};

/// The arguments of `wynot options`.
#[derive(Debug, Args)]
pub struct OptionsArgs {
    #[command(flatten)]
    pub vary: VaryArgs,
    #[command(flatten)]
    pub needed: NeededArgs,
    #[command(flatten)]
    pub common: CommonArgs,
}

/// The arguments about the parts of the test's call that vary.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "What varies")]
pub struct VaryArgs {
    /// The options that vary; they replace {options} in the test
    #[arg(long, value_name = "OPTIONS", required_unless_present_any = ["vary_file", "env", "passing_env", "failing_env"],
          allow_hyphen_values = true)]
    pub vary: Option<String>,

    /// A file with one option per line, together with its values
    #[arg(long, value_name = "FILE", conflicts_with = "vary", value_hint = ValueHint::FilePath)]
    pub vary_file: Option<PathBuf>,

    /// Vary the environment: that of this shell against a clean one
    #[arg(long, conflicts_with_all = ["vary", "vary_file"])]
    pub env: bool,

    /// An environment with which the test passes, as written by env -0 [default: a clean one]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "vary_file"], value_hint = ValueHint::FilePath)]
    pub passing_env: Option<PathBuf>,

    /// An environment with which the test fails, as written by env -0 [default: this one]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["vary", "vary_file"], value_hint = ValueHint::FilePath)]
    pub failing_env: Option<PathBuf>,

    /// Find what prevents the failure: the test fails with nothing, and passes with all that varies
    #[arg(long)]
    pub prevent: bool,

    /// Go on with the rest, until nothing else causes (or prevents) the failure
    #[arg(long)]
    pub all: bool,
}

impl OptionsArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        let VaryArgs { vary, vary_file, env, passing_env, failing_env, prevent, all } = self.vary;
        // Two environments vary the environment, with or without --env.
        let env = env || passing_env.is_some() || failing_env.is_some();
        let options = VaryOptions { vary, vary_file, env, passing_env, failing_env, prevent, all };
        Request { vary: Some(options), ..self.common.request(Verb::Options, directory) }
    }
}
