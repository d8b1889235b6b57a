//! Flaky tests: asking several times, and when to stop asking.

use wynot_core::Outcome;

/// How often a test is asked, and what its answers amount to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quorum {
    /// Up to `repeat` times; `needed` equal answers settle it.
    Count {
        /// How many runs at most.
        repeat: u32,
        /// How many equal answers make an outcome.
        needed: u32,
    },
    /// Until it is clear whether it fails as often as usual, or a third of that or less.
    Rate {
        /// The share of runs of the original that fail.
        usual: f64,
    },
}

impl Default for Quorum {
    fn default() -> Self {
        Self::Count { repeat: 1, needed: 1 }
    }
}

/// A rate that counts as too low, as a part of the usual one.
const LOW: f64 = 1.0 / 3.0;

/// How often a rate that is too low is taken for the usual one; what is accepted is asked again.
const WRONGLY_ACCEPTED: f64 = 0.01;

/// How often the usual rate is taken for one that is too low; what is rejected is not asked again.
const WRONGLY_REJECTED: f64 = 0.004;

/// No rate is taken for certain: a test that always failed may still pass one day.
const HIGHEST: f64 = 0.95;

impl Quorum {
    /// Whether one run settles it.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Count { repeat: 1, .. })
    }

    /// Whether rates are compared, so that what is accepted has to be confirmed.
    pub(crate) fn is_rate(self) -> bool {
        matches!(self, Self::Rate { .. })
    }

    /// At most about how many runs it takes to find out that a variant never fails.
    pub fn most(self) -> u32 {
        match self {
            Self::Count { repeat, .. } => repeat,
            Self::Rate { usual } => {
                let (_, passed) = weights(usual);
                (thresholds().0 / passed).ceil() as u32
            }
        }
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
        match quorum {
            Quorum::Count { repeat, needed } => self.counted(repeat, needed),
            Quorum::Rate { usual } => self.compared(usual),
        }
    }

    fn counted(&self, repeat: u32, needed: u32) -> Option<Outcome> {
        let left = repeat.saturating_sub(self.pass + self.fail + self.unresolved);
        let reached = |count: u32| count >= needed;
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

    /// Wald's sequential test between the usual rate and one that is too low: of all tests with these
    /// errors it needs the fewest runs.
    fn compared(&self, usual: f64) -> Option<Outcome> {
        let (failed, passed) = weights(usual);
        let others = self.pass + self.unresolved;
        let evidence = f64::from(self.fail) * failed + f64::from(others) * passed;
        let (rejected, accepted) = thresholds();
        if evidence >= accepted {
            Some(Outcome::Fail)
        } else if evidence <= rejected {
            // What mostly passes passes; what cannot be told is not resolved.
            Some(if self.pass >= self.unresolved { Outcome::Pass } else { Outcome::Unresolved })
        } else {
            None
        }
    }
}

/// What a run that fails, and one that does not, say for the usual rate.
fn weights(usual: f64) -> (f64, f64) {
    let usual = usual.min(HIGHEST);
    let low = usual * LOW;
    ((usual / low).ln(), ((1.0 - usual) / (1.0 - low)).ln())
}

/// How much evidence rejects and how much accepts (Wald 1945).
fn thresholds() -> (f64, f64) {
    (
        (WRONGLY_REJECTED / (1.0 - WRONGLY_ACCEPTED)).ln(),
        ((1.0 - WRONGLY_REJECTED) / WRONGLY_ACCEPTED).ln(),
    )
}

/// How often something fails: a number of runs, and how many of them failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rate {
    /// How many failed.
    pub fails: u32,
    /// Of how many.
    pub runs: u32,
}

impl Rate {
    /// The share of runs that fail.
    pub fn share(self) -> f64 {
        f64::from(self.fails) / f64::from(self.runs.max(1))
    }

    /// Between which shares the true one lies, 19 times out of 20 (Wilson's interval).
    pub fn interval(self) -> (f64, f64) {
        const Z: f64 = 1.96;
        let (n, p) = (f64::from(self.runs.max(1)), self.share());
        let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }

