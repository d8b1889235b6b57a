//! Flaky tests: how many runs decide an outcome.

use wynot_core::Outcome;

/// How many runs a variant gets, and how they decide its outcome.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quorum {
    /// Up to `repeat` runs; `needed` equal outcomes decide.
    Count {
        /// The maximum number of runs.
        repeat: u32,
        /// The number of equal outcomes that decide.
        needed: u32,
    },
    /// Runs until it is clear whether the variant fails at the usual rate, or at a third of it or less.
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

/// The failure rate that counts as too low, as a fraction of the usual rate.
const LOW_RATE_FRACTION: f64 = 1.0 / 3.0;

/// The probability of accepting a variant whose rate is too low. Accepted variants are confirmed by a second series.
const FALSE_ACCEPTANCE_PROBABILITY: f64 = 0.01;

/// The probability of rejecting a variant with the usual rate. Rejected variants are not tested a second time.
const FALSE_REJECTION_PROBABILITY: f64 = 0.004;

/// The highest usual rate that is assumed, because a test that has always failed so far may still pass once.
const MAX_USUAL_RATE: f64 = 0.95;

impl Quorum {
    /// Whether a single run decides.
    pub fn is_plain(self) -> bool {
        matches!(self, Self::Count { repeat: 1, .. })
    }

    /// Whether failure rates are compared, so that accepted variants must be confirmed.
    pub(crate) fn is_rate(self) -> bool {
        matches!(self, Self::Rate { .. })
    }

    /// The approximate number of runs that it takes to reject a variant that never fails.
    pub fn most(self) -> u32 {
        match self {
            Self::Count { repeat, .. } => repeat,
            Self::Rate { usual } => {
                let (_, other_weight) = weights(usual);
                (thresholds().0 / other_weight).ceil() as u32
            }
        }
    }
}

/// The outcomes of the runs of one variant so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Votes {
    pass: u32,
    fail: u32,
    unresolved: u32,
}

impl Votes {
    /// Counts the outcome of one run. Returns the outcome of the variant as soon as further runs cannot change it.
    pub(crate) fn add(&mut self, outcome: Outcome, quorum: Quorum) -> Option<Outcome> {
        match outcome {
            Outcome::Pass => self.pass += 1,
            Outcome::Fail => self.fail += 1,
            Outcome::Unresolved => self.unresolved += 1,
        }
        match quorum {
            Quorum::Count { repeat, needed } => self.decide_by_count(repeat, needed),
            Quorum::Rate { usual } => self.decide_by_rate(usual),
        }
    }

    /// The outcome by the number of equal outcomes; Fail has priority.
    fn decide_by_count(&self, repeat: u32, needed: u32) -> Option<Outcome> {
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

    /// The outcome by Wald's sequential probability ratio test between the usual rate and the low rate. Of all tests
    /// with these error probabilities, it needs the fewest runs on average.
    fn decide_by_rate(&self, usual: f64) -> Option<Outcome> {
        let (fail_weight, other_weight) = weights(usual);
        let others = self.pass + self.unresolved;
        let evidence = f64::from(self.fail) * fail_weight + f64::from(others) * other_weight;
        let (rejection, acceptance) = thresholds();
        if evidence >= acceptance {
            Some(Outcome::Fail)
        } else if evidence <= rejection {
            // Of a variant that fails too rarely, the majority of the other runs decides.
            Some(if self.pass >= self.unresolved { Outcome::Pass } else { Outcome::Unresolved })
        } else {
            None
        }
    }
}

/// The log-likelihood ratios, in favour of the usual rate, of a run that fails and of one that does not.
fn weights(usual: f64) -> (f64, f64) {
    let usual = usual.min(MAX_USUAL_RATE);
    let low = usual * LOW_RATE_FRACTION;
    ((usual / low).ln(), ((1.0 - usual) / (1.0 - low)).ln())
}

/// The evidence at which a variant is rejected and the evidence at which it is accepted (Wald 1945).
fn thresholds() -> (f64, f64) {
    (
        (FALSE_REJECTION_PROBABILITY / (1.0 - FALSE_ACCEPTANCE_PROBABILITY)).ln(),
        ((1.0 - FALSE_REJECTION_PROBABILITY) / FALSE_ACCEPTANCE_PROBABILITY).ln(),
    )
}

/// A failure rate: the number of failed runs among all runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Rate {
    /// The number of runs that failed.
    pub fails: u32,
    /// The number of all runs.
    pub runs: u32,
}

impl Rate {
    /// The share of runs that fail.
    pub fn share(self) -> f64 {
        f64::from(self.fails) / f64::from(self.runs.max(1))
    }

    /// The interval that contains the true share with 95% confidence.
    pub fn interval(self) -> (f64, f64) {
        self.score_interval(1.96)
    }

    /// A share that the true one is not below, with 90% confidence. Compared with the measured share itself, variants whose
    /// original was measured by a lucky series would be rejected ten times as often as
    /// `FALSE_REJECTION_PROBABILITY` says.
    pub fn assured_share(self) -> f64 {
        self.score_interval(1.28).0
    }

    /// Wilson's score interval, for this quantile of the normal distribution on either side.
    fn score_interval(self, z: f64) -> (f64, f64) {
        let (n, p) = (f64::from(self.runs.max(1)), self.share());
        let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
        let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
        ((middle - half).max(0.0), (middle + half).min(1.0))
    }

