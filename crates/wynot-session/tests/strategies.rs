//! A strategy gives the same result, steps and counts for every number of workers, although the session follows each
//! branch of its future.

use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wynot_core::{
    Configuration, Label, Likeness, Memo, NextStep, Oracle, Outcome, Outcomes, Proposal, Stopped,
};
use wynot_session::judge::{ExitMeaning, FailureCriteria, JudgeRecord, Quorum, TestJudge};
use wynot_session::{
    Budget, Completion, Counts, CrashCollection, Digest, Ending, Event, Executor, ExecutorError,
    Job, JobId, Journal, Lab, LabParts, Listener, Observation, Output, ResultFiles, Step, Stop,
    Submitted, VirtualTime,
};
use wynot_subjects::{Subject, TextSubject, Variant};

const LETTERS: u32 = 12;

/// A number that looks random and depends on two others.
fn mix(seed: u64, value: u64) -> u64 {
    let mut hash = seed ^ value.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 29
}

fn mask(configuration: &Configuration) -> u64 {
    configuration.iter().fold(0, |mask, delta| mask | 1 << delta)
}

/// A strategy whose next test depends on everything that it was told.
#[derive(Clone, Debug, PartialEq)]
struct Wandering {
    seed: u64,
    /// What it was told so far, as a number.
    told: u64,
    left: u32,
    proposed: bool,
    /// Whether a long computation was announced.
    announced: bool,
}

impl Wandering {
    fn new(seed: u64) -> Self {
        Self { seed, told: 1, left: 60, proposed: false, announced: false }
    }
}

impl wynot_core::Strategy<Configuration> for Wandering {
    fn advance(&mut self) -> NextStep<Configuration> {
        if std::mem::take(&mut self.proposed) {
            self.told = mix(self.seed, self.told ^ 2);
        }
        if self.left == 0 {
            return NextStep::End;
        }
        let number = mix(self.seed, self.told);
        if number.is_multiple_of(5) && !std::mem::replace(&mut self.announced, true) {
            return NextStep::Compute;
        }
        (self.announced, self.proposed) = (false, true);
        self.left -= 1;
        let deltas = (0..LETTERS).filter(|delta| number >> delta & 1 == 1);
        NextStep::Test(Proposal {
            candidate: Configuration::from_deltas(deltas),
            label: Label::new(if number.is_multiple_of(2) { "even" } else { "odd" }),
            decisive: match number >> 20 & 3 {
                0 => Outcomes::FAIL,
                1 => Outcomes::PASS,
                2 => Outcomes::RESOLVED,
                _ => Outcomes::NONE,
            },
            likeness: Likeness { change: number % 64, kind: number % 4, ..Likeness::default() },
        })
    }

    fn accept(&mut self, outcome: Outcome) {
        self.proposed = false;
        self.told = mix(self.seed, self.told ^ (3 + outcome as u64));
    }
}

/// The outcomes of all subsets.
fn outcome(seed: u64, fails_of_ten: u64, mask: u64) -> Outcome {
    match mask {
        0 => Outcome::Pass,
        mask if mask == (1 << LETTERS) - 1 => Outcome::Fail,
        mask => match mix(!seed, mask) % 10 {
            number if number < fails_of_ten => Outcome::Fail,
            9 => Outcome::Unresolved,
            _ => Outcome::Pass,
        },
    }
}

/// An executor that sometimes loses a job, reports one as contended, has no space, or ends one before it is cancelled.
struct Unreliable<E> {
    inner: E,
    random: u64,
    in_flight: HashSet<JobId>,
    lost: HashSet<Digest>,
    digests: Vec<(JobId, Digest)>,
    is_alone: bool,
}

impl<E> Unreliable<E> {
    fn one_in(&mut self, count: u64) -> bool {
        self.random = mix(self.random, 7);
        self.random.is_multiple_of(count)
    }
}

impl<E: Executor> Executor for Unreliable<E> {
    type Spec = E::Spec;

    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn submit(&mut self, job: Job<E::Spec>) -> Result<Submitted, ExecutorError> {
        assert!(self.capacity() > 0, "a job was submitted without capacity");
        assert!(!job.alone || self.in_flight.is_empty(), "a job does not run alone");
        if !self.in_flight.is_empty() && self.one_in(24) {
            return Ok(Submitted::NoSpace);
        }
        self.is_alone = job.alone;
        self.in_flight.insert(job.id);
        self.digests.push((job.id, job.digest));
        self.inner.submit(job)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        if self.one_in(3) { Ok(()) } else { self.inner.cancel(id) }
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        assert!(!self.in_flight.is_empty(), "the session waits although no job is in flight");
        let Some((id, completion)) = self.inner.wait(until)? else { return Ok(None) };
        self.in_flight.remove(&id);
        let digest = self.digests.iter().rev().find(|entry| entry.0 == id).unwrap().1;
        if self.one_in(40) && self.lost.insert(digest) {
            return Ok(Some((id, Completion::Lost("the worker died".to_owned()))));
        }
        if !self.is_alone && self.one_in(20) {
            return Ok(Some((id, Completion::Contended)));
        }
        Ok(Some((id, completion)))
    }
}

