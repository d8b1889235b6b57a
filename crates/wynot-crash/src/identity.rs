//! When two crashes are the same.
//!
//! An input that is reduced changes how often a program calls itself, which values it handles and where
//! it is loaded. So the identity of a crash is its cause and the names of the innermost functions, each
//! function once: a recursion looks the same at any depth. How `abort` and its like end a program is left
//! out, or it would be all that is looked at. Where the stack itself was used up, which
//! function of the recursion came last is chance, so there it is the set of functions that recur.

use crate::{Cause, Crash};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// How often a function has to be on the stack to be part of what used it up.
const RECURS: usize = 4;

/// Functions that end a program on behalf of others.
const DYING: [&str; 16] = [
    "abort",
    "raise",
    "gsignal",
    "__assert_fail",
    "__assert_perror_fail",
    "__chk_fail",
    "__fortify_fail",
    "__stack_chk_fail",
    "__cxa_throw",
    "__cxa_rethrow",
    "__cxa_pure_virtual",
    "__cxa_bad_cast",
    "std::terminate",
    "std::unexpected",
    "rust_panic",
    "rust_begin_unwind",
];

/// How many frames there may be from the innermost one to that function.
const DYING_FRAMES: usize = 12;

/// What makes a crash this very crash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    cause: Cause,
    functions: Vec<String>,
    /// How many functions were asked for.
    frames: u8,
}

/// The backtrace ends too early, so it is not known which crash it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the backtrace of the crash is known for {known} of {wanted} functions only")]
pub struct NotKnown {
    /// How many functions are known.
    pub known: usize,
    /// How many were asked for.
    pub wanted: u8,
}

impl Identity {
    /// The identity by the innermost functions, so many of them.
    pub fn of(crash: &Crash, frames: u8) -> Result<Self, NotKnown> {
        let recurring = match crash.cause {
            Cause::StackOverflow => recurring(&crash.frames),
            _ => Vec::new(),
        };
        if !recurring.is_empty() {
            return Ok(Self { cause: crash.cause.clone(), functions: recurring, frames });
        }
        let functions = innermost(without_dying(&crash.frames), frames.into());
        let whole = crash.complete || functions.last().is_some_and(|name| name == "main");
        if functions.len() < frames.into() && !whole {
            return Err(NotKnown { known: functions.len(), wanted: frames });
        }
        Ok(Self { cause: crash.cause.clone(), functions, frames })
    }

    /// The innermost function that did not end the program on behalf of others, if its name is known.
    pub fn culprit(crash: &Crash) -> Option<&str> {
        let named = |frame: &&String| !frame.contains("+0x") && *frame != "?";
        let decided = without_dying(&crash.frames).iter();
        decided.filter(named).map(String::as_str).find(|frame| !DYING.contains(frame))
    }

    /// Whether a crash is this one; not, if it is not known which one it is.
    pub fn is(&self, crash: &Crash) -> bool {
        Self::of(crash, self.frames).is_ok_and(|other| other == *self)
    }
}

/// The frames from the one that decided to end the program: how that is done is the same for all.
pub(crate) fn without_dying(frames: &[String]) -> &[String] {
    let inner = &frames[..frames.len().min(DYING_FRAMES)];
    let decided = inner.iter().rposition(|frame| DYING.contains(&frame.as_str()));
    &frames[decided.unwrap_or(0)..]
}

/// Each function once, in the order of the stack. What is around `main` is the same for every crash.
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

/// The functions that are on the stack again and again, by name.
fn recurring(frames: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for frame in frames {
        *counts.entry(frame).or_default() += 1;
    }
    let often = counts.into_iter().filter(|(_, count)| *count >= RECURS);
    often.map(|(name, _)| name.clone()).collect()
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.cause)?;
        match self.functions.as_slice() {
            [] => Ok(()),
            // These call each other.
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
        Crash { cause: Cause::Signal(11), frames, complete }
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
    fn where_the_stack_ran_out_does_not_matter() {
        let overflow = |functions: String| {
            let crash = Crash { cause: Cause::StackOverflow, ..crash(&functions, false) };
            Identity::of(&crash, 5).unwrap()
        };
        let one = overflow("lex term expr ".to_owned() + &"term expr ".repeat(500));
        assert_eq!(one, overflow("term expr ".repeat(400)));
        assert_eq!(one.to_string(), "stack overflow in expr, term");
    }

    #[test]
    fn how_a_program_is_ended_does_not_count() {
        let assertion = identity("libc+0x1 raise abort libc+0x2 __assert_fail work main");
        assert_eq!(assertion.to_string(), "signal SEGV in __assert_fail ← work ← main");
        assert_ne!(assertion, identity("libc+0x1 raise abort libc+0x2 __assert_fail other main"));
    }

    #[test]
    fn too_few_frames_are_not_known() {
        let short = crash("f ?", false);
        assert_eq!(Identity::of(&short, 5), Err(NotKnown { known: 2, wanted: 5 }));
        assert!(Identity::of(&short, 2).is_ok());
        assert!(Identity::of(&crash("f ?", true), 5).is_ok());
        assert!(!identity("f").is(&Crash::unknown(Cause::Signal(11))));
        assert!(identity("a b c d e f").is(&crash("a b c d e g h", false)));
    }
}
