//! The verbs and options that submitters may use.
//!
//! The list names what is allowed. Options about files, processes, sessions, executors and output are decided by the server
//! or by an environment, and options that contain a command need the right to run commands.

use super::bad_submission::BadSubmission;
use serde::{Deserialize, Serialize};

/// The verbs of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ServedVerb {
    /// Simplify a failing input.
    Reduce,
    /// Isolate the difference between a passing and a failing input.
    Isolate,
    /// Find options that cause a failure.
    Options,
    /// Find the change between two versions.
    Changes,
    /// Find the change in a history.
    History,
    /// Find the variables that carry a failure.
    Explain,
}

impl ServedVerb {
    /// All verbs.
    pub const ALL: [Self; 6] =
        [Self::Reduce, Self::Isolate, Self::Options, Self::Changes, Self::History, Self::Explain];

    /// The name of the verb on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Reduce => "reduce",
            Self::Isolate => "isolate",
            Self::Options => "options",
            Self::Changes => "changes",
            Self::History => "history",
            Self::Explain => "explain",
        }
    }

    /// The verb of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.name() == name)
    }

    /// What the verb does, in a few words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Reduce => "make a failing input as small as possible",
            Self::Isolate => "find the difference between a passing and a failing input",
            Self::Options => "find the options that cause a failure",
            Self::Changes => "find the change between two versions that broke it",
            Self::History => "find the change that broke it, without a known good version",
            Self::Explain => "find the variables that carry a failure to the crash",
        }
    }
}

/// What follows the name of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OptionValue {
    /// Nothing.
    None,
    /// Any text.
    Text,
    /// Text after an equals sign, or nothing.
    Optional,
    /// The name of a version in a git repository.
    Revision,
    /// A shell command.
    Command,
}

use OptionValue::{Command, None as Flag, Optional, Revision, Text};

/// The options of all searches.
const OF_SEARCHES: [(&str, OptionValue); 21] = [
    ("algorithm", Text),
    ("any-failure", Flag),
    ("as", Text),
    ("assume-monotone", Flag),
    ("exit-code", Text),
    ("fail-when", Text),
    ("flaky", Flag),
    ("language", Text),
    ("max-tests", Text),
    ("max-time", Text),
    ("minimality", Text),
    ("no-external", Flag),
    ("no-new-errors", Flag),
    ("pass-when", Text),
    ("quorum", Text),
    ("repeat", Text),
    ("same-crash", Optional),
    ("same-output", Flag),
    ("timeout", Text),
    ("until-size", Text),
    ("valid-when", Command),
];

/// The options of single verbs.
const OF_VERBS: [(ServedVerb, &[(&str, OptionValue)]); 6] = [
    (
        ServedVerb::Reduce,
        &[
            ("all-causes", Flag),
            ("keep", Text),
            ("no-rename", Flag),
            ("readable", Flag),
            ("unit", Text),
        ],
    ),
    (ServedVerb::Isolate, &[("all-causes", Flag), ("unit", Text)]),
    (ServedVerb::Options, &[("all", Flag), ("prevent", Flag), ("vary", Text)]),
    (
        ServedVerb::Changes,
        &[
            ("bad", Revision),
            ("build", Command),
            ("confidence", Text),
            ("effort", Text),
            ("good", Revision),
            ("group", Text),
        ],
    ),
    (
        ServedVerb::History,
        &[
            ("build", Command),
            ("effort", Text),
            ("flat", Flag),
            ("from", Revision),
            ("guard", Command),
            ("linear", Flag),
            ("no-fix-point", Flag),
            ("until", Revision),
        ],
    ),
    (
        ServedVerb::Explain,
        &[
            ("at", Text),
            ("fail-when", Text),
            ("max-tests", Text),
            ("max-time", Text),
            ("most", Text),
            ("pass-when", Text),
            ("places", Text),
            ("same-output", Flag),
            ("timeout", Text),
        ],
    ),
];

/// Options in a form that cannot be misread: each is one word, `--name` or `--name=value`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct CheckedOptions {
    /// The words.
    pub words: Vec<String>,
    /// Whether one of them contains a command.
    pub has_command: bool,
}