#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<Step>>>);

impl Listener for Steps {
    fn on(&mut self, event: &Event<'_>, _: &Counts) {
        if let Event::Step { step, .. } = event {
            self.0.lock().unwrap().push((*step).clone());
        }
    }
}

/// What a session has made of a strategy.
struct Ended {
    /// The strategy at its end, or where and why it stopped.
    end: Result<Wandering, Stopped<Wandering, Stop>>,
    steps: Vec<Step>,
    counts: Counts,
}

/// Runs a strategy on some workers.
fn run(seed: u64, fails_of_ten: u64, workers: usize, max_tests: Option<u64>) -> Ended {
    let directory = tempfile::tempdir().unwrap();
    let text: Vec<u8> = (0..LETTERS as u8).map(|letter| b'a' + letter).collect();
    let subject = Subject::Text(TextSubject::from_empty(&text, &"byte".parse().unwrap()).unwrap());
    let (same_output, same_crash, original, known_errors) = Default::default();
    let exit_meaning = ExitMeaning::Failure(Ending::Exit(1));
    let limits = Vec::new();
    let record =
        JudgeRecord { exit_meaning, same_output, same_crash, original, known_errors, limits };
    let judge = TestJudge::from_record(&record, &FailureCriteria::default(), Default::default());
    let (journal, _) = Journal::open(directory.path(), Digest::of_bytes(b"key"), false).unwrap();
    let steps = Steps::default();
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &[],
        budget: Budget::new(max_tests, None, None),
        listener: Box::new(steps.clone()),
        stop: Arc::new(AtomicBool::new(false)),
        crashes: CrashCollection::default(),
        timeout: Duration::from_secs(1).into(),
        quorum: Quorum::default(),
    });
    let mut random = seed ^ workers as u64;
    let inner = VirtualTime::new(workers, move |variant: &Variant| {
        let Variant::Bytes(text) = variant else { panic!("the tests use texts only") };
        let mask = text.iter().fold(0, |mask, letter| mask | 1 << (letter - b'a'));
        let ending = Ending::Exit(match outcome(seed, fails_of_ten, mask) {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Unresolved => 2,
        });
        let observation = Observation {
            ending,
            stdout: Output::default(),
            stderr: Output::default(),
            elapsed: Duration::ZERO,
            cpu: Duration::ZERO,
            waited: Duration::ZERO,
            memory: 0,
            build: Duration::ZERO,
            crash: None,
            read: None,
        };
        random = mix(random, 5);
        let duration = Duration::from_micros(1 + random % 100);
        (Completion::Observed(Box::new(observation)), duration)
    });
    let mut executor = Unreliable {
        inner,
        random: !seed,
        in_flight: HashSet::new(),
        lost: HashSet::new(),
        digests: Vec::new(),
        is_alone: false,
    };
    let results = ResultFiles { failing: directory.path().join("out"), ..ResultFiles::nowhere() };
    let mut session = lab.session(&subject, &mut executor, &Arc::new(()), &results);
    let end = session.run(Wandering::new(seed));
    let counts = Counts { speculative: 0, replayed: 0, ..session.counts() };
    drop(session);
    let steps = steps.0.lock().unwrap().clone();
    Ended { end, steps, counts }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_strategy_gives_the_same_for_every_number_of_workers(
        seed in any::<u64>(), fails_of_ten in 0u64..9
    ) {
        let mut memo = Memo::of(|c: &Configuration| outcome(seed, fails_of_ten, mask(c)))
            .with_known(Configuration::empty(), Outcome::Pass)
            .with_known(Configuration::full(LETTERS), Outcome::Fail);
        let expected = memo.run(Wandering::new(seed)).unwrap();
        let one = run(seed, fails_of_ten, 1, None);
        prop_assert_eq!(one.end.unwrap(), expected.clone());
        prop_assert_eq!(one.counts.executed, memo.tests() as u64);
        for workers in [2, 7, 64, 1000] {
            let parallel = run(seed, fails_of_ten, workers, None);
            prop_assert_eq!(parallel.end.unwrap(), expected.clone());
            prop_assert_eq!(&parallel.steps, &one.steps);
            prop_assert_eq!(parallel.counts, one.counts);
        }
    }

    #[test]
    fn a_strategy_stops_at_the_same_test_for_every_number_of_workers(
        seed in any::<u64>(), limit in 0u64..40
    ) {
        let stop = |workers| {
            let Ended { end, steps, counts } = run(seed, 2, workers, Some(limit));
            let reached = end.unwrap_or_else(|Stopped { best, cause }| {
                assert!(matches!(cause, Stop::MaxTests(_)), "{cause}");
                best
            });
            (reached, steps, counts)
        };
        let one = stop(1);
        for workers in [2, 7, 64] {
            prop_assert_eq!(stop(workers), one.clone());
        }
    }
}
