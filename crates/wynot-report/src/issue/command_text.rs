//! The command line of a session, as another user would type it.

use wynot_session::CommandLine;
use wynot_subjects::quote;

/// The options that only concern what is shown and written, and whether to start over.
const DISPLAY_OPTIONS: [&str; 6] =
    ["--quiet", "--verbose", "--json", "--trace", "--fresh", "--narrow"];

/// The same with a value.
const DISPLAY_OPTIONS_WITH_VALUE: [&str; 3] = ["--report", "--events", "--gdb"];

/// The command without options that only concern its output.
pub(super) fn command_text(line: &CommandLine) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut arguments = line.arguments.iter();
    while let Some(argument) = arguments.next() {
        if argument == "--" {
            // The rest is the test.
            shown.push(argument.clone());
            shown.extend(arguments.by_ref().cloned());
        } else if DISPLAY_OPTIONS_WITH_VALUE.contains(&argument.as_str()) {
            arguments.next();
        } else if !is_display_option(argument) {
            shown.push(argument.clone());
        }
    }
    format!("wynot {}", quote::command(&shown))
}

/// Whether a word is such an option, or one with its value.
fn is_display_option(word: &str) -> bool {
    let is_short = word.len() > 1 && word.strip_prefix('-').is_some_and(is_short_flags);
    let name = word.split_once('=').map(|(name, _)| name);
    is_short
        || DISPLAY_OPTIONS.contains(&word)
        || name.is_some_and(|name| DISPLAY_OPTIONS_WITH_VALUE.contains(&name))
}

fn is_short_flags(letters: &str) -> bool {
    letters.bytes().all(|letter| matches!(letter, b'q' | b'v'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_about_the_output_are_left_out() {
        let shown = |words: &str| {
            let arguments = words.split(' ').map(str::to_owned).collect();
            command_text(&CommandLine { arguments, ..Default::default() })
        };
        assert_eq!(
            shown(
                "reduce -q --report r.html --json --fresh a.c -j 2 --events=e -- gcc -v --json {}"
            ),
            "wynot reduce a.c -j 2 -- gcc -v --json {}"
        );
        assert_eq!(shown("history -qv -o - -- ./t"), "wynot history -o - -- ./t");
    }
}