/// Checks the options of a submission.
pub(crate) fn check_options(
    verb: ServedVerb,
    words: &[String],
) -> Result<CheckedOptions, BadSubmission> {
    let mut checked = CheckedOptions { words: Vec::new(), has_command: false };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(rest) = word.strip_prefix("--") else {
            return Err(BadSubmission::NotAnOption(word.clone()));
        };
        let (name, inline) = match rest.split_once('=') {
            Some((name, value)) => (name, Some(value.to_owned())),
            None => (rest, None),
        };
        let kind = kind_of(verb, name).ok_or_else(|| BadSubmission::UnknownOption {
            option: name.to_owned(),
            verb: verb.name(),
        })?;
        let needs_value = !matches!(kind, Flag | Optional);
        let value = match (inline, needs_value) {
            (Some(_), false) if kind == Flag => {
                return Err(BadSubmission::UnexpectedValue(name.to_owned()));
            }
            (None, true) => {
                let next = words.next().cloned();
                Some(next.ok_or_else(|| BadSubmission::MissingValue(name.to_owned()))?)
            }
            (inline, _) => inline,
        };
        if kind == Revision && !value.as_deref().is_some_and(is_revision) {
            return Err(BadSubmission::NotARevision(name.to_owned()));
        }
        checked.has_command |= kind == Command;
        checked.words.push(match value {
            Some(value) => format!("--{name}={value}"),
            None => format!("--{name}"),
        });
    }
    Ok(checked)
}

fn kind_of(verb: ServedVerb, name: &str) -> Option<OptionValue> {
    let own = OF_VERBS.iter().find(|(other, _)| *other == verb).map(|(_, options)| *options);
    let common: &[(&str, OptionValue)] =
        if verb == ServedVerb::Explain { &[] } else { &OF_SEARCHES };
    let options = own.unwrap_or_default().iter().chain(common);
    options.into_iter().find(|(option, _)| *option == name).map(|(_, kind)| *kind)
}

/// Whether a text can only be the name of a version, and not the path of a file of this machine.
fn is_revision(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./^~@{}+".contains(&byte);
    text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric() || first == b'_')
        && text.bytes().all(is_allowed)
        && !text.contains("..")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(verb: ServedVerb, words: &[&str]) -> Result<CheckedOptions, BadSubmission> {
        check_options(verb, &words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn options_become_single_words() {
        let checked =
            check(ServedVerb::Reduce, &["--unit", "--x", "--flaky", "--same-crash", "--repeat=3"]);
        let words = ["--unit=--x", "--flaky", "--same-crash", "--repeat=3"];
        let words = words.map(str::to_owned).to_vec();
        assert_eq!(checked.unwrap(), CheckedOptions { words, has_command: false });
        assert!(check(ServedVerb::Changes, &["--build", "make"]).unwrap().has_command);
    }

    #[test]
    fn what_concerns_the_server_is_refused() {
        for words in [
            &["--session", "/tmp"][..],
            &["--output=/etc/passwd"],
            &["-o", "x"],
            &["--in", "/"],
            &["--events", "x"],
            &["--executor", "grpc://x"],
            &["--sandbox-read=/root"],
            &["--share-processes"],
            &["--unit"],
            &["--flaky=yes"],
            &["input.c"],
            &["--"],
            &["--passing", "/etc/passwd"],
        ] {
            assert!(check(ServedVerb::Reduce, words).is_err(), "{words:?}");
        }
    }

    #[test]
    fn versions_are_names_and_no_paths() {
        for fine in ["HEAD", "v1.2.3", "origin/main", "HEAD~3", "main@{1}", "a1b2c3d^2"] {
            assert!(check(ServedVerb::Changes, &["--good", fine]).is_ok(), "{fine}");
        }
        for path in ["/etc", "./x", "../x", "a/../../b", "", "~root", "-x", "a b"] {
            assert!(check(ServedVerb::Changes, &["--good", path]).is_err(), "{path}");
        }
    }
}
