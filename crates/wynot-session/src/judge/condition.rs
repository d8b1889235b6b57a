//! Conditions on an observation, the values of `--fail-when` and `--pass-when`.

use regex::{Regex, RegexBuilder};
use std::fmt;
use std::str::FromStr;
use wynot_process::signal;
use wynot_supervisor::{Ending, Observation, Output};

/// One condition: `exit=1`, `signal=SEGV`, `timeout`, `stdout~REGEX` or `stderr~REGEX`, or the negation of one:
/// `exit!=1`, `stdout!~REGEX`, `stderr!~REGEX`.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    kind: Kind,
    is_negated: bool,
}

#[derive(Clone, Debug)]
enum Kind {
    Ending(Ending),
    Stdout(Regex),
    Stderr(Regex),
}

impl Condition {
    /// Whether an observation satisfies the condition.
    pub fn holds(&self, observation: &Observation) -> bool {
        let holds = match &self.kind {
            Kind::Ending(ending) => observation.ending == *ending,
            Kind::Stdout(pattern) => matches_output(&observation.stdout, pattern),
            Kind::Stderr(pattern) => matches_output(&observation.stderr, pattern),
        };
        holds != self.is_negated
    }
}

/// Whether an output matches a pattern. Bytes that are not UTF-8 count as replacement characters.
fn matches_output(output: &Output, pattern: &Regex) -> bool {
    pattern.is_match(&String::from_utf8_lossy(&output.kept))
}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Why a condition cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadCondition {
    /// The text has none of the known forms.
    #[error(
        "'{0}' is no condition: use exit=N, signal=NAME, timeout, stdout~REGEX or stderr~REGEX, or exit!=N, stdout!~REGEX or stderr!~REGEX"
    )]
    Form(String),
    /// The part after `~` is not a regular expression.
    #[error("'{pattern}' is no regular expression: {reason}")]
    Pattern {
        /// The text of the pattern.
        pattern: String,
        /// The error in the pattern.
        reason: String,
    },
}

impl FromStr for Condition {
    type Err = BadCondition;

    fn from_str(text: &str) -> Result<Self, BadCondition> {
        let form = || BadCondition::Form(text.to_owned());
        let negated = ["exit!=", "stdout!~", "stderr!~"];
        let is_negated = negated.iter().any(|prefix| text.starts_with(prefix));
        let positive = if is_negated { text.replacen('!', "", 1) } else { text.to_owned() };
        let kind = if positive == "timeout" {
            Kind::Ending(Ending::Timeout)
        } else if let Some(code) = positive.strip_prefix("exit=") {
            let code = code.parse::<u8>().map_err(|_| form())?;
            Kind::Ending(Ending::Exit(i32::from(code)))
        } else if let Some(name) = positive.strip_prefix("signal=") {
            Kind::Ending(Ending::Signal(signal::number(name).ok_or_else(form)?))
        } else if let Some(pattern) = positive.strip_prefix("stdout~") {
            Kind::Stdout(regex(pattern)?)
        } else if let Some(pattern) = positive.strip_prefix("stderr~") {
            Kind::Stderr(regex(pattern)?)
        } else {
            return Err(form());
        };
        Ok(Self { text: text.to_owned(), kind, is_negated })
    }
}

fn regex(pattern: &str) -> Result<Regex, BadCondition> {
    // As in grep, ^ and $ match at the beginning and end of lines.
    RegexBuilder::new(pattern).multi_line(true).build().map_err(|error| {
        let reason = error.to_string();
        let last_line = reason.lines().last().unwrap_or_default().trim();
        BadCondition::Pattern {
            pattern: pattern.to_owned(),
            reason: last_line.trim_start_matches("error: ").to_owned(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn observation(ending: Ending, stderr: &[u8]) -> Observation {
        let stderr = Output { kept: stderr.to_vec(), total: stderr.len() as u64 };
        let (stdout, zero) = (Output::default(), Duration::ZERO);
        Observation {
            ending,
            stdout,
            stderr,
            elapsed: zero,
            cpu: zero,
            waited: zero,
            build: zero,
            crash: None,
            read: None,
        }
    }

    #[test]
    fn a_condition_holds_for_the_observations_it_describes() {
        let crash = observation(Ending::Signal(11), b"in foo.c:\xff 12: Segmentation fault\n");
        let holds = |text: &str| text.parse::<Condition>().unwrap().holds(&crash);
        assert!(holds("signal=SEGV") && holds("signal=sigsegv") && holds("signal=11"));
        assert!(holds(r"stderr~foo\.c:.*fault") && holds("stderr~^.*fault$"));
        assert!(!holds("exit=1") && !holds("timeout") && !holds("stdout~fault"));
        assert!(holds("exit!=1") && holds("stdout!~fault") && !holds("stderr!~fault"));
    }

    #[test]
    fn errors_about_conditions_list_the_possible_forms() {
        let message = |text: &str| text.parse::<Condition>().unwrap_err().to_string();
        assert!(message("exit=boom").contains("use exit=N, signal=NAME"));
        assert!(message("signal=NOPE").contains("is no condition"));
        assert!(message("stderr~(").contains("is no regular expression"));
    }
}
