//! `wynot reduce`: simplify a failing input.

use super::search_args::SearchArgs;
use clap::Args;
use std::path::PathBuf;
use wynot::request::{Request, Verb};

/// The arguments of `wynot reduce`.
#[derive(Debug, Args)]
pub struct ReduceArgs {
    #[command(flatten)]
    pub search: SearchArgs,
}

impl ReduceArgs {
    /// The request of these arguments.
    pub fn request(self, directory: PathBuf) -> Request {
        self.search.request(Verb::Reduce, directory)
    }
}
