//! The session's promise: the same result, steps and counts for every number of slots, whatever tests
//! take how long, and after every interruption.

use proptest::prelude::*;
use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use wynot_core::{
    Configuration, Isolated, Memo, Oracle, Outcome, Stopped, dd, dd_by_levels, ddmin,
    ddmin_by_levels,
};
use wynot_session::judge::{ExitMeaning, FailureCriteria, JudgeRecord, Quorum, TestJudge};
use wynot_session::{
    Budget, Completion, Counts, CrashCollection, Digest, Ending, Event, Executor, ExecutorError,
    Job, JobId, Journal, Lab, LabParts, Listener, Observation, Output, Record, ResultFiles, Step,
    Stop, Submitted, VirtualTime,
};
use wynot_subjects::{Subject, TextSubject, Variant};

/// Outcomes of all subsets of the letters of a text, as exit codes.
#[derive(Clone, Debug)]
struct Table {
    letters: u32,
    outcomes: Vec<Outcome>,
    /// Makes durations differ from case to case.
    seed: u64,
}

impl Table {
    fn text(&self) -> Vec<u8> {
        (0..self.letters as u8).map(|letter| b'a' + letter).collect()
    }

    fn outcome(&self, variant: &[u8]) -> Outcome {
        self.outcomes[variant.iter().fold(0, |mask, letter| mask | 1 << (letter - b'a'))]
    }

    fn of_configuration(&self, c: &Configuration) -> Outcome {
        self.outcomes[c.iter().fold(0, |mask, delta| mask | 1 << delta)]
    }
}

fn table() -> impl Strategy<Value = Table> {
    (2u32..=10, 1u32..10, 1u32..10, 0u32..10, any::<u64>()).prop_flat_map(
        |(letters, pass, fail, unresolved, seed)| {
            let outcome = prop_oneof![
                pass => Just(Outcome::Pass),
                fail => Just(Outcome::Fail),
                unresolved => Just(Outcome::Unresolved)
            ];
            let size = 1usize << letters;
            proptest::collection::vec(outcome, size).prop_map(move |mut outcomes| {
                outcomes[0] = Outcome::Pass;
                outcomes[size - 1] = Outcome::Fail;
                Table { letters, outcomes, seed }
            })
        },
    )
}

/// Simulated workers with faults: now and then a submission finds no space, or a job is lost.
struct Faulty<E> {
    inner: E,
    busy: usize,
    random: Random,
    started: Vec<Vec<u8>>,
}

/// A generator that makes durations and faults differ from case to case.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.0 >> 33
    }
}

impl<E: Executor> Executor for Faulty<E> {
    type Spec = E::Spec;

    fn capacity(&self) -> usize {
        self.inner.capacity()
    }

    fn submit(&mut self, job: Job<E::Spec>) -> Result<Submitted, ExecutorError> {
        assert!(self.capacity() > 0, "submitted without capacity");
        if self.busy > 0 && self.random.next().is_multiple_of(16) {
            return Ok(Submitted::NoSpace);
        }
        let Variant::Bytes(variant) = &*job.variant else { panic!("only texts are tested here") };
        self.started.push(variant.clone());
        self.busy += 1;
        self.inner.submit(job)
    }

    fn cancel(&mut self, id: JobId) -> Result<(), ExecutorError> {
        // Some jobs end before the request arrives.
        match self.random.next().is_multiple_of(2) {
            true => self.inner.cancel(id),
            false => Ok(()),
        }
    }

    fn wait(&mut self, until: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        assert!(self.busy > 0, "waiting for nothing");
        let completed = self.inner.wait(until)?;
        self.busy -= 1;
        Ok(completed.map(|(id, completion)| match self.random.next().is_multiple_of(32) {
            true => (id, Completion::Lost("the worker is gone".to_owned())),
            false => (id, completion),
        }))
    }
}

