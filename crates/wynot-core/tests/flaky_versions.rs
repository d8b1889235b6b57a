//! Bayesian bisection, simulated: the stated confidence is kept, and few runs are needed.

use wynot_core::{Gap, Memo, Outcome, Posterior, Stopped, VersionRun, bisect_flaky};

/// A seeded generator of pseudo-random numbers.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number from 0 up to 1.
    fn share(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.share() * limit as f64) as usize
    }
}

/// A row whose versions fail at a rate from the culprit on.
#[derive(Clone, Copy)]
struct Row {
    versions: usize,
    culprit: usize,
    rate: f64,
    /// The rate at which versions before the culprit fail.
    false_rate: f64,
    is_untestable: fn(usize) -> bool,
}

impl Row {
    fn new(versions: usize, culprit: usize, rate: f64) -> Self {
        Self { versions, culprit, rate, false_rate: 0.0, is_untestable: |_| false }
    }

    fn outcome(&self, version: usize, random: &mut Random) -> Outcome {
        let rate = if version >= self.culprit { self.rate } else { self.false_rate };
        match (self.is_untestable)(version) {
            true => Outcome::Unresolved,
            false => Outcome::fails_if(random.share() < rate),
        }
    }

    /// The first runs as wynot does them: at least 20, and up to 120 until 16 have failed.
    fn first_runs(&self, random: &mut Random) -> (u32, u32) {
        let (mut fails, mut runs) = (0, 0);
        while runs < 20 || (fails < 16 && runs < 120) || fails == 0 {
            fails += u32::from(random.share() < self.rate);
            runs += 1;
        }
        (fails, runs)
    }

    /// Searches the row; returns the place, its probability and the number of runs.
    fn search(&self, confidence: f64, seed: u64) -> (Gap, f64, usize) {
        let mut random = Random::new(seed);
        let (fails, runs) = self.first_runs(&mut random);
        let start = Posterior::new(self.versions, fails, runs);
        let mut oracle = Memo::of(|run: &VersionRun| self.outcome(run.version, &mut random));
        let posterior = bisect_flaky(start, confidence, &mut oracle).unwrap();
        let located = posterior.located();
        let counted: u32 = posterior.counts().iter().map(|counts| counts.runs()).sum();
        assert_eq!(counted as usize, oracle.tests());
        (located.gap, located.probability, oracle.tests())
    }

    /// The number of runs of a bisection that decides each version by a fixed number of runs, as many as make a wrong
    /// answer of the whole search as improbable as the confidence says.
    fn runs_with_fixed_quorum(&self, confidence: f64) -> usize {
        let steps = (self.versions as f64).log2().ceil();
        let runs = ((1.0 - confidence) / steps).ln() / (1.0 - self.rate).ln();
        (steps * runs.ceil()) as usize
    }
}

/// The share of wrong answers, and the mean number of runs.
fn simulate(searches: u64, confidence: f64, row: impl Fn(&mut Random) -> Row) -> (f64, f64) {
    let (mut wrong, mut all_runs) = (0, 0);
    for seed in 1..=searches {
        let row = row(&mut Random::new(seed * 7919));
        let (gap, probability, runs) = row.search(confidence, seed);
        assert!(probability >= confidence, "{probability}");
        wrong += u64::from(!(gap.passing + 1..=gap.failing).contains(&row.culprit));
        all_runs += runs;
    }
    let searches = searches as f64;
    (wrong as f64 / searches, all_runs as f64 / searches)
}

/// The largest share of wrong answers that chance explains: three standard deviations.
fn tolerated(confidence: f64, searches: u64) -> f64 {
    let wrong = 1.0 - confidence;
    wrong + 3.0 * (wrong * confidence / searches as f64).sqrt()
}

