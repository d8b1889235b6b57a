//! The first failing version in a row of versions, by a test that fails only sometimes.
//!
//! Single runs do not decide about a version. All runs so far give each position of the first failing version a
//! probability (Bayes' rule); the next run is that of the version whose outcome is expected to say most about the
//! position. The search ends when one position is probable enough. This is bisection with noisy answers, as described by
//! Horstein (*Sequential Transmission Using Noiseless Feedback*, 1963) and Burnashev and Zigangirov (1974).
//!
//! The model: versions before the first failing one do not fail, apart from a small allowance; those from it on fail at
//! one rate, which is known from earlier runs of the last version as well as these can tell (a beta distribution).

use crate::bisect::{Gap, middles};
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Decision, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use std::iter;

/// The allowance for false failures: the probability that a run of a version fails for another reason.
const FALSE_FAILURE_PROBABILITY: f64 = 0.001;

/// The number of unresolved runs in excess of resolved ones after which a version counts as one that cannot be tested.
const MAX_EXCESS_OF_UNRESOLVED_RUNS: u32 = 2;

/// The number of versions that cannot be tested, without one that can be tested between them, after which all versions
/// between them count as ones that cannot be tested.
const MAX_UNTESTABLE_IN_STRETCH: usize = 6;

/// One run of the test of a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct VersionRun {
    /// The index of the version in its row.
    pub version: usize,
    /// The number of the run among those of this version, from 0.
    pub run: u32,
}

/// The outcomes of the runs of one version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VersionCounts {
    /// The number of runs that passed.
    pub passes: u32,
    /// The number of runs that failed.
    pub fails: u32,
    /// The number of runs that were unresolved.
    pub unresolved: u32,
}

impl VersionCounts {
    /// The number of runs.
    pub fn runs(self) -> u32 {
        self.passes + self.fails + self.unresolved
    }

    /// Whether the version cannot be tested.
    fn is_untestable(self) -> bool {
        self.unresolved >= self.passes + self.fails + MAX_EXCESS_OF_UNRESOLVED_RUNS
    }

    /// Whether the version can be tested, and has been.
    fn is_tested(self) -> bool {
        self.passes + self.fails > 0 && !self.is_untestable()
    }
}

/// The probabilities of all positions of the first failing version, given the outcomes of some runs.
///
/// ```
/// use wynot_core::{Memo, Outcome, Posterior, VersionRun, bisect_flaky};
///
/// // Versions fail from number 60 on, in every second run. The last version has failed in 10 of 20 runs.
/// let fails = |run: &VersionRun| run.version >= 60 && (run.version + run.run as usize) % 2 == 0;
/// let mut oracle = Memo::of(|run: &VersionRun| Outcome::fails_if(fails(run)));
/// let posterior = bisect_flaky(Posterior::new(100, 10, 20), 0.99, &mut oracle).unwrap();
/// assert_eq!(posterior.located().gap.failing, 60);
/// assert!(posterior.located().probability >= 0.99);
/// assert!(oracle.tests() < 40);
/// ```
#[derive(Clone, Debug)]
pub struct Posterior {
    /// The outcomes of each version.
    counts: Vec<VersionCounts>,
    /// The parameters of the beta distribution of the failure rate before all runs that are counted here.
    prior_rate: (f64, f64),
}

/// The most probable place of the first failing version.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// The versions around the place. Any version between them cannot be tested.
    pub gap: Gap,
    /// The probability that the first failing version is after the passing one and not after the failing one.
    pub probability: f64,
}

impl Posterior {
    /// All positions are equally probable in a row of `versions`, at least two, of which the first passes. The last has
    /// failed in `fails` of `runs` runs.
    pub fn new(versions: usize, fails: u32, runs: u32) -> Self {
        let passes = runs.saturating_sub(fails);
        // Before these runs, all rates are equally probable.
        let prior_rate = (f64::from(fails) + 1.0, f64::from(passes) + 1.0);
        Self { counts: vec![VersionCounts::default(); versions.max(2)], prior_rate }
    }

    /// The outcomes of the runs of each version.
    pub fn counts(&self) -> &[VersionCounts] {
        &self.counts
    }

    /// Takes the outcome of a run of a version into account.
    pub fn add(&mut self, version: usize, outcome: Outcome) {
        let counts = &mut self.counts[version];
        match outcome {
            Outcome::Pass => counts.passes += 1,
            Outcome::Fail => counts.fails += 1,
            Outcome::Unresolved => counts.unresolved += 1,
        }
    }

