//! The commands of `--reduce-with`.

use crate::error::Error;
use crate::request::{Algorithm, Request, Verb};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use wynot_exec::VariantForm;
use wynot_subjects::split_words;

/// A program of the user that proposes smaller texts.
#[derive(Clone, Debug)]
pub struct OutsideCommand {
    /// The command as the user wrote it.
    pub text: String,
    /// Its words.
    pub words: Vec<OsString>,
    /// The directory in which it is started.
    pub directory: PathBuf,
}

/// The commands of a request.
pub(super) fn read(
    request: &Request,
    algorithm: Algorithm,
    form: VariantForm,
) -> Result<Vec<OutsideCommand>, Error> {
    let commands = &request.input.reduce_with;
    if commands.is_empty() {
        return Ok(Vec::new());
    }
    let is_text = algorithm == Algorithm::Smart && form == VariantForm::File;
    if request.verb != Verb::Reduce || !is_text {
        let message =
            "--reduce-with is for the reduction of a single file by the default algorithm";
        return Err(Error::usage(message));
    }
    let command = |text: &String| {
        let bad = |error: &dyn std::fmt::Display| {
            Error::usage(format!("--reduce-with '{text}': {error}"))
        };
        let words = split_words(text.as_bytes()).map_err(|error| bad(&error))?;
        if words.is_empty() {
            return Err(bad(&"it is empty"));
        }
        let words = words.into_iter().map(OsString::from_vec).collect();
        Ok(OutsideCommand { text: text.clone(), words, directory: request.directory.clone() })
    };
    commands.iter().map(command).collect()
}