#[test]
fn wrong_answers_are_as_rare_as_the_confidence_says() {
    for rate in [0.1, 0.3, 0.5, 0.9] {
        for (versions, searches) in [(10, 800), (100, 300), (1000, 40)] {
            for confidence in [0.9, 0.99] {
                let row =
                    |random: &mut Random| Row::new(versions, 1 + random.below(versions - 1), rate);
                let (wrong, _) = simulate(searches, confidence, row);
                assert!(
                    wrong <= tolerated(confidence, searches),
                    "rate {rate}, {versions} versions, confidence {confidence}: {wrong} wrong"
                );
            }
        }
    }
}

#[test]
fn far_fewer_runs_are_needed_than_with_a_fixed_quorum_for_each_version() {
    for rate in [0.1, 0.3, 0.5, 0.9] {
        for versions in [10, 100, 1000] {
            let row =
                |random: &mut Random| Row::new(versions, 1 + random.below(versions - 1), rate);
            let (_, runs) = simulate(40, 0.99, row);
            let fixed = Row::new(versions, 1, rate).runs_with_fixed_quorum(0.99) as f64;
            assert!(runs <= 0.6 * fixed, "rate {rate}, {versions} versions: {runs} of {fixed}");
        }
    }
}

#[test]
fn a_rare_false_failure_does_not_mislead() {
    let row = |random: &mut Random| Row {
        false_rate: 0.001,
        ..Row::new(200, 1 + random.below(199), 0.3)
    };
    let (wrong, _) = simulate(600, 0.95, row);
    assert!(wrong <= tolerated(0.95, 600), "{wrong}");
}

#[test]
fn versions_that_cannot_be_tested_widen_the_answer() {
    let is_untestable: fn(usize) -> bool = |version| (30..=40).contains(&version);
    let broken = |culprit| Row { is_untestable, ..Row::new(100, culprit, 0.5) };
    let mut right = 0;
    for seed in 1..=50 {
        let (gap, ..) = broken(35).search(0.99, seed);
        right += u32::from(gap == Gap { passing: 29, failing: 41 });
        let (gap, ..) = broken(60).search(0.99, seed);
        right += u32::from(gap == Gap { passing: 59, failing: 60 });
    }
    assert!(right >= 95, "{right} of 100");
    let all = Row { is_untestable: |_| true, ..Row::new(50, 20, 0.5) };
    assert_eq!(all.search(0.99, 1).0, Gap { passing: 0, failing: 49 });
}

#[test]
fn long_stretches_that_cannot_be_tested_are_skipped() {
    let is_untestable: fn(usize) -> bool = |version| (300..=700).contains(&version);
    let broken = |culprit| Row { is_untestable, ..Row::new(1000, culprit, 0.5) };
    let mut right = 0;
    for seed in 1..=20 {
        for (culprit, expected) in [
            (500, Gap { passing: 299, failing: 701 }),
            (150, Gap { passing: 149, failing: 150 }),
            (750, Gap { passing: 749, failing: 750 }),
        ] {
            let (gap, _, runs) = broken(culprit).search(0.99, seed);
            assert!(runs < 200, "{culprit}: {runs}");
            right += u32::from(gap == expected);
        }
    }
    assert!(right >= 57, "{right} of 60");
}

#[test]
fn two_versions_need_no_run() {
    let (gap, probability, runs) = Row::new(2, 1, 0.3).search(0.99, 1);
    assert_eq!((gap, runs), (Gap { passing: 0, failing: 1 }, 0));
    assert!(probability > 0.9999);
}

#[test]
fn a_search_that_is_stopped_returns_what_it_has() {
    let mut left = 10;
    let mut oracle = Memo::new(|run: &VersionRun| {
        left -= 1;
        if left == 0 { Err("enough") } else { Ok(Outcome::fails_if(run.version >= 7)) }
    });
    let Stopped { best, cause } =
        bisect_flaky(Posterior::new(1000, 10, 20), 0.99, &mut oracle).unwrap_err();
    assert_eq!(cause, "enough");
    assert!(best.located().probability < 0.99);
    assert!(best.counts().iter().any(|counts| counts.fails > 0));
}
