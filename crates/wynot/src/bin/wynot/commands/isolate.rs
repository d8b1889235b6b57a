//! `wynot isolate`: isolate the difference between a passing and a failing input.

use super::search_args::SearchArgs;
use clap::{Args, ValueHint};
use std::path::PathBuf;
use wynot::request::{Request, Verb};

/// The arguments of `wynot isolate`.
#[derive(Debug, Args)]
pub struct IsolateArgs {
    /// An input that passes, a file or a directory [default: the empty input]
    #[arg(long, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub passing: Option<PathBuf>,

    #[command(flatten)]
    pub search: SearchArgs,
}

impl IsolateArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        let Self { passing, search } = self;
        Request { passing, ..search.request(Verb::Isolate, directory) }
    }
}
