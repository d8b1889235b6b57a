//! What is submitted: a verb, options, a test, and files.

use super::bad_submission::{BadSubmission, check_file_name};
use super::served_options::{ServedVerb, check_options};
use super::test_environment::TestEnvironment;
use serde::{Deserialize, Serialize};

/// A submission, without the contents of its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Submission {
    /// What to do.
    pub verb: ServedVerb,
    /// The project that it belongs to.
    #[serde(default)]
    pub project: String,
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// The environment that says how tests run.
    #[serde(default)]
    pub environment: Option<String>,
    /// Options of the verb.
    #[serde(default)]
    pub options: Vec<String>,
    /// The test and its arguments, if there is no environment.
    #[serde(default)]
    pub test: Vec<String>,
    /// For `explain`: the run that passes.
    #[serde(default)]
    pub pass: Option<String>,
    /// For `explain`: the run that fails.
    #[serde(default)]
    pub fail: Option<String>,
    /// If the input is a directory, its name: all files of the input are in it.
    #[serde(default)]
    pub directory: Option<String>,
    /// The files, which the server knows.
    #[serde(default, skip_deserializing)]
    pub files: Vec<UploadedFile>,
}

/// The parts that files have in a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileRole {
    /// The input that fails.
    Input,
    /// The input that passes.
    Passing,
    /// An archive with the version that passes.
    Good,
    /// An archive with the version that fails.
    Bad,
    /// A git bundle with the history.
    Repository,
    /// A file that the test needs.
    File,
}

impl FileRole {
    /// The role of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Some(match name {
            "input" => Self::Input,
            "passing" => Self::Passing,
            "good" => Self::Good,
            "bad" => Self::Bad,
            "repository" => Self::Repository,
            "file" => Self::File,
            _ => return None,
        })
    }
}

/// A file of a submission.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UploadedFile {
    /// Its part in the submission.
    pub role: FileRole,
    /// Its name in the directory of the job.
    pub name: String,
    /// Its size.
    pub bytes: u64,
}

/// The most characters of titles and names of projects.
const MAX_NAME_LENGTH: usize = 200;

/// The most characters of all options and words of a test.
const MAX_COMMAND_LENGTH: usize = 100_000;

impl Submission {
    /// Checks everything that can be checked without running anything. Returns whether the right to run commands is
    /// needed.
    pub fn check(&self, environment: Option<&TestEnvironment>) -> Result<bool, BadSubmission> {
        self.check_lengths()?;
        let options = check_options(self.verb, &self.options)?;
        if let (Some(name), None) = (&self.environment, environment) {
            return Err(BadSubmission::UnknownEnvironment(name.clone()));
        }
        if let Some(environment) = environment
            && !environment.verbs.is_empty()
            && !environment.verbs.contains(&self.verb)
        {
            let (environment, verb) = (environment.name.clone(), self.verb.name());
            return Err(BadSubmission::WrongVerb { environment, verb });
        }
        self.check_directory()?;
        self.check_parts(environment)?;
        let has_own_command = !self.test.is_empty() || self.pass.is_some() || self.fail.is_some();
        // What is needed by a test may be a program.
        let has_programs = self.has(FileRole::File) && environment.is_none();
        Ok(has_own_command || has_programs || options.has_command)
    }

    /// Whether everything is there that the verb needs.
    fn check_parts(&self, environment: Option<&TestEnvironment>) -> Result<(), BadSubmission> {
        let has_test = match environment {
            Some(environment) => !environment.command.is_empty() || !self.test.is_empty(),
            None => !self.test.is_empty(),
        };
        let has_directory = environment.is_some_and(|environment| environment.directory.is_some());
        let has_option =
            |name: &str| self.options.iter().any(|word| word.trim_start_matches('-') == name);
        let missing = match self.verb {
            ServedVerb::Explain => {
                let has_runs = self.pass.is_some() && self.fail.is_some();
                let has_inputs = environment.is_some_and(|known| !known.command.is_empty())
                    && self.has(FileRole::Input)
                    && self.has(FileRole::Passing);
                (!has_runs && !has_inputs).then_some("`explain` needs a run that passes and a run that fails")
            }
            _ if !has_test => Some("there is no test: give a command, or choose an environment that has one"),
            ServedVerb::Reduce | ServedVerb::Isolate => {
                (!self.has(FileRole::Input)).then_some("there is no input: upload a file that fails")
            }
            ServedVerb::Options => {
                let varies = self.options.iter().any(|word| word.starts_with("--vary"));
                (!varies).then_some("`options` needs --vary with the options that vary")
            }
            ServedVerb::Changes => {
                let has_trees = self.has(FileRole::Good) && self.has(FileRole::Bad);
                let has_history = (has_directory || self.has(FileRole::Repository))
                    && ["good", "bad"].iter().all(|name| {
                        has_option(name) || self.options.iter().any(|word| word.starts_with(&format!("--{name}=")))
                    });
                (!has_trees && !has_history).then_some(
                    "`changes` needs two archives (good and bad), or a repository with --good and --bad",
                )
            }
            ServedVerb::History => (!has_directory && !self.has(FileRole::Repository)).then_some(
                "`history` needs a repository: upload a git bundle, or choose an environment that has one",
            ),
        };
        missing.map_or(Ok(()), |missing| Err(BadSubmission::Missing(missing)))
    }