fn workers(table: &Table, count: usize) -> Faulty<impl Executor<Spec = ()>> {
    let mut random = Random(table.seed ^ count as u64);
    let outcomes = table.clone();
    let run = move |variant: &Variant| {
        let Variant::Bytes(text) = variant else { panic!("only texts are tested here") };
        let code = match outcomes.outcome(text) {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Unresolved => 2,
        };
        let observation = Observation {
            ending: Ending::Exit(code),
            stdout: Output::default(),
            stderr: Output::default(),
            elapsed: Duration::ZERO,
            crash: None,
        };
        (Completion::Observed(observation), Duration::from_micros(1 + random.next() % 100))
    };
    let (inner, random) = (VirtualTime::new(count, run), Random(!table.seed));
    Faulty { inner, busy: 0, random, started: Vec::new() }
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

/// What a run shows to the outside.
#[derive(Debug, PartialEq)]
struct Shown {
    failing: Configuration,
    passing: Configuration,
    steps: Vec<Step>,
    counts: Counts,
    output: Vec<u8>,
}

#[derive(Clone, Copy)]
enum How {
    Ddmin,
    Dd,
}

/// A fresh directory with a journal, in which runs follow each other.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn past(&self) -> Vec<Record> {
        Journal::read(self.dir.path()).unwrap_or_default()
    }

    /// Runs a search in this place, going on from what is there.
    fn run(
        &self,
        table: &Table,
        slots: usize,
        how: How,
        max_tests: Option<u64>,
    ) -> (Result<Shown, Stop>, Vec<Vec<u8>>) {
        let subject = Subject::Text(
            TextSubject::from_empty(&table.text(), &"byte".parse().unwrap()).unwrap(),
        );
        let mut executor = workers(table, slots);
        let judge = judge();
        let key = Digest::of_bytes(b"key");
        let (journal, past) = Journal::open(self.dir.path(), key, false).unwrap();
        let failing = self.dir.path().join("failing");
        let results = results(failing.clone(), Some(self.dir.path().join("passing")));
        let steps = Steps::default();
        let lab = lab(&judge, journal, &past, steps.clone(), max_tests, Quorum::default());
        let mut session = lab.session(&subject, &mut executor, &Arc::new(()), &results);
        let full = Configuration::full(subject.deltas());
        let start = Isolated { passing: Configuration::empty(), failing: full.clone() };
        let found = match how {
            How::Ddmin => ddmin_by_levels(subject.levels(), full, &mut session)
                .map(|failing| Isolated { passing: Configuration::empty(), failing })
                .map_err(|Stopped { cause, .. }| cause),
            How::Dd => dd_by_levels(subject.levels(), start, &mut session)
                .map_err(|Stopped { cause, .. }| cause),
        };
        // Which tests ran ahead depends on time, and may.
        let counts = Counts { speculative: 0, replayed: 0, ..session.counts() };
        drop(session);
        let output = std::fs::read(&failing).unwrap_or_default();
        let shown = found.map(|Isolated { passing, failing }| Shown {
            failing,
            passing,
            steps: steps.0.lock().unwrap().clone(),
            counts,
            output,
        });
        (shown, executor.started)
    }
}

/// A judge for which exit 1 is the failure.
fn judge() -> TestJudge {
    let record = JudgeRecord {
        exit_meaning: ExitMeaning::Failure(Ending::Exit(1)),
        same_output: None,
        same_crash: None,
        same_failure: None,
    };
    TestJudge::from_record(&record, &FailureCriteria::default())
}

fn results(failing: PathBuf, passing: Option<PathBuf>) -> ResultFiles {
    ResultFiles { failing, passing, mode: 0o644, places: Vec::new(), tag: String::new() }
}

fn lab<'l>(
    judge: &'l TestJudge,
    journal: Journal,
    past: &'l [Record],
    steps: Steps,
    max_tests: Option<u64>,
    quorum: Quorum,
) -> Lab<'l> {
    Lab::new(LabParts {
        judge,
        journal,
        past,
        budget: Budget::new(max_tests, None, None),
        listener: Box::new(steps),
        stop: Arc::new(AtomicBool::new(false)),
        crashes: CrashCollection::default(),
        timeout: Duration::from_secs(1),
        quorum,
    })
}

