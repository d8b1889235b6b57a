//! Conditions on an observation, the values of `--fail-when` and `--pass-when`.

use super::measured_limit::{MeasuredLimit, Truth};
use regex::{Regex, RegexBuilder};
use std::fmt;
use std::str::FromStr;
use wynot_process::signal;
use wynot_supervisor::{Ending, Observation, Output};

/// One condition: `exit=1`, `signal=SEGV`, `timeout`, `stdout~REGEX` or `stderr~REGEX`, or the negation of one:
/// `exit!=1`, `stdout!~REGEX`, `stderr!~REGEX`; or what the test uses: `seconds>2`, `memory>1G`, also with `<`, and without a
/// number if the limit follows from the first runs.
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
    Measured(MeasuredLimit),
}

impl Condition {
    /// Whether an observation satisfies the condition.
    pub fn holds(&self, observation: &Observation) -> bool {
        self.truth(observation) == Truth::Holds
    }

    /// Whether an observation satisfies the condition, as far as that can be said.
    pub(crate) fn truth(&self, observation: &Observation) -> Truth {
        let holds = match &self.kind {
            Kind::Ending(ending) => observation.ending == *ending,
            Kind::Stdout(pattern) => matches_output(&observation.stdout, pattern),
            Kind::Stderr(pattern) => matches_output(&observation.stderr, pattern),
            Kind::Measured(limit) => return limit.truth(observation),
        };
        Truth::from(holds != self.is_negated)
    }

    /// Whether the condition might be decided in another way if nothing else ran beside the test.
    pub(crate) fn depends_on_load(&self, observation: &Observation) -> bool {
        matches!(&self.kind, Kind::Measured(limit) if limit.depends_on_load(observation))
    }

    /// The measurement of a run that the condition is about, in words.
    pub(crate) fn measurement(&self, observation: &Observation) -> Option<String> {
        match &self.kind {
            Kind::Measured(limit) => Some(limit.measure.in_words(limit.measure.of(observation))),
            _ => None,
        }
    }

    /// Whether the limit follows from the first runs.
    pub fn needs_limit(&self) -> bool {
        matches!(&self.kind, Kind::Measured(MeasuredLimit { limit: None, .. }))
    }

    /// The limit between the original and the passing side, if there is one.
    pub(crate) fn limit_between(
        &self,
        original: &Observation,
        passing: &Observation,
    ) -> Option<u64> {
        match &self.kind {
            Kind::Measured(limit) => limit.between(original, passing),
            _ => None,
        }
    }

    /// The same condition with a limit, if it has none.
    #[must_use]
    pub(crate) fn with_limit(&self, limit: Option<u64>) -> Self {
        match (&self.kind, limit) {
            (Kind::Measured(measured), Some(_)) if measured.limit.is_none() => {
                let measured = MeasuredLimit { limit, ..*measured };
                Self { text: measured.to_string(), kind: Kind::Measured(measured), ..*self }
            }
            _ => self.clone(),
        }
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
        "'{0}' is no condition: use exit=N, signal=NAME, timeout, stdout~REGEX or stderr~REGEX, exit!=N, stdout!~REGEX or stderr!~REGEX, seconds>N or memory>SIZE (also with <)"
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
        } else if let Ok(limit) = positive.parse::<MeasuredLimit>() {
            Kind::Measured(limit)
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
            memory: 0,
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
    fn what_a_test_uses_is_compared_with_limits() {
        let mut slow = observation(Ending::Exit(0), b"");
        slow.cpu = Duration::from_millis(2_100);
        slow.memory = 300 << 20;
        let truth = |text: &str| text.parse::<Condition>().unwrap().truth(&slow);
        assert_eq!(truth("seconds>1.5"), Truth::Holds);
        assert_eq!(truth("seconds>2"), Truth::Open, "the margin is a quarter");
        assert_eq!((truth("seconds>3s"), truth("seconds<3000ms")), (Truth::Fails, Truth::Holds));
        assert_eq!((truth("memory>100M"), truth("memory<100M")), (Truth::Holds, Truth::Fails));
        let depends = |text: &str| text.parse::<Condition>().unwrap().depends_on_load(&slow);
        assert!(depends("seconds>1") && depends("seconds>2") && !depends("seconds>2.2"));
        assert!(!depends("seconds>0.5") && !depends("memory>290M"));
    }

    #[test]
    fn a_limit_without_a_number_is_between_the_first_runs() {
        let (mut slow, fast) =
            (observation(Ending::Exit(0), b""), observation(Ending::Exit(0), b""));
        slow.cpu = Duration::from_secs(20);
        let condition: Condition = "seconds".parse().unwrap();
        assert!(condition.needs_limit());
        let limited = condition.with_limit(condition.limit_between(&slow, &fast));
        assert_eq!(limited.to_string(), "seconds>1");
        assert!(limited.holds(&slow) && !limited.holds(&fast) && !limited.needs_limit());
        assert_eq!(condition.limit_between(&fast, &slow), None);
    }

    #[test]
    fn errors_about_conditions_list_the_possible_forms() {
        let message = |text: &str| text.parse::<Condition>().unwrap_err().to_string();
        assert!(message("exit=boom").contains("use exit=N, signal=NAME"));
        assert!(message("signal=NOPE").contains("is no condition"));
        assert!(message("seconds>x").contains("is no condition"));
        assert!(message("memory>0").contains("is no condition"));
        assert!(message("stderr~(").contains("is no regular expression"));
    }
}
