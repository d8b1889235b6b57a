//! The help of each verb: `-h` is a summary of two screens, `--help` has everything that the verb uses and nothing else.
//!
//! The searches share their arguments. What an argument means for one verb is said here.

use super::examples::{short_examples, summary_line};
use clap::Command;

/// The arguments of searches that `-h` shows, with a short text for each.
const COMMON: [(&str, &str); 12] = [
    ("fail_when", "Only if this holds: exit=1, stderr~TEXT"),
    ("any_failure", "Any failure with this exit code counts"),
    ("flaky", "The test fails only sometimes"),
    ("jobs", "How many tests run at the same time [default: all cores]"),
    ("timeout", "How much time a test may use (500ms, 10s, 2m)"),
    ("max_time", "Stop after this time (90s, 10m, 2h)"),
    ("project", "Run tests in copies of this project"),
    ("sandbox", "Run tests without network and home directory"),
    ("output", "Where the result goes (- for standard output)"),
    ("json", "Print one JSON object on standard output"),
    ("report", "Write an HTML report"),
    ("test", "The test and its arguments"),
];

/// The same for the arguments of single verbs.
const OF_VERBS: [(&str, &[(&str, &str)]); 7] = [
    (
        "reduce",
        &[
            (
                "inputs",
                "The input that fails: a file, several files, a directory, or - for standard input",
            ),
            (
                "test",
                "The test; {} becomes the path of the variant, without {} it is standard input",
            ),
            ("unit", "No syntax, but ddmin over line, token, char, byte or json"),
            ("all_causes", "Go on with the rest until nothing else fails"),
            ("keep", "Keep what matches, or lines:10-20"),
            ("same_crash", "Only the same crash, by its functions"),
        ],
    ),
    (
        "isolate",
        &[
            ("inputs", "The input that fails: a file or a directory"),
            ("test", "The test and its arguments; {} becomes the path of the variant"),
            ("passing", "An input that passes [default: the empty input]"),
            ("unit", "What a difference is: line, token, char, byte or json"),
        ],
    ),
    (
        "options",
        &[
            ("test", "The test; {options} becomes the options of a variant"),
            ("vary", "The options that vary"),
            ("vary_file", "A file with one option per line, together with its values"),
            ("env", "Vary the environment: that of this shell against a clean one"),
            ("prevent", "Find what prevents the failure"),
            ("all", "Go on with the rest until nothing else causes the failure"),
        ],
    ),
    (
        "changes",
        &[
            ("test", "The test, which runs in a copy of each version"),
            ("good", "A version that passes: a revision, directory, archive or lock file"),
            ("bad", "A version that fails"),
            ("versions", "Or a file with the names of versions, the oldest first"),
            ("build", "A shell command that builds a version"),
            ("with", "A file that is added to every version that lacks it"),
            ("effort", "How long to search among lines"),
        ],
    ),
    (
        "history",
        &[
            ("test", "The test, which runs in a copy of each version"),
            ("from", "The revision that fails [default: HEAD]"),
            ("until", "The oldest revision to test [default: the first commit]"),
            ("build", "A shell command that builds a version"),
            ("branch", "Make a new branch with the fix"),
            ("with", "A file that git does not track, for every version"),
        ],
    ),
    (
        "explain",
        &[
            ("pass", "A run that passes: a program with debug information"),
            ("fail", "A run of the same program that fails"),
            ("at", "Compare at this place: FUNCTION or FILE:LINE"),
            ("most", "How many places to compare at most"),
            ("same_output", "Pass and fail only with the output of the two runs"),
            ("narrow", "Ask which steps are as intended"),
            ("gdb", "Write a script for GDB for each step"),
            ("in_place", "Run the program in this directory itself"),
        ],
    ),
    (
        "serve",
        &[
            ("listen", "The address to listen on"),
            ("data", "The directory with the database and all jobs"),
            ("slots", "How many jobs run at the same time"),
            ("memory", "How much memory a job may use"),
            ("time", "How long a job may take"),
            ("keep", "Remove jobs this long after their end (90d, 12h)"),
            ("public_url", "The address that browsers use, behind a proxy"),
        ],
    ),
];