fn journaled(past: &[Record]) -> HashSet<String> {
    let tests = past.iter().filter_map(|record| match record {
        Record::Test(test) => Some(test.digest.clone()),
        _ => None,
    });
    tests.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ddmin_gives_the_same_for_every_number_of_slots(table in table()) {
        let mut oracle = Memo::of(|c: &Configuration| table.of_configuration(c));
        let expected = ddmin(Configuration::full(table.letters), &mut oracle).unwrap();
        let alone = Place::new().run(&table, 1, How::Ddmin, None).0.unwrap();
        prop_assert_eq!(&alone.failing, &expected);
        prop_assert_eq!(alone.counts.executed, oracle.tests() as u64);
        for slots in [2, 3, 8] {
            let shown = Place::new().run(&table, slots, How::Ddmin, None).0.unwrap();
            prop_assert_eq!(&shown, &alone);
        }
    }

    #[test]
    fn dd_gives_the_same_for_every_number_of_slots(table in table()) {
        let full = Configuration::full(table.letters);
        let start = Isolated { passing: Configuration::empty(), failing: full };
        let mut oracle = Memo::of(|c: &Configuration| table.of_configuration(c));
        let expected = dd(start, &mut oracle).unwrap();
        let alone = Place::new().run(&table, 1, How::Dd, None).0.unwrap();
        prop_assert_eq!(&alone.failing, &expected.failing);
        prop_assert_eq!(&alone.passing, &expected.passing);
        prop_assert_eq!(alone.counts.executed, oracle.tests() as u64);
        for slots in [2, 3, 8] {
            let shown = Place::new().run(&table, slots, How::Dd, None).0.unwrap();
            prop_assert_eq!(&shown, &alone);
        }
    }

    #[test]
    fn stopped_at_any_test_and_resumed_it_ends_alike(
        table in table(), slots in 1usize..9, first_limit in 0u64..30
    ) {
        let whole = Place::new().run(&table, 3, How::Ddmin, None).0.unwrap();
        let place = Place::new();
        let mut limit = first_limit;
        let last = loop {
            let known = journaled(&place.past());
            let (shown, started) = place.run(&table, slots, How::Ddmin, Some(limit));
            for variant in started {
                let digest = Digest::of_bytes(&variant).to_string();
                prop_assert!(!known.contains(&digest), "a journaled test ran again");
            }
            match shown {
                Ok(shown) => break shown,
                Err(Stop::MaxTests(_)) => limit += 7,
                Err(other) => panic!("{other}"),
            }
        };
        prop_assert_eq!(last.failing, whole.failing);
        prop_assert_eq!(last.steps, whole.steps);
        prop_assert_eq!(last.counts, whole.counts);
    }

    #[test]
    fn a_limit_is_kept_with_one_slot_to_the_test(table in table(), limit in 0u64..20) {
        let (shown, started) = Place::new().run(&table, 1, How::Ddmin, Some(limit));
        match shown {
            Ok(shown) => prop_assert!(shown.counts.executed <= limit),
            Err(_) => {
                // Jobs that are lost are started again.
                let distinct: HashSet<Vec<u8>> = started.into_iter().collect();
                prop_assert!(distinct.len() as u64 <= limit);
            }
        }
    }
}

#[test]
fn each_answers_in_order_whatever_ends_first() {
    let table = Table { letters: 3, outcomes: vec![Outcome::Pass; 8], seed: 3 };
    let outcomes = (0..8).map(|mask| match mask % 3 {
        0 => Outcome::Pass,
        1 => Outcome::Fail,
        _ => Outcome::Unresolved,
    });
    let table = Table { outcomes: outcomes.collect(), ..table };
    let subject = Subject::Text(TextSubject::from_empty(b"abc", &"byte".parse().unwrap()).unwrap());
    let place = Place::new();
    let mut executor = workers(&table, 4);
    let judge = judge();
    let (journal, _) = Journal::open(place.dir.path(), Digest::of_bytes(b"key"), false).unwrap();
    let results = results(place.dir.path().join("out"), None);
    let quorum = Quorum::Count { repeat: 3, needed: 2 };
    let lab = lab(&judge, journal, &[], Steps::default(), None, quorum);
    let mut session = lab.session(&subject, &mut executor, &Arc::new(()), &results);
    let masks = [1u32, 2, 4, 5, 3, 1, 6];
    let sets = masks.map(|mask| Configuration::from_deltas((0..3).filter(|d| mask >> d & 1 == 1)));
    let answers = session.each(sets.iter().cloned()).unwrap();
    let expected: Vec<Outcome> = sets.iter().map(|c| table.of_configuration(c)).collect();
    assert_eq!(answers, expected);
    assert_eq!(session.counts().executed, 6);
    assert_eq!(session.counts().cached, 1);
}
