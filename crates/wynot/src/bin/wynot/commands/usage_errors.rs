//! Wrong usage: what was meant, and what to type instead.

use super::usage_advice::{advice, meant_value, versions_by_position};
use clap::Command;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;
use wynot::Error;
use wynot_subjects::quote;

/// The verbs whose last argument is a test after `--`, with the number of inputs before it.
const WITH_TEST: [(&str, usize); 5] =
    [("reduce", 1), ("isolate", 1), ("options", 0), ("changes", 0), ("history", 0)];

/// The error of a command line that cannot be parsed; `words` are its arguments.
pub fn usage_error(error: &clap::Error, words: &[String], root: &Command) -> Error {
    let verb = words.first().map(String::as_str).unwrap_or_default();
    let text = error.render().to_string();
    let message = text.split("\n\n").next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(message).trim().to_owned();
    let inputs = WITH_TEST.iter().find(|(name, _)| *name == verb).map(|(_, inputs)| *inputs);
    let has_separator = words.iter().any(|word| word == "--");
    if let (Some(inputs), false, Some(command)) =
        (inputs, has_separator, root.find_subcommand(verb))
    {
        if let Some(advice) = versions_by_position(verb, words) {
            return Error::usage(advice.message)
                .hint(format!("type {}", advice.line))
                .next(advice.line);
        }
        if let Some(line) = with_separator(words, inputs, command) {
            return Error::usage(format!("put -- before the test: {line}")).next(line);
        }
        if error.kind() == ErrorKind::MissingRequiredArgument && message.contains("<TEST>") {
            return without_test(words, inputs, message);
        }
    }
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand
        && let Some(command) = root.find_subcommand(verb)
    {
        let names =
            command.get_subcommands().map(|verb| format!("wynot {} {}", words[0], verb.get_name()));
        let names: Vec<String> = names.filter(|name| !name.ends_with(" help")).collect();
        return Error::usage(format!("{verb} is incomplete: type {}", names.join(" or ")))
            .hint(format!("wynot {verb} -h shows how they are used"))
            .next(format!("wynot {verb} -h"));
    }
    if let Some(advice) = advice(error, verb, words) {
        return Error::usage(advice.message)
            .hint(format!("type {}", advice.line))
            .next(advice.line);
    }
    let mut refusal = Error::usage(one_line(&message));
    for (kind, value) in error.context() {
        let (
            ContextKind::SuggestedArg
            | ContextKind::SuggestedSubcommand
            | ContextKind::SuggestedValue,
            value,
        ) = (kind, value)
        else {
            continue;
        };
        let suggested = match value {
            ContextValue::String(one) => one.clone(),
            ContextValue::Strings(several) => several.join(" or "),
            _ => continue,
        };
        refusal = refusal.hint(format!("did you mean {suggested}?"));
    }
    if let Some(meant) = meant_value(error) {
        refusal = refusal.hint(format!("did you mean {meant}?"));
    }
    let is_verb = root.find_subcommand(verb).is_some();
    let help = if is_verb { format!("wynot {verb} -h") } else { "wynot -h".to_owned() };
    refusal.hint(format!("{help} shows how it is used")).next(help)
}

/// An error of several lines in one.
fn one_line(message: &str) -> String {
    let line = message.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    // Limits of numbers are printed as Rust writes them.
    match line.split_once(" is not in ").map(|(before, range)| (before, range.split_once("..="))) {
        Some((before, Some((least, most)))) => {
            format!("{before} is not between {least} and {most}")
        }
        _ => line,
    }
}

/// The error of a command line without a test.
fn without_test(words: &[String], inputs: usize, message: String) -> Error {
    let placeholder = if inputs > 0 { "COMMAND {}" } else { "COMMAND" };
    let is_complete = !message.contains("<INPUT>") && !message.contains("--good");
    let line = format!("wynot {} -- {placeholder}", quote::command(words));
    match is_complete {
        true => Error::usage("there is no test: a command that shows the failure, after --")
            .hint(format!("write it at the end: {line}"))
            .next(line),
        false => Error::usage(one_line(&message))
            .hint(format!("wynot {} -h shows how it is used", words[0]))
            .next(format!("wynot {} -h", words[0])),
    }
}

/// The command line with `--` before the test, if there is a word at which the test may begin.
fn with_separator(words: &[String], inputs: usize, command: &Command) -> Option<String> {
    let mut positions = Vec::new();
    let mut at = 1;
    while let Some(word) = words.get(at) {
        match word.strip_prefix('-').filter(|rest| !rest.is_empty()) {
            None => positions.push(at),
            // Options of the test come after its first word.
            Some(_) if positions.len() > inputs => break,
            Some(option) => match takes_value(option, command) {
                Some(true) => at += 1,
                Some(false) => {}
                None => break,
            },
        }
        at += 1;
    }
    let candidates = positions.get(inputs..)?;
    let is_command = |at: &&usize| {
        let path = Path::new(&words[**at]);
        !path.exists() || is_executable(path)
    };
    let at = *candidates.iter().find(is_command).or(candidates.first())?;
    let [before, test] = [&words[..at], &words[at..]].map(quote::command);
    Some(format!("wynot {before} -- {test}"))
}

/// Whether an option without its first dash is followed by a value; `None` if there is no such option.
fn takes_value(option: &str, command: &Command) -> Option<bool> {
    let (name, has_value) = match option.split_once('=') {
        Some((name, _)) => (name, true),
        None => (option, false),
    };
    let is_meant = |arg: &&clap::Arg| match name.strip_prefix('-') {
        Some(long) => arg.get_long() == Some(long),
        None => arg.get_short().is_some_and(|short| name.starts_with(short)),
    };
    let arg = command.get_arguments().find(is_meant)?;
    let is_joined = !name.starts_with('-') && name.chars().count() > 1;
    let needs_equals = arg.is_require_equals_set();
    Some(arg.get_action().takes_values() && !has_value && !is_joined && !needs_equals)
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
}
