//! When two crashes are the same.
//!
//! Reducing an input changes how often a program calls itself, which values it handles and where it is loaded.
//! So the identity of a crash is its cause and the names of the innermost functions, each function once: a
//! recursion has the same identity at any depth. The functions with which `abort` and its like end a program
//! are left out, because they are the same for many crashes. Where the stack itself was used up, it is
//! accidental which function of the recursion came last, so there the identity is the set of recurring functions.

use crate::crash::{Cause, Crash};
use crate::library_functions::TERMINATORS;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// How often a function has to be on the stack to count as a part of the recursion that used up the stack.
const MIN_RECURRENCES: usize = 4;

/// The number of innermost frames among which terminators are searched.
const MAX_TERMINATION_FRAMES: usize = 12;

/// What distinguishes a crash from others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    cause: Cause,
    functions: Vec<String>,
    /// The number of functions that were to be compared.
    frames: u8,
}

/// The backtrace of a crash ends too early to identify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the backtrace of the crash is known for {known} of {wanted} functions only")]
pub struct BacktraceTooShort {
    /// The number of functions that are known.
    pub known: usize,
    /// The number of functions that were to be compared.
    pub wanted: u8,
}

impl Identity {
    /// The identity of a crash by this many of its innermost functions.
    pub fn of(crash: &Crash, frames: u8) -> Result<Self, BacktraceTooShort> {
        let recurring = match crash.cause {
            Cause::StackOverflow => recurring(&crash.frames),
            _ => Vec::new(),
        };
        if !recurring.is_empty() {
            return Ok(Self { cause: crash.cause.clone(), functions: recurring, frames });
        }
        let functions = innermost(skip_termination(&crash.frames), frames.into());
        let is_whole = crash.complete || functions.last().is_some_and(|name| name == "main");
        if functions.len() < frames.into() && !is_whole {
            return Err(BacktraceTooShort { known: functions.len(), wanted: frames });
        }
        Ok(Self { cause: crash.cause.clone(), functions, frames })
    }

    /// The innermost function of a crash that is no terminator and has a known name.
    pub fn innermost_function(crash: &Crash) -> Option<&str> {
        let is_named = |frame: &&String| !frame.contains("+0x") && *frame != "?";
        let frames = skip_termination(&crash.frames).iter();
        frames.filter(is_named).map(String::as_str).find(|frame| !TERMINATORS.contains(frame))
    }

    /// Whether a crash has this identity; `false` if its own identity is unknown.
    pub fn matches(&self, crash: &Crash) -> bool {
        Self::of(crash, self.frames).is_ok_and(|other| other == *self)
    }
}

/// The frames from the outermost terminator on: the frames inside of it are the same for many crashes.
pub(crate) fn skip_termination(frames: &[String]) -> &[String] {
    let inner = &frames[..frames.len().min(MAX_TERMINATION_FRAMES)];
    let terminator = inner.iter().rposition(|frame| TERMINATORS.contains(&frame.as_str()));
    &frames[terminator.unwrap_or(0)..]
}

/// The innermost functions, each once. The frames outside of `main` are the same for every crash.
fn innermost(frames: &[String], count: usize) -> Vec<String> {
    let mut seen: Vec<String> = Vec::new();
    for frame in frames {
        if seen.len() == count {
            break;
        }
        if !seen.contains(frame) {
            seen.push(frame.clone());
        }
        if frame == "main" {
            break;
        }
    }
    seen
}

/// The functions that are on the stack many times, sorted by name.
pub(crate) fn recurring(frames: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(frame).or_default() += 1;
    }
    let often = counts.into_iter().filter(|(_, count)| *count >= MIN_RECURRENCES);
    often.map(|(name, _)| name.clone()).collect()
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        match self.functions.as_slice() {
            [] => Ok(()),
            // Functions of a recursion call each other, so there is no order.
            functions if self.cause == Cause::StackOverflow => {
                write!(f, " in {}", functions.join(", "))
            }
            functions => write!(f, " in {}", functions.join(" ← ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crash(functions: &str, complete: bool) -> Crash {
        let frames = functions.split_whitespace().map(ToOwned::to_owned).collect();
        Crash::new(Cause::Signal(11), frames, complete)
    }

    fn identity(functions: &str) -> Identity {
        Identity::of(&crash(functions, true), 5).unwrap()
    }

    #[test]
    fn a_recursion_is_the_same_at_any_depth() {
        assert_eq!(identity("g f main"), identity("g f f f f f f f main"));
        let once = identity("eval term expr term expr main");
        assert_eq!(once, identity(&format!("eval {} main", "term expr ".repeat(500))));
        assert_ne!(identity("g f main"), identity("h f main"));
        assert_eq!(identity("g f main"), identity("g f main __libc_start_main _start"));
        assert_eq!(identity("g f main").to_string(), "signal SEGV in g ← f ← main");
    }

    #[test]
    fn a_stack_overflow_is_the_set_of_recurring_functions() {
        let overflow = |functions: String| {
            let crash = Crash { cause: Cause::StackOverflow, ..crash(&functions, false) };
            Identity::of(&crash, 5).unwrap()
        };
        let one = overflow("lex term expr ".to_owned() + &"term expr ".repeat(500));
        assert_eq!(one, overflow("term expr ".repeat(400)));
        assert_eq!(one.to_string(), "stack overflow in expr, term");
    }

    #[test]
    fn functions_that_end_the_program_do_not_count() {
        let assertion = identity("libc+0x1 raise abort libc+0x2 __assert_fail work main");
        assert_eq!(assertion.to_string(), "signal SEGV in __assert_fail ← work ← main");
        assert_ne!(assertion, identity("libc+0x1 raise abort libc+0x2 __assert_fail other main"));
    }

    #[test]
    fn an_incomplete_backtrace_can_be_too_short() {
        let short = crash("f ?", false);
        assert_eq!(Identity::of(&short, 5), Err(BacktraceTooShort { known: 2, wanted: 5 }));
        assert!(Identity::of(&short, 2).is_ok());
        assert!(Identity::of(&crash("f ?", true), 5).is_ok());
        assert!(!identity("f").matches(&Crash::without_frames(Cause::Signal(11))));
        assert!(identity("a b c d e f").matches(&crash("a b c d e g h", false)));
    }
}
