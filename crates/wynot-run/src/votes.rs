//! Flaky tests: asking several times and counting.

use wynot_core::Outcome;

/// A test runs up to `repeat` times; `needed` equal answers settle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quorum {
    /// How many runs at most.
    pub repeat: u32,
    /// How many equal answers make an outcome.
    pub needed: u32,
}

impl Default for Quorum {
    fn default() -> Self {
        Self { repeat: 1, needed: 1 }
    }
}

/// The answers so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes {
    pass: u32,
    fail: u32,
    unresolved: u32,
}

impl Votes {
    /// Counts an answer; the outcome, if further answers cannot change it.
    pub(crate) fn add(&mut self, answer: Outcome, quorum: Quorum) -> Option<Outcome> {
        match answer {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
        let left = quorum.repeat.saturating_sub(self.pass + self.fail + self.unresolved);
        let reached = |count: u32| count >= quorum.needed;
        let possible = |count: u32| reached(count + left);
        if reached(self.fail) {
            Some(Outcome::Fail)
        } else if possible(self.fail) {
            None
        } else if reached(self.pass) {
            Some(Outcome::Pass)
        } else if possible(self.pass) && left > 0 {
            None
        } else {
            Some(Outcome::Unresolved)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass, Unresolved};

    fn decided(answers: &[Outcome], repeat: u32, needed: u32) -> (usize, Option<Outcome>) {
        let mut votes = Votes::default();
        for (index, &answer) in answers.iter().enumerate() {
            if let Some(outcome) = votes.add(answer, Quorum { repeat, needed }) {
                return (index + 1, Some(outcome));
            }
        }
        (answers.len(), None)
    }

    #[test]
    fn asking_stops_as_soon_as_the_answer_is_certain() {
        assert_eq!(decided(&[Fail], 1, 1), (1, Some(Fail)));
        assert_eq!(decided(&[Fail, Fail], 3, 2), (2, Some(Fail)));
        assert_eq!(decided(&[Pass, Fail, Fail], 3, 2), (3, Some(Fail)));
        assert_eq!(decided(&[Pass, Pass], 3, 2), (2, Some(Pass)));
        assert_eq!(decided(&[Pass, Unresolved, Fail], 3, 2), (3, Some(Unresolved)));
        assert_eq!(decided(&[Pass, Pass, Pass, Pass, Fail], 5, 1), (5, Some(Fail)));
        assert_eq!(decided(&[Unresolved, Unresolved], 3, 3), (1, Some(Unresolved)));
    }
}
