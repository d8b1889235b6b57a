//! Why submissions are refused, and the names that their files may have.

/// Why a submission is refused.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the messages say it")]
pub enum BadSubmission {
    #[error("{0:?} is not an option: options begin with --")]
    NotAnOption(String),
    #[error("--{option} is not an option that `{verb}` has on a server")]
    UnknownOption { option: String, verb: &'static str },
    #[error("--{0} takes no value")]
    UnexpectedValue(String),
    #[error("--{0} needs a value")]
    MissingValue(String),
    #[error(
        "--{0} needs the name of a version, such as v1.2 or HEAD~3; to compare two trees, upload archives"
    )]
    NotARevision(String),
    #[error("{0}")]
    Missing(&'static str),
    #[error("there is no environment {0:?}")]
    UnknownEnvironment(String),
    #[error("environment {environment:?} is not for `{verb}`")]
    WrongVerb { environment: String, verb: &'static str },
    #[error(
        "{0:?} cannot be the name of a file: names are relative paths without .. and control characters"
    )]
    BadName(String),
    #[error("{0:?} is not in the directory that is the input")]
    NotInDirectory(String),
    #[error("two files are called {0:?}")]
    SameName(String),
    #[error("{what} has {length} characters, at most {max} are allowed")]
    TooLong { what: &'static str, length: usize, max: usize },
    #[error("a NUL character cannot be part of a command")]
    Nul,
}

/// The most characters of the name of a file.
const MAX_FILE_NAME_LENGTH: usize = 240;

/// Checks the name of a file, which must stay within the directory of its job.
pub fn check_file_name(name: &str) -> Result<(), BadSubmission> {
    let is_part = |part: &str| !matches!(part, "" | "." | "..");
    let is_fine = name.split('/').all(is_part)
        && !name.chars().any(char::is_control)
        && name.len() <= MAX_FILE_NAME_LENGTH
        && !name.starts_with('-');
    if is_fine { Ok(()) } else { Err(BadSubmission::BadName(name.to_owned())) }
}
