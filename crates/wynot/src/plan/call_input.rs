//! Options and environment variables as subjects.

use super::input::{SearchInput, read};
use crate::error::{Error, ErrorKind};
use crate::request::Request;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use wynot_exec::{TestCommand, VariantForm};
use wynot_subjects::{
    Assignment, EnvironmentSubject, OptionsSubject, Subject, parse_environment, quote,
};

/// The variables that a clean environment keeps: most programs need them.
const KEPT_VARIABLES: [&str; 6] = ["HOME", "USER", "LOGNAME", "SHELL", "TERM", "TZ"];

/// The search path for programs in a clean environment.
const CLEAN_PATH: &[u8] = b"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/// Reads the options or environments that vary.
pub(super) fn read_call(request: &Request, command: &TestCommand) -> Result<SearchInput, Error> {
    let here = &request.directory;
    let vary = request.vary.clone().unwrap_or_default();
    let (subject, name) = if vary.env {
        let parse = |path: &PathBuf| {
            parse_environment(&read(path, here)?)
                .map_err(|error| Error::usage(format!("{}: {error}", path.display())))
        };
        let passing = vary.passing_env.as_ref().map(parse).transpose()?;
        let failing = vary.failing_env.as_ref().map(parse).transpose()?;
        let environment = EnvironmentSubject::between(
            passing.unwrap_or_else(clean_environment),
            failing.unwrap_or_else(current_environment),
        );
        (Subject::Environment(environment), "environment")
    } else {
        if !command.mentions_options() {
            return Err(without_place(request));
        }
        let options = match (&vary.vary, &vary.vary_file) {
            (Some(text), _) => OptionsSubject::parse(text.as_bytes()),
            (None, Some(file)) => OptionsSubject::parse_lines(&read(file, here)?),
            (None, None) => OptionsSubject::parse(b""),
        };
        let options = options.map_err(|error| {
            Error::usage(error).hint("--vary takes all options as one word: --vary '-O2 -g'")
        })?;
        (Subject::Options(options), "options")
    };
    if subject.deltas() == 0 {
        let message = "the two environments are the same: no difference to search";
        return Err(Error::new(ErrorKind::NoFailure, message));
    }
    let variant = PathBuf::from("variant");
    Ok(SearchInput { variant, ..SearchInput::new(subject, VariantForm::Call, name.into()) })
}

/// The error of a test without a place for the options, with one that has it.
fn without_place(request: &Request) -> Error {
    let mut words: Vec<String> =
        request.test.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    match words.iter_mut().find(|word| *word == "{}") {
        Some(word) => *word = "{options}".to_owned(),
        None => words.push("{options}".to_owned()),
    }
    Error::usage("the test does not say where the options go")
        .hint(format!("write {{options}} among its arguments: -- {}", quote::command(&words)))
}

fn current_environment() -> Vec<Assignment> {
    let bytes = |text: OsString| text.as_bytes().to_vec();
    std::env::vars_os().map(|(name, value)| (bytes(name), bytes(value))).collect()
}

fn clean_environment() -> Vec<Assignment> {
    let kept = current_environment().into_iter();
    let kept = kept.filter(|(name, _)| KEPT_VARIABLES.iter().any(|kept| kept.as_bytes() == name));
    kept.chain([(b"PATH".to_vec(), CLEAN_PATH.to_vec())]).collect()
}