    /// Whether this rate is significantly lower than another one (one-sided test at the 1% level).
    pub fn is_below(self, other: Self) -> bool {
        const Z: f64 = 2.33;
        let (n, m) = (f64::from(self.runs.max(1)), f64::from(other.runs.max(1)));
        let pooled = (f64::from(self.fails) + f64::from(other.fails)) / (n + m);
        let deviation = (pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m)).sqrt();
        deviation > 0.0 && (self.share() - other.share()) / deviation < -Z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Outcome::{Fail, Pass, Unresolved};

    fn decide(outcomes: &[Outcome], quorum: Quorum) -> (usize, Option<Outcome>) {
        let mut votes = Votes::default();
        for (index, &outcome) in outcomes.iter().enumerate() {
            if let Some(decided) = votes.add(outcome, quorum) {
                return (index + 1, Some(decided));
            }
        }
        (outcomes.len(), None)
    }

    #[test]
    fn runs_end_as_soon_as_the_outcome_is_certain() {
        let count = |outcomes: &[Outcome], repeat, needed| {
            decide(outcomes, Quorum::Count { repeat, needed })
        };
        assert_eq!(count(&[Fail], 1, 1), (1, Some(Fail)));
        assert_eq!(count(&[Fail, Fail], 3, 2), (2, Some(Fail)));
        assert_eq!(count(&[Pass, Fail, Fail], 3, 2), (3, Some(Fail)));
        assert_eq!(count(&[Pass, Pass], 3, 2), (2, Some(Pass)));
        assert_eq!(count(&[Pass, Unresolved, Fail], 3, 2), (3, Some(Unresolved)));
        assert_eq!(count(&[Pass, Pass, Pass, Pass, Fail], 5, 1), (5, Some(Fail)));
        assert_eq!(count(&[Unresolved, Unresolved], 3, 3), (1, Some(Unresolved)));
    }

    /// Generates outcomes that fail at a rate.
    fn generate_outcomes(rate: f64, seed: u64) -> impl Iterator<Item = Outcome> {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        std::iter::from_fn(move || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            let share = (state >> 11) as f64 / (1u64 << 53) as f64;
            Some(if share < rate { Fail } else { Pass })
        })
    }

    /// The share of variants with a failure rate that are accepted, and the mean number of runs.
    fn accept(rate: f64, usual: f64) -> (f64, f64) {
        let (mut accepted, mut runs) = (0, 0);
        for seed in 1..=2000 {
            let mut votes = Votes::default();
            let decided = generate_outcomes(rate, seed).find_map(|outcome| {
                runs += 1;
                votes.add(outcome, Quorum::Rate { usual })
            });
            accepted += u32::from(decided == Some(Fail));
        }
        (f64::from(accepted) / 2000.0, f64::from(runs) / 2000.0)
    }

    #[test]
    fn variants_with_the_usual_rate_are_accepted_and_others_rejected() {
        for usual in [0.05, 0.3, 0.8, 1.0] {
            assert!(accept(usual, usual).0 > 0.985, "{usual}");
            assert!(accept(usual / 3.0, usual).0 < 0.03, "{usual}");
            let (never, runs) = accept(0.0, usual);
            assert_eq!(never, 0.0);
            assert!(runs <= f64::from(Quorum::Rate { usual }.most()), "{usual}: {runs}");
        }
        assert_eq!(Quorum::Rate { usual: 0.3 }.most(), 22);
        let (_, runs) = accept(0.3, 0.3);
        assert!(runs < 35.0, "{runs}");
    }

    /// How often a variant that fails like the original is rejected, if the rate of the original was measured until it had
    /// failed 16 times.
    #[test]
    fn a_rate_that_was_measured_by_chance_rejects_few_variants() {
        for rate in [0.1, 0.5, 0.9] {
            let (mut assured, mut measured) = (0, 0);
            for seed in 1..=4000 {
                let mut outcomes = generate_outcomes(rate, seed);
                let mut original = Rate { fails: 0, runs: 0 };
                while original.fails < 16 {
                    original.fails += u32::from(outcomes.next() == Some(Fail));
                    original.runs += 1;
                }
                let mut is_rejected = |usual: f64| {
                    let mut votes = Votes::default();
                    outcomes.find_map(|outcome| votes.add(outcome, Quorum::Rate { usual }))
                        != Some(Fail)
                };
                assured += u32::from(is_rejected(original.assured_share()));
                measured += u32::from(is_rejected(original.share()));
            }
            assert!(assured <= 40, "{rate}: {assured} of 4000, more than 1 %");
            assert!(measured > 2 * assured, "{rate}: {measured} and {assured} of 4000");
        }
    }

    #[test]
    fn rates_have_confidence_intervals_and_can_be_compared() {
        let rate = |fails, runs| Rate { fails, runs };
        let (low, high) = rate(30, 100).interval();
        assert!((low - 0.219).abs() < 0.001 && (high - 0.396).abs() < 0.001, "{low} {high}");
        assert!(rate(0, 10).interval().1 > 0.2);
        assert!(rate(8, 100).is_below(rate(30, 100)));
        assert!(!rate(25, 100).is_below(rate(30, 100)));
        assert!(!rate(0, 0).is_below(rate(0, 0)));
    }
}