    /// Whether it is lower than another rate, by more than chance explains in one of a hundred cases.
    pub fn is_below(self, other: Self) -> bool {
        const Z: f64 = 2.33;
        let (n, m) = (f64::from(self.runs.max(1)), f64::from(other.runs.max(1)));
        let both = (f64::from(self.fails) + f64::from(other.fails)) / (n + m);
        let deviation = (both * (1.0 - both) * (1.0 / n + 1.0 / m)).sqrt();
        deviation > 0.0 && (self.share() - other.share()) / deviation < -Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass, Unresolved};

    fn decided(answers: &[Outcome], quorum: Quorum) -> (usize, Option<Outcome>) {
        let mut votes = Votes::default();
        for (index, &answer) in answers.iter().enumerate() {
            if let Some(outcome) = votes.add(answer, quorum) {
                return (index + 1, Some(outcome));
            }
        }
        (answers.len(), None)
    }

    #[test]
    fn asking_stops_as_soon_as_the_answer_is_certain() {
        let count = |answers: &[Outcome], repeat, needed| {
            decided(answers, Quorum::Count { repeat, needed })
        };
        assert_eq!(count(&[Fail], 1, 1), (1, Some(Fail)));
        assert_eq!(count(&[Fail, Fail], 3, 2), (2, Some(Fail)));
        assert_eq!(count(&[Pass, Fail, Fail], 3, 2), (3, Some(Fail)));
        assert_eq!(count(&[Pass, Pass], 3, 2), (2, Some(Pass)));
        assert_eq!(count(&[Pass, Unresolved, Fail], 3, 2), (3, Some(Unresolved)));
        assert_eq!(count(&[Pass, Pass, Pass, Pass, Fail], 5, 1), (5, Some(Fail)));
        assert_eq!(count(&[Unresolved, Unresolved], 3, 3), (1, Some(Unresolved)));
    }

    /// A generator of answers that fail at a rate.
    fn answers(rate: f64, seed: u64) -> impl Iterator<Item = Outcome> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        std::iter::from_fn(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let share = (state >> 11) as f64 / (1u64 << 53) as f64;
            Some(if share < rate { Fail } else { Pass })
        })
    }

    /// How often a variant that fails at a rate is accepted, and after how many runs on average.
    fn accepted(rate: f64, usual: f64) -> (f64, f64) {
        let (mut accepted, mut runs) = (0, 0);
        for seed in 1..=2000 {
            let mut votes = Votes::default();
            let ended = answers(rate, seed).find_map(|answer| {
                runs += 1;
                votes.add(answer, Quorum::Rate { usual })
            });
            accepted += u32::from(ended == Some(Fail));
        }
        (f64::from(accepted) / 2000.0, f64::from(runs) / 2000.0)
    }

    #[test]
    fn what_fails_as_usual_is_accepted_and_what_fails_rarely_is_not() {
        for usual in [0.05, 0.3, 0.8, 1.0] {
            assert!(accepted(usual, usual).0 > 0.985, "{usual}");
            assert!(accepted(usual / 3.0, usual).0 < 0.03, "{usual}");
            let (never, runs) = accepted(0.0, usual);
            assert_eq!(never, 0.0);
            assert!(runs <= f64::from(Quorum::Rate { usual }.most()), "{usual}: {runs}");
        }
        assert_eq!(Quorum::Rate { usual: 0.3 }.most(), 22);
        let (_, runs) = accepted(0.3, 0.3);
        assert!(runs < 35.0, "{runs}");
    }

    #[test]
    fn rates_have_intervals_and_are_compared() {
        let rate = |fails, runs| Rate { fails, runs };
        let (low, high) = rate(30, 100).interval();
        assert!((low - 0.219).abs() < 0.001 && (high - 0.396).abs() < 0.001, "{low} {high}");
        assert!(rate(0, 10).interval().1 > 0.2);
        assert!(rate(8, 100).is_below(rate(30, 100)));
        assert!(!rate(25, 100).is_below(rate(30, 100)));
        assert!(!rate(0, 0).is_below(rate(0, 0)));
    }
}
