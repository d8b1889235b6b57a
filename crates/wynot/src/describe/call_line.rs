//! Calls of a test as command lines to paste.

use crate::request::Request;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use wynot_exec::command::with_options;
use wynot_subjects::{Variant, quote};

/// A command line for a shell that runs the test with a variant.
pub fn command_line(request: &Request, variant: &Variant) -> String {
    let test = &request.test;
    let words: Vec<OsString> = match variant {
        Variant::Words(words) => {
            let options: Vec<OsString> = words.iter().cloned().map(OsString::from_vec).collect();
            with_options(test, &options)
        }
        Variant::Environment(variables) => {
            let variables = variables.iter().cloned().map(OsString::from_vec);
            let prefix = ["env", "-i"].into_iter().map(OsString::from);
            prefix.chain(variables).chain(test.iter().cloned()).collect()
        }
        Variant::Bytes(_) | Variant::Folder(_) | Variant::Version(_) => test.clone(),
    };
    let words: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    quote::command(&words)
}
