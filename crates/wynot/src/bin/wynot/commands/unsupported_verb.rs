//! The verbs that examine programs, on processors whose programs cannot be examined.

use clap::Args;
use std::ffi::OsString;
use wynot::Error;

/// Whatever such a verb is given.
#[derive(Debug, Args)]
pub struct UnsupportedArgs {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, hide = true)]
    words: Vec<OsString>,
}

/// Why such a verb does nothing.
pub fn refusal(verb: &str) -> Error {
    Error::usage(format!("wynot {verb} works on x86-64 only, not on {}", std::env::consts::ARCH))
        .hint("the other verbs work here")
        .next("wynot --help")
}
