//! What was probably meant by a command line that cannot be parsed, and how to type that.

use clap::error::ErrorKind;
use std::path::Path;
use wynot_subjects::quote;

/// Names of verbs in other tools, and what they are called here.
const OTHER_NAMES: [(&str, &str); 14] = [
    ("minimize", "reduce"),
    ("minimise", "reduce"),
    ("simplify", "reduce"),
    ("shrink", "reduce"),
    ("min", "reduce"),
    ("diff", "isolate"),
    ("compare", "isolate"),
    ("bisect", "changes"),
    ("blame", "changes"),
    ("why", "explain"),
    ("debug", "explain"),
    ("list", "sessions"),
    ("check", "verify"),
    ("server", "serve"),
];

/// What to type instead.
pub struct Advice {
    /// What is wrong.
    pub message: String,
    /// The command line.
    pub line: String,
}

/// The advice for a command line, if there is one; `verb` is its first word.
pub fn advice(error: &clap::Error, verb: &str, words: &[String]) -> Option<Advice> {
    let rest = words.get(1..).unwrap_or_default();
    let text = error.render().to_string();
    let text = text.split("\n\n").next().unwrap_or_default();
    let lacks = |argument: &str| {
        error.kind() == ErrorKind::MissingRequiredArgument && text.contains(argument)
    };
    let is_unknown = error.kind() == ErrorKind::UnknownArgument;
    match verb {
        _ if error.kind() == ErrorKind::InvalidSubcommand => unknown_verb(verb, words),
        "reduce" | "isolate" if lacks("<INPUT>") => Some(Advice {
            message: "there is no input: the file that fails stands before --".to_owned(),
            line: format!("wynot {verb} FILE {}", quote::command(rest)),
        }),
        "options" if lacks("--vary") => Some(Advice {
            message: "it is not said what varies: options (--vary, --vary-file) or the environment (--env)"
                .to_owned(),
            line: format!("wynot options --vary 'OPTION OPTION' {}", quote::command(rest)),
        }),
        "changes" if is_unknown => {
            let (versions, test) = before_test(rest);
            let [good, bad, options @ ..] = versions else { return None };
            let named = [good, bad].iter().all(|word| !word.starts_with('-'));
            named.then(|| Advice {
                message: "versions are named by --good and --bad".to_owned(),
                line: format!(
                    "wynot changes --good {} --bad {} {}",
                    quote::command(std::slice::from_ref(good)),
                    quote::command(std::slice::from_ref(bad)),
                    quote::command(&[options, test].concat())
                ),
            })
        }
        "changes" if lacks("--good") => {
            let (_, test) = before_test(rest);
            Some(Advice {
                message: "there is no good version (--good); if none is known, history goes back to one"
                    .to_owned(),
                line: format!("wynot history {}", quote::command(test)),
            })
        }
        "explain" if is_unknown || lacks("--pass") || lacks("--fail") => {
            let runs: Vec<&String> =
                rest.iter().filter(|word| *word != "--" && !word.starts_with('-')).collect();
            let (passing, failing) = match (rest.iter().any(|word| word.starts_with("--")), &runs[..]) {
                (false, [passing, failing]) => (passing.as_str(), failing.as_str()),
                _ => ("PROGRAM ARGUMENTS", "PROGRAM OTHER-ARGUMENTS"),
            };
            let [passing, failing] = [passing, failing].map(|run| quote::command(&[run.to_owned()]));
            Some(Advice {
                message: "two runs of one program are compared: --pass and --fail, each a command in quotes"
                    .to_owned(),
                line: format!("wynot explain --pass {passing} --fail {failing}"),
            })
        }
        _ => None,
    }
}

/// The words before `--`, and the test with it.
fn before_test(words: &[String]) -> (&[String], &[String]) {
    let at = words.iter().position(|word| word == "--").unwrap_or(words.len());
    words.split_at(at)
}

/// The advice for a first word that is no verb.
fn unknown_verb(verb: &str, words: &[String]) -> Option<Advice> {
    if let Some((_, meant)) = OTHER_NAMES.iter().find(|(other, _)| *other == verb) {
        let rest = quote::command(&words[1..]);
        return Some(Advice {
            message: format!("there is no verb {verb} here; it is called {meant}"),
            line: format!("wynot {meant} {rest}").trim_end().to_owned(),
        });
    }
    let is_input = Path::new(verb).exists() && words.iter().any(|word| word == "--");
    is_input.then(|| Advice {
        message: format!("{verb} is no verb; to make it smaller, put reduce before it"),
        line: format!("wynot reduce {}", quote::command(words)),
    })
}