    /// The most probable place of the first failing version.
    pub fn located(&self) -> Located {
        self.locate(&self.probabilities(), &self.untestable())
    }

    /// The next run, with its more probable outcome; `None` if one place has at least the probability `confidence`, or if
    /// no run can say more.
    pub fn next_run(&self, confidence: f64) -> Option<(VersionRun, Outcome)> {
        let (probabilities, untestable) = (self.probabilities(), self.untestable());
        let located = self.locate(&probabilities, &untestable);
        if located.probability >= confidence {
            return None;
        }
        let rate = self.rate(located.gap.failing);
        let (version, is_bad) = self.most_informative_version(&probabilities, &untestable, rate)?;
        let failure = is_bad * rate + (1.0 - is_bad) * FALSE_FAILURE_PROBABILITY;
        let expected = if failure > 0.5 { Outcome::Fail } else { Outcome::Pass };
        Some((VersionRun { version, run: self.counts[version].runs() }, expected))
    }

    /// The probability of each position of the first failing version; that of position 0 is 0.
    fn probabilities(&self) -> Vec<f64> {
        let (alpha, beta) = self.prior_rate;
        let all_fails: u32 = self.counts.iter().map(|counts| counts.fails).sum();
        let all_passes: u32 = self.counts.iter().map(|counts| counts.passes).sum();
        let (ln_fail, ln_pass) =
            (FALSE_FAILURE_PROBABILITY.ln(), (1.0 - FALSE_FAILURE_PROBABILITY).ln());
        let mut logs = vec![f64::NEG_INFINITY; self.counts.len()];
        // The outcomes from the position on, and their probability under all rates together (a beta-binomial process).
        let (mut fails, mut passes, mut after) = (0.0, 0.0, 0.0);
        for (position, counts) in self.counts.iter().enumerate().skip(1).rev() {
            for _ in 0..counts.fails {
                after += ((alpha + fails) / (alpha + beta + fails + passes)).ln();
                fails += 1.0;
            }
            for _ in 0..counts.passes {
                after += ((beta + passes) / (alpha + beta + fails + passes)).ln();
                passes += 1.0;
            }
            let before = (f64::from(all_fails) - fails) * ln_fail
                + (f64::from(all_passes) - passes) * ln_pass;
            logs[position] = before + after;
        }
        let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Neighbours without runs between them have the same probability.
        let mut last = (f64::NEG_INFINITY, 0.0);
        let weight = |log: f64| {
            if log != last.0 {
                last = (log, (log - largest).exp());
            }
            last.1
        };
        let weights: Vec<f64> = logs.into_iter().map(weight).collect();
        let sum: f64 = weights.iter().sum();
        weights.into_iter().map(|weight| weight / sum).collect()
    }

    /// Whether each version counts as one that cannot be tested. Such versions come in stretches, of which only a few are
    /// run.
    fn untestable(&self) -> Vec<bool> {
        let mut untestable: Vec<bool> =
            self.counts.iter().map(|counts| counts.is_untestable()).collect();
        let mut stretch: Vec<usize> = Vec::new();
        for (version, counts) in self.counts.iter().enumerate() {
            if counts.is_tested() {
                stretch.clear();
            } else if counts.is_untestable() {
                stretch.push(version);
                if stretch.len() >= MAX_UNTESTABLE_IN_STRETCH {
                    untestable[stretch[0]..version].fill(true);
                }
            }
        }
        untestable
    }

    /// The most probable place, between versions that can be tested.
    fn locate(&self, probabilities: &[f64], untestable: &[bool]) -> Located {
        let last = self.counts.len() - 1;
        let mut best = Located { gap: Gap { passing: 0, failing: last }, probability: 0.0 };
        let (mut passing, mut probability) = (0, 0.0);
        for (failing, of_position) in probabilities.iter().enumerate().skip(1) {
            probability += of_position;
            if failing < last && untestable[failing] {
                continue;
            }
            if probability > best.probability {
                best = Located { gap: Gap { passing, failing }, probability };
            }
            (passing, probability) = (failing, 0.0);
        }
        best
    }

    /// The expected failure rate of failing versions, if `failing` is the first one.
    fn rate(&self, failing: usize) -> f64 {
        let (mut fails, mut passes) = self.prior_rate;
        for counts in &self.counts[failing..] {
            fails += f64::from(counts.fails);
            passes += f64::from(counts.passes);
        }
        // A failing version fails more often than the allowance for false failures.
        (fails / (fails + passes)).max(2.0 * FALSE_FAILURE_PROBABILITY)
    }

