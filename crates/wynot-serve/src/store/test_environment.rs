//! Environments: named descriptions of how tests run, made by administrators.
//!
//! An environment has versions: a change makes a new one, and each job keeps the version with which it was submitted.

use super::served_options::ServedVerb;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the tests of an environment run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestEnvironment {
    /// Its name.
    pub name: String,
    /// What it is for, in a sentence.
    #[serde(default)]
    pub description: String,
    /// The verbs that it is for; all if empty.
    #[serde(default)]
    pub verbs: Vec<ServedVerb>,
    /// The test and its arguments; `{}` is the input.
    #[serde(default)]
    pub command: Vec<String>,
    /// The directory on this machine in which jobs start, such as a repository; the directory of the job if absent.
    #[serde(default)]
    pub directory: Option<PathBuf>,
    /// Further directories on this machine that tests may read.
    #[serde(default)]
    pub shown: Vec<PathBuf>,
    /// Options that every job has, of any kind that the command line knows, such as `--build` or `--executor`.
    #[serde(default)]
    pub options: Vec<String>,
}

/// Why an environment is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BadEnvironment {
    #[error(
        "the name of an environment has 1 to 60 letters, digits, dots, hyphens and underscores, not {0:?}"
    )]
    BadName(String),
    #[error("{0} is not an absolute path of a directory that exists")]
    NoDirectory(PathBuf),
    #[error("{0:?} is not an option: options begin with --")]
    NotAnOption(String),
}

impl TestEnvironment {
    /// Checks what can be checked without running anything.
    pub fn check(&self) -> Result<(), BadEnvironment> {
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        if !(1..=60).contains(&self.name.len()) || !self.name.bytes().all(is_letter) {
            return Err(BadEnvironment::BadName(self.name.clone()));
        }
        let mut directories = self.directory.iter().chain(&self.shown);
        if let Some(wrong) = directories.find(|path| !path.is_absolute() || !path.is_dir()) {
            return Err(BadEnvironment::NoDirectory(wrong.clone()));
        }
        match self.options.iter().find(|word| !word.starts_with("--") || word.as_str() == "--") {
            Some(word) => Err(BadEnvironment::NotAnOption(word.clone())),
            None => Ok(()),
        }
    }
}
