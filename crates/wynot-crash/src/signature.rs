//! The signature of a crash: what it has in common with the same crash of a smaller input.
//!
//! An [`Identity`](crate::Identity) compares as many functions as the user asks for. The signature is what is compared when
//! the user asks for nothing: the cause, the innermost function of the program under test, the line that the report
//! names, and its message: the constant beginning of it if a function is known, otherwise all of it. Functions and lines of the input do not count, since a reduction
//! removes and renames them.

use crate::crash::{Cause, Crash};
use crate::identity::recurring;
use crate::message::{InputWords, MessagePattern};
use crate::reports::constant_part;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The maximum number of words before a colon that only announce an error.
const MAX_ANNOUNCING_WORDS: usize = 3;

/// The nouns at the end of such words, in lower case.
const ERROR_NOUNS: [&str; 5] = ["error", "exception", "failure", "warning", "fatal"];

/// What a crash has in common with the same crash of a smaller input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashSignature {
    cause: Cause,
    culprit: Option<String>,
    location: Option<String>,
    message: Option<MessagePattern>,
    /// The beginning of the message, as it was printed.
    printed: String,
    /// The functions of the recursion that has used up the stack.
    recursion: Vec<String>,
}

impl CrashSignature {
    /// The signature of a crash, given the words of the input from which messages may take names. Lines count only if
    /// the program is the same in all tests.
    pub fn of(crash: &Crash, input: &InputWords, same_program: bool) -> Self {
        let is_overflow = crash.cause == Cause::StackOverflow;
        let culprit = crash.culprit.clone().filter(|_| !is_overflow);
        let printed = compared_message(crash, culprit.is_some());
        let pattern = MessagePattern::of_line(&printed, input);
        Self {
            cause: crash.cause.clone(),
            culprit,
            location: crash.location.clone().filter(|_| same_program),
            message: (!pattern.is_empty()).then_some(pattern),
            printed,
            recursion: if is_overflow { recurring(&crash.frames) } else { Vec::new() },
        }
    }

    /// Whether a crash has this signature; `input` is the input of the original.
    pub(crate) fn matches(&self, crash: &Crash, input: &InputWords) -> bool {
        let has_same_message = || {
            let message = compared_message(crash, self.culprit.is_some());
            self.message.as_ref().is_none_or(|pattern| pattern.matches_line(&message, input))
        };
        let has_same_recursion = || {
            let functions = recurring(&crash.frames);
            // A smaller input may take a shorter way round.
            self.recursion.is_empty() || self.recursion.iter().any(|name| functions.contains(name))
        };
        let same = |own: &Option<String>, other: &Option<String>| own.is_none() || own == other;
        self.cause == crash.cause
            && same(&self.culprit, &crash.culprit)
            && same(&self.location, &crash.location)
            && has_same_message()
            && has_same_recursion()
    }
}

/// The part of a message that is compared: its constant beginning if a function is compared, too, otherwise all of it.
fn compared_message(crash: &Crash, has_culprit: bool) -> String {
    let message = crash.message.as_deref().unwrap_or_default();
    if !has_culprit {
        return message.to_owned();
    }
    // A message that begins by saying that it is about an error has said nothing yet.
    match message.split_once(": ").filter(|(first, _)| announces_error(first)) {
        Some((first, rest)) => format!("{first}: {}", constant_part(rest)),
        None => constant_part(message),
    }
}

/// Whether the words before a colon only say that an error follows: `Binder Error`, `parse failure`.
fn announces_error(words: &str) -> bool {
    let last = words.split_whitespace().last().unwrap_or_default().to_lowercase();
    words.split_whitespace().count() <= MAX_ANNOUNCING_WORDS
        && ERROR_NOUNS.iter().any(|noun| last.ends_with(noun))
}

impl fmt::Display for CrashSignature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        match (&self.culprit, &self.location) {
            (Some(culprit), Some(location)) => write!(f, " in {culprit}, at {location}")?,
            (Some(culprit), None) => write!(f, " in {culprit}")?,
            (None, Some(location)) => write!(f, " at {location}")?,
            (None, None) if !self.recursion.is_empty() => {
                write!(f, " in {}", self.recursion.join(", "))?;
            }
            (None, None) => {}
        }
        // The cause may contain the message.
        match self.printed.is_empty() || self.cause.to_string().ends_with(&self.printed) {
            true => Ok(()),
            false => write!(f, ": {}", self.printed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_that_announces_an_error_is_compared_behind_the_announcement() {
        let crash = |message: &str| Crash {
            culprit: Some("run ← main".to_owned()),
            message: Some(message.to_owned()),
            ..Crash::reported("BinderException", Vec::new())
        };
        let input = InputWords::of(&[b"SELECT customer, sum(total) FROM orders"]);
        let original = "Binder Error: column \"total\" must appear in GROUP BY";
        let signature = CrashSignature::of(&crash(original), &input, true);
        let same = "Binder Error: column \"a\" must appear in GROUP BY";
        assert!(signature.matches(&crash(same), &input));
        let other = "Binder Error: Referenced column \"a\" was not found";
        assert!(!signature.matches(&crash(other), &input));
        // What is behind other colons is often about the input.
        let signature =
            CrashSignature::of(&crash("index out of bounds: the len is 3"), &input, true);
        assert!(signature.matches(&crash("index out of bounds: no"), &input));
    }
}