    /// The version whose next run says most about the position, and the probability that it is a failing one.
    ///
    /// What a run says is a concave function of that probability, so only the two versions next to its maximum compete. If
    /// one of them cannot be tested, those around it are tried as [`bisect`](crate::bisect()) does.
    fn most_informative_version(
        &self,
        probabilities: &[f64],
        untestable: &[bool],
        rate: f64,
    ) -> Option<(usize, f64)> {
        let last = self.counts.len() - 1;
        let is_bad: Vec<f64> = probabilities
            .iter()
            .scan(0.0, |sum, of_position| {
                *sum += of_position;
                Some(*sum)
            })
            .collect();
        let best = best_failing_probability(rate);
        let above = (1..last).find(|&version| is_bad[version] > best).unwrap_or(last);
        let is_border = |version: usize| version == 0 || version == last;
        let is_known = |version: usize| is_border(version) || self.counts[version].is_tested();
        let is_usable = |version: usize| !is_border(version) && !untestable[version];
        let of = |version: usize| (version, is_bad[version]);
        if [above - 1, above].into_iter().any(|version| !is_border(version) && untestable[version])
        {
            let passing = (0..above).rev().find(|&version| is_known(version)).unwrap_or(0);
            let failing = (above..last).find(|&version| is_known(version)).unwrap_or(last);
            let mut middles = middles(Gap { passing, failing });
            if let Some(version) = middles.find(|&version| is_usable(version)) {
                return Some(of(version));
            }
        }
        let below = (1..above).rev().find(|&version| is_usable(version)).map(of);
        let above = (above..last).find(|&version| is_usable(version)).map(of);
        match (below, above) {
            (Some((_, less)), Some((_, more)))
                if information(less, rate) >= information(more, rate) =>
            {
                below
            }
            (_, Some(_)) => above,
            _ => below,
        }
    }
}

/// The information of a run about whether its version is a failing one, which has the probability `is_bad`.
fn information(is_bad: f64, rate: f64) -> f64 {
    let failure = is_bad * rate + (1.0 - is_bad) * FALSE_FAILURE_PROBABILITY;
    entropy(failure) - is_bad * entropy(rate) - (1.0 - is_bad) * entropy(FALSE_FAILURE_PROBABILITY)
}

/// The probability of a failing version at which a run of it has the most information (the capacity of a binary channel).
fn best_failing_probability(rate: f64) -> f64 {
    let difference = rate - FALSE_FAILURE_PROBABILITY;
    let slope = (entropy(rate) - entropy(FALSE_FAILURE_PROBABILITY)) / difference;
    let failure = 1.0 / (1.0 + slope.exp());
    (failure - FALSE_FAILURE_PROBABILITY) / difference
}

/// The entropy of an event with this probability.
fn entropy(probability: f64) -> f64 {
    let part = |p: f64| if p > 0.0 { -p * p.ln() } else { 0.0 };
    part(probability) + part(1.0 - probability)
}

/// Runs versions until one place of the first failing version has at least the probability `confidence`, or until no
/// run can say more.
///
/// Each attempt assumes that the attempts before it had their more probable outcomes, so that an oracle can run several
/// at the same time.
pub fn bisect_flaky<O: Oracle<VersionRun>>(
    start: Posterior,
    confidence: f64,
    oracle: &mut O,
) -> Result<Posterior, Stopped<Posterior, O::Stop>> {
    let mut posterior = start;
    loop {
        let mut assumed = posterior.clone();
        let attempts = iter::from_fn(|| {
            let (candidate, expected) = assumed.next_run(confidence)?;
            let next = assumed.clone();
            assumed.add(candidate.version, expected);
            let decisive = match expected {
                Outcome::Fail => Outcomes::NOT_FAIL,
                _ => Outcomes::NOT_PASS,
            };
            let label = Label::new("version").count(candidate.version);
            Some(Attempt { candidate, label, decisive, next })
        });
        match oracle.first(attempts) {
            Ok(Some(Decision { candidate, outcome, next })) => {
                posterior = next;
                posterior.add(candidate.version, outcome);
            }
            Ok(None) => return Ok(assumed),
            Err(cause) => return Err(Stopped { best: posterior, cause }),
        }
    }
}