    /// Whether all files of an input that is a directory are in it.
    fn check_directory(&self) -> Result<(), BadSubmission> {
        let Some(directory) = &self.directory else { return Ok(()) };
        check_file_name(directory)?;
        let prefix = format!("{directory}/");
        let mut inputs = self.files.iter().filter(|file| file.role == FileRole::Input);
        match inputs.find(|file| !file.name.starts_with(&prefix)) {
            Some(file) => Err(BadSubmission::NotInDirectory(file.name.clone())),
            None => Ok(()),
        }
    }

    fn has(&self, role: FileRole) -> bool {
        self.files.iter().any(|file| file.role == role)
    }

    fn check_lengths(&self) -> Result<(), BadSubmission> {
        let check = |what, length: usize, max| match length > max {
            true => Err(BadSubmission::TooLong { what, length, max }),
            false => Ok(()),
        };
        check("the title", self.title.chars().count(), MAX_NAME_LENGTH)?;
        check("the name of the project", self.project.chars().count(), MAX_NAME_LENGTH)?;
        let runs = [&self.pass, &self.fail].into_iter().flatten();
        let words: Vec<&String> = self.options.iter().chain(&self.test).chain(runs).collect();
        if words.iter().any(|word| word.contains('\0')) {
            return Err(BadSubmission::Nul);
        }
        let length = words.iter().map(|word| word.len() + 1).sum();
        check("the command", length, MAX_COMMAND_LENGTH)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn submission(json: &str) -> Submission {
        serde_json::from_str(json).unwrap()
    }

    fn with_input(mut submission: Submission) -> Submission {
        let file = UploadedFile { role: FileRole::Input, name: "a.c".to_owned(), bytes: 3 };
        submission.files.push(file);
        submission
    }

    #[test]
    fn a_command_needs_the_right_to_run_one() {
        let own = with_input(submission(r#"{"verb": "reduce", "test": ["gcc", "-c", "{}"]}"#));
        assert_eq!(own.check(None), Ok(true));
        let environment = TestEnvironment {
            name: "gcc".to_owned(),
            command: vec!["gcc".to_owned(), "{}".to_owned()],
            ..TestEnvironment::default()
        };
        let chosen = with_input(submission(r#"{"verb": "reduce", "environment": "gcc"}"#));
        assert_eq!(chosen.check(Some(&environment)), Ok(false));
        assert!(matches!(chosen.check(None), Err(BadSubmission::UnknownEnvironment(_))));
        let other = TestEnvironment { verbs: vec![ServedVerb::Changes], ..environment };
        assert!(matches!(chosen.check(Some(&other)), Err(BadSubmission::WrongVerb { .. })));
    }

    #[test]
    fn what_a_verb_needs_is_named() {
        for (json, missing) in [
            (r#"{"verb": "reduce", "test": ["x"]}"#, "there is no input"),
            (r#"{"verb": "reduce"}"#, "there is no test"),
            (r#"{"verb": "options", "test": ["x"]}"#, "--vary"),
            (r#"{"verb": "changes", "test": ["x"]}"#, "two archives"),
            (r#"{"verb": "history", "test": ["x"]}"#, "a git bundle"),
            (r#"{"verb": "explain", "pass": "x"}"#, "a run that passes"),
        ] {
            let error = submission(json).check(None).unwrap_err().to_string();
            assert!(error.contains(missing), "{json}: {error}");
        }
        assert!(
            serde_json::from_str::<Submission>(r#"{"verb": "reduce", "files": [], "x": 1}"#)
                .is_err()
        );
    }

    #[test]
    fn names_of_files_stay_in_their_directory() {
        for fine in ["a.c", "src/a b.c", "ä.txt", "..a"] {
            assert_eq!(check_file_name(fine), Ok(()), "{fine}");
        }
        for bad in ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a\nb", ".", "-o", "a/", "x\0"]
        {
            assert!(check_file_name(bad).is_err(), "{bad:?}");
        }
    }
}
