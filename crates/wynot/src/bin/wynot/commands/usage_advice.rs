//! What was probably meant by a command line that cannot be parsed, and how to type that.

use clap::error::{ContextKind, ContextValue, ErrorKind};
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
        "changes" if lacks("--bad") => {
            let (options, test) = before_test(rest);
            Some(Advice {
                message: "there is no bad version (--bad)".to_owned(),
                line: format!(
                    "wynot changes {} --bad HEAD {}",
                    quote::command(options),
                    quote::command(test)
                ),
            })
        }
        "explain" if is_unknown || lacks("--pass") || lacks("--fail") => {
            let [passing, failing] = two_runs(rest).map(|run| quote::command(&[run]));
            Some(Advice {
                message: "two runs of one program are compared: --pass and --fail, each a command in quotes"
                    .to_owned(),
                line: format!("wynot explain --pass {passing} --fail {failing}"),
            })
        }
        "state" if is_unknown && rest.first().is_some_and(|word| word == "dump") => {
            let (options, command) = options_and_command(&rest[1..]);
            let line = [&["dump".to_owned()], &options[..], &[command.join(" ")]].concat();
            Some(Advice {
                message: "the program and its arguments are one word, in quotes".to_owned(),
                line: format!("wynot state {}", quote::command(&line)),
            })
        }
        _ => None,
    }
}

/// The two runs of an explanation: what follows `--pass` and `--fail`, or two words without options.
fn two_runs(words: &[String]) -> [String; 2] {
    let words: Vec<&String> = words.iter().filter(|word| *word != "--").collect();
    let run = |option: &str| {
        let at = words.iter().position(|word| *word == option)?;
        let run = words[at + 1..].iter().take_while(|word| !word.starts_with("--"));
        let run: Vec<&str> = run.map(|word| word.as_str()).collect();
        (!run.is_empty()).then(|| run.join(" "))
    };
    let unnamed = || match &words[..] {
        [passing, failing] if !passing.starts_with('-') => [(*passing).clone(), (*failing).clone()],
        _ => ["PROGRAM ARGUMENTS", "PROGRAM OTHER-ARGUMENTS"].map(str::to_owned),
    };
    let [passing, failing] = unnamed();
    [run("--pass").unwrap_or(passing), run("--fail").unwrap_or(failing)]
}

/// The options of a dump with their values, and the words of the command.
fn options_and_command(words: &[String]) -> (Vec<String>, Vec<String>) {
    let (mut options, mut command) = (Vec::new(), Vec::new());
    let mut words = words.iter().filter(|word| *word != "--").cloned();
    while let Some(word) = words.next() {
        match word.as_str() {
            "--at" | "--as" | "--hints" if command.is_empty() => {
                options.push(word);
                options.extend(words.next());
            }
            _ => command.push(word),
        }
    }
    (options, command)
}

/// The advice for versions and a test that are named by their positions alone.
pub fn versions_by_position(verb: &str, words: &[String]) -> Option<Advice> {
    let names = ["--good", "--bad", "--versions"];
    let is_named = |word: &String| names.iter().any(|name| word.starts_with(name));
    if verb != "changes" || words.iter().any(is_named) {
        return None;
    }
    let (mut options, mut rest) = (Vec::new(), words[1..].iter().cloned());
    let mut positions = Vec::new();
    while let Some(word) = rest.next() {
        match word.starts_with('-') && positions.len() < 3 {
            true => {
                let has_value = word == "--build" || word == "-o" || word == "-j";
                options.push(word);
                options.extend(has_value.then(|| rest.next()).flatten());
            }
            false => positions.push(word),
        }
    }
    let [good, bad, test @ ..] = positions.as_slice() else { return None };
    if test.is_empty() {
        return None;
    }
    let versions = ["--good", good, "--bad", bad].map(str::to_owned);
    Some(Advice {
        message: "versions are named by --good and --bad, and -- stands before the test".to_owned(),
        line: format!(
            "wynot changes {} -- {}",
            quote::command(&[&versions, &options[..]].concat()),
            quote::command(test)
        ),
    })
}

/// The value that was probably meant by one that an option does not take.
pub fn meant_value(error: &clap::Error) -> Option<String> {
    if !matches!(error.kind(), ErrorKind::ValueValidation | ErrorKind::InvalidValue) {
        return None;
    }
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let (option, value) = (text(ContextKind::InvalidArg)?, text(ContextKind::InvalidValue)?);
    let option = option.split(' ').next().unwrap_or(option);
    match option {
        "--fail-when" | "--pass-when" => {
            let (stream, words) = value.split_once('=').unwrap_or(("stderr", value));
            let is_stream = matches!(stream, "stdout" | "stderr");
            let condition = format!("{stream}~{words}");
            is_stream.then(|| format!("{option} {}", quote::command(&[condition])))
        }
        "--listen" => value.parse::<u16>().ok().map(|port| format!("{option} 127.0.0.1:{port}")),
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