/// The arguments that a verb shares with others, but does not use.
const NOT_USED: [(&str, &[&str]); 5] = [
    ("reduce", &[]),
    (
        "isolate",
        &[
            "language",
            "no_external",
            "in_place",
            "inline_includes",
            "keep",
            "readable",
            "no_rename",
            "reduce_with",
        ],
    ),
    ("options", &["convention", "until_size", "no_new_errors", "valid_when", "exit_code"]),
    ("changes", &["convention", "until_size", "assume_monotone", "exit_code"]),
    (
        "history",
        &["convention", "until_size", "assume_monotone", "exit_code", "project", "algorithm"],
    ),
];

/// What shared arguments mean for one verb, in the long help.
const LONG: [(&str, &[(&str, &str)]); 5] = [
    (
        "reduce",
        &[
            ("algorithm", "The algorithm [default: smart, or ddmin if a unit is given]"),
            (
                "output",
                "Where the result goes, - for standard output [default: NAME.min.EXT beside the input]",
            ),
            (
                "test",
                "The test and its arguments. {} becomes the path of the variant; without it, the test also gets the variant on standard input",
            ),
        ],
    ),
    (
        "isolate",
        &[
            ("algorithm", "The algorithm [default: dd]"),
            ("output", "Where the failing side goes [default: NAME.failing.EXT beside the input]"),
            (
                "test",
                "The test and its arguments. {} becomes the path of the variant; without it, the test also gets the variant on standard input",
            ),
        ],
    ),
    (
        "options",
        &[
            (
                "algorithm",
                "The algorithm [default: gather, which finds one needed option after the other]",
            ),
            ("output", "Where the options that were found go [default: they are printed]"),
            (
                "test",
                "The test and its arguments; {options} becomes the options of a variant. With --env, it gets the environment of a variant",
            ),
        ],
    ),
    (
        "changes",
        &[
            (
                "algorithm",
                "The algorithm among lines [default: dd, which removes single groups where halves do not build]",
            ),
            (
                "output",
                "Where the patch goes, - for standard output [default: the session's directory]",
            ),
            (
                "test",
                "The test and its arguments, which runs in a copy of each version; {version} becomes the name of a version of --versions",
            ),
        ],
    ),
    (
        "history",
        &[
            (
                "output",
                "Where the patch goes, - for standard output [default: the session's directory]",
            ),
            ("test", "The test and its arguments, which runs in a copy of each version"),
        ],
    ),
];

/// The command line with the help of each verb.
pub fn with_verb_help(mut root: Command) -> Command {
    for (verb, own) in OF_VERBS {
        root = root.mut_subcommand(verb, |command| with_summary(command, verb, own));
    }
    for (verb, hidden) in NOT_USED {
        root = root.mut_subcommand(verb, |command| {
            hidden.iter().fold(command, |command, id| command.mut_arg(id, |arg| arg.hide(true)))
        });
    }
    root
}

/// A verb whose `-h` shows these arguments and those that all searches have.
fn with_summary(command: Command, verb: &str, own: &[(&str, &'static str)]) -> Command {
    let find = |texts: &[(&str, &'static str)], id: &str| {
        texts.iter().find(|(name, _)| *name == id).map(|(_, text)| *text)
    };
    let long = LONG.iter().find(|(name, _)| *name == verb).map_or(&[][..], |(_, texts)| texts);
    let ids: Vec<String> = command.get_arguments().map(|arg| arg.get_id().to_string()).collect();
    let command = ids.iter().fold(command, |command, id| {
        command.mut_arg(id, |arg| {
            let whole = find(long, id).map(Into::into);
            let whole = whole.or_else(|| arg.get_long_help().or(arg.get_help()).cloned());
            let arg = match find(own, id).or_else(|| find(&COMMON, id)) {
                Some(text) => arg.help(text),
                None => arg.hide_short_help(true),
            };
            match whole {
                Some(whole) => arg.long_help(whole),
                None => arg,
            }
        })
    });
    let examples = command.get_after_help().cloned().unwrap_or_default();
    let short = format!("{}\n\n{}", short_examples(&examples.to_string()), summary_line(verb));
    command.after_long_help(examples).after_help(short)
}
