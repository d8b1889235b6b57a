//! Estimates of outcomes, from the outcomes of earlier tests that are alike.
//!
//! They only decide which tests run early, and never what is found. The probability that a test fails is estimated by
//! logistic regression: each property of a proposal has a weight, and each outcome that is used corrects the weights.

use std::collections::HashMap;
use wynot_core::{Label, Likeness, Outcome};

/// The probabilities of the three outcomes of a test.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chances {
    pub pass: f64,
    pub fail: f64,
    pub unresolved: f64,
}

impl Chances {
    /// The probabilities if the outcome is known.
    pub(super) fn certain(outcome: Outcome) -> Self {
        let one_if = |other| if outcome == other { 1.0 } else { 0.0 };
        Self {
            pass: one_if(Outcome::Pass),
            fail: one_if(Outcome::Fail),
            unresolved: one_if(Outcome::Unresolved),
        }
    }

    pub(super) fn of(&self, outcome: Outcome) -> f64 {
        match outcome {
            Outcome::Pass => self.pass,
            Outcome::Fail => self.fail,
            Outcome::Unresolved => self.unresolved,
        }
    }
}

/// The weight of every proposal before any outcome is known: one in six fails.
const FIRST_WEIGHT: f64 = -1.6;

/// The properties that have a weight from the start, as experience with reductions suggests: after a decisive test another
/// one is more probable, and what was tried in vain once or twice is less so.
const FIRST_WEIGHTS: [(u64, f64); 3] =
    [(AFTER_DECISIVE, 0.8), (TRIED + 1, -1.5), (TRIED + 2, -2.0)];

/// The property of all proposals.
const ALL: u64 = u64::MAX;

/// The property of proposals after a test that was not decisive; the number after it stands for the others.
const AFTER_OTHER: u64 = 1;
const AFTER_DECISIVE: u64 = 2;

/// The property of changes that were not tried yet; the numbers after it stand for those that were.
const TRIED: u64 = 3;

/// How fast weights are corrected.
const LEARNING_RATE: f64 = 0.25;

/// What keeps the first corrections of a weight small.
const CAUTION: f64 = 1.0;

/// No outcome counts as less probable than this.
const MIN_CHANCE: f64 = 0.004;

/// A change that was tried this many times in vain is like one that was tried more often.
const MAX_TIMES_TRIED: u8 = 2;

/// The last outcomes of a search, by the kind of proposal.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecentOutcomes {
    /// The kinds that were tested, as a set of their last six bits.
    tested: u64,
    /// Those whose last test was decisive.
    decisive: u64,
    /// Whether the last test of all was decisive.
    was_decisive: bool,
}

impl RecentOutcomes {
    /// The last outcomes after one more test.
    pub(super) fn after(self, likeness: Likeness, is_decisive: bool) -> Self {
        let bit = 1 << (likeness.kind % 64);
        Self {
            tested: self.tested | bit,
            decisive: if is_decisive { self.decisive | bit } else { self.decisive & !bit },
            was_decisive: is_decisive,
        }
    }

    /// What was found out about the kind of a proposal last.
    fn of(self, likeness: Likeness) -> u64 {
        let bit = likeness.kind % 64;
        (self.tested >> bit & 1) + (self.decisive >> bit & 1)
    }
}

/// A weight, and the sum of the squares of its corrections.
#[derive(Clone, Copy, Debug, Default)]
struct Weight {
    value: f64,
    corrections: f64,
}

/// The outcomes of earlier tests, by what they have in common.
#[derive(Debug)]
pub(super) struct OutcomeEstimates {
    weights: HashMap<u64, Weight>,
    /// The number of times that each change was tried in vain since it was last accepted.
    tried: HashMap<u64, u8>,
    passed: u32,
    unresolved: u32,
}

impl Default for OutcomeEstimates {
    fn default() -> Self {
        let first = |(property, value)| (property, Weight { value, corrections: 0.0 });
        let weights = FIRST_WEIGHTS.into_iter().map(first).collect();
        Self { weights, tried: HashMap::new(), passed: 0, unresolved: 0 }
    }
}

impl OutcomeEstimates {
    /// The properties of a proposal that have weights.
    fn properties(&self, label: Label, likeness: Likeness, recent: RecentOutcomes) -> [u64; 10] {
        let Likeness { change, kind, properties, .. } = likeness;
        let tried = match change {
            0 => 0,
            _ => u64::from(self.tried.get(&change).copied().unwrap_or_default()),
        };
        let name = label.name();
        let first_bytes =
            name.bytes().take(7).fold(name.len() as u64, |all, b| all << 8 | u64::from(b));
        [
            ALL,
            if recent.was_decisive { AFTER_DECISIVE } else { AFTER_OTHER },
            TRIED + tried,
            first_bytes,
            kind,
            kind.wrapping_add(1 + recent.of(likeness)),
            properties[0],
            properties[1],
            properties[2],
            properties[3],
        ]
    }

    /// The probabilities of the outcomes of a proposal.
    pub(super) fn chances(
        &self,
        label: Label,
        likeness: Likeness,
        recent: RecentOutcomes,
    ) -> Chances {
        self.chances_by(likeness, &self.properties(label, likeness, recent))
    }

    fn chances_by(&self, likeness: Likeness, properties: &[u64]) -> Chances {
        let weight = |property: &u64| self.weights.get(property).map_or(0.0, |weight| weight.value);
        let first_weight = match likeness.failing_percent {
            0 => FIRST_WEIGHT,
            percent => (f64::from(percent) / f64::from(100 - percent.min(99))).ln(),
        };
        let sum: f64 = first_weight + properties.iter().map(weight).sum::<f64>();
        let fail = (1.0 / (1.0 + (-sum).exp())).clamp(MIN_CHANCE, 1.0 - MIN_CHANCE);
        let (passed, unresolved) = (f64::from(self.passed), f64::from(self.unresolved));
        let share = (passed + 1.0) / (passed + unresolved + 2.0);
        Chances { pass: (1.0 - fail) * share, fail, unresolved: (1.0 - fail) * (1.0 - share) }
    }

    /// Takes note of the outcome of a proposal.
    pub(super) fn learn(
        &mut self,
        label: Label,
        likeness: Likeness,
        recent: RecentOutcomes,
        outcome: Outcome,
    ) {
        let properties = self.properties(label, likeness, recent);
        let fails = if outcome == Outcome::Fail { 1.0 } else { 0.0 };
        let error = fails - self.chances_by(likeness, &properties).fail;
        for property in properties.into_iter().filter(|property| *property != 0) {
            let weight = self.weights.entry(property).or_default();
            weight.corrections += error * error;
            weight.value += LEARNING_RATE * error / (CAUTION + weight.corrections).sqrt();
        }
        match outcome {
            Outcome::Pass => self.passed += 1,
            Outcome::Fail => {}
            Outcome::Unresolved => self.unresolved += 1,
        }
        let tried = self.tried.entry(likeness.change).or_default();
        *tried = match outcome {
            Outcome::Fail => 0,
            _ => (*tried + 1).min(MAX_TIMES_TRIED),
        };
    }
}
