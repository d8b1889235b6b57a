//! The guarantee of a session: the same result, steps and counts for every number of workers, however long the tests
//! take, and after every interruption.

use proptest::prelude::*;
use std::collections::{HashMap, HashSet};
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
    Job, JobId, Journal, Lab, LabParts, Listener, Observation, Record, ResultFiles, Step, Stop,
    Submitted, VirtualTime,
};
use wynot_subjects::{Subject, TextSubject, Variant};

/// The outcomes of all subsets of the letters of a text.
#[derive(Clone, Debug)]
struct Table {
    letters: u32,
    outcomes: Vec<Outcome>,
    /// The seed of durations and faults.
    seed: u64,
}

impl Table {
    fn text(&self) -> Vec<u8> {
        (0..self.letters as u8).map(|letter| b'a' + letter).collect()
    }

    fn outcome(&self, variant: &[u8]) -> Outcome {
        self.outcomes[variant.iter().fold(0, |mask, letter| mask | 1 << (letter - b'a'))]
    }

    fn configuration_outcome(&self, c: &Configuration) -> Outcome {
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

/// An executor with faults: occasionally it has no space for a submission, loses a job, or reports that a job was
/// contended. It loses the job of each variant at most once, because one that is lost several times ends the session.
struct Faulty<E> {
    inner: E,
    workers: usize,
    random: Random,
    started: Vec<Vec<u8>>,
    in_flight: HashMap<JobId, Digest>,
    lost: HashSet<Digest>,
    /// The job in flight that must run alone.
    alone: Option<JobId>,
}

/// A pseudo-random generator of durations and faults.
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
        assert!(self.capacity() > 0, "a job was submitted without capacity");
        assert_eq!(self.alone, None, "a job was submitted beside one that must run alone");
        assert!(
            !job.alone || self.in_flight.is_empty(),
            "a job that must run alone was submitted beside others"
        );
        if !self.in_flight.is_empty() && self.random.next().is_multiple_of(16) {
            return Ok(Submitted::NoSpace);
        }
        let Variant::Bytes(variant) = &*job.variant else { panic!("the tests use texts only") };
        self.started.push(variant.clone());
        self.in_flight.insert(job.id, job.digest);
        self.alone = job.alone.then_some(job.id);
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
        assert!(!self.in_flight.is_empty(), "the session waits although no job is in flight");
        let completed = self.inner.wait(until)?;
        let may_be_contended = self.alone.take().is_none() && self.workers > 1;
        let is_fault = self.random.next().is_multiple_of(32);
        let Some((id, completion)) = completed else { return Ok(None) };
        let variant = self.in_flight.remove(&id).unwrap();
        Ok(Some(match is_fault && self.lost.insert(variant) {
            true => (id, Completion::Lost("the worker died".to_owned())),
            false if may_be_contended && self.random.next().is_multiple_of(8) => {
                (id, Completion::Contended)
            }
            false => (id, completion),
        }))
    }
}

fn faulty_workers(table: &Table, count: usize) -> Faulty<impl Executor<Spec = ()>> {
    let mut random = Random(table.seed ^ count as u64);
    let outcomes = table.clone();
    let run = move |variant: &Variant| {
        let Variant::Bytes(text) = variant else { panic!("the tests use texts only") };
        let ending = match outcomes.outcome(text) {
            Outcome::Pass => Ending::Exit(0),
            Outcome::Fail => Ending::Exit(1),
            Outcome::Unresolved if text.len().is_multiple_of(2) => Ending::Timeout,
            Outcome::Unresolved => Ending::Exit(2),
        };
        let observation = Observation::ending_with(ending);
        (
            Completion::Observed(Box::new(observation)),
            Duration::from_micros(1 + random.next() % 100),
        )
    };
    let (inner, random) = (VirtualTime::new(count, run), Random(!table.seed));
    Faulty {
        inner,
        workers: count,
        random,
        started: Vec::new(),
        in_flight: HashMap::new(),
        lost: HashSet::new(),
        alone: None,
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

/// The results of a search that must not depend on the number of workers.
#[derive(Debug, PartialEq)]
struct SearchResult {
    failing: Configuration,
    passing: Configuration,
    steps: Vec<Step>,
    counts: Counts,
    timeouts_since_step: u64,
    output: Vec<u8>,
}

#[derive(Clone, Copy)]
enum Algorithm {
    Ddmin,
    Dd,
}

/// A directory with a journal that several runs share.
struct SessionDir {
    dir: tempfile::TempDir,
}

impl SessionDir {
    fn new() -> Self {
        Self { dir: tempfile::tempdir().unwrap() }
    }

    fn records(&self) -> Vec<Record> {
        Journal::read(self.dir.path()).unwrap_or_default().records
    }

    /// Runs a search, or resumes it if the journal has records. Returns the result and the variants of all started
    /// jobs.
    fn run(
        &self,
        table: &Table,
        workers: usize,
        algorithm: Algorithm,
        max_tests: Option<u64>,
    ) -> (Result<SearchResult, Stop>, Vec<Vec<u8>>) {
        let subject = Subject::Text(
            TextSubject::from_empty(&table.text(), &"byte".parse().unwrap()).unwrap(),
        );
        let mut executor = faulty_workers(table, workers);
        let judge = judge();
        let key = Digest::of_bytes(b"key");
        let (journal, past) = Journal::open(self.dir.path(), key, false).unwrap();
        let past = past.records;
        let failing = self.dir.path().join("failing");
        let results = results(failing.clone(), Some(self.dir.path().join("passing")));
        let steps = Steps::default();
        let lab = lab(&judge, journal, &past, steps.clone(), max_tests, Quorum::default());
        let mut session = lab.session(&subject, &mut executor, &Arc::new(()), &results);
        let full = Configuration::full(subject.deltas());
        let start = Isolated { passing: Configuration::empty(), failing: full.clone() };
        let found = match algorithm {
            Algorithm::Ddmin => ddmin_by_levels(subject.levels(), full, &mut session)
                .map(|failing| Isolated { passing: Configuration::empty(), failing })
                .map_err(|Stopped { cause, .. }| cause),
            Algorithm::Dd => dd_by_levels(subject.levels(), start, &mut session)
                .map_err(|Stopped { cause, .. }| cause),
        };
        // The number of speculative and replayed tests depends on timing and on earlier runs.
        let counts = Counts { speculative: 0, replayed: 0, ..session.counts() };
        let timeouts_since_step = session.timeouts_since_step();
        drop(session);
        let output = std::fs::read(&failing).unwrap_or_default();
        let result = found.map(|Isolated { passing, failing }| SearchResult {
            failing,
            passing,
            steps: steps.0.lock().unwrap().clone(),
            counts,
            timeouts_since_step,
            output,
        });
        (result, executor.started)
    }
}

/// A judge for which exit 1 is the failure.
fn judge() -> TestJudge {
    let (same_output, same_crash, original, known_errors) = Default::default();
    let exit_meaning = ExitMeaning::Failure(Ending::Exit(1));
    let limits = Vec::new();
    let record =
        JudgeRecord { exit_meaning, same_output, same_crash, original, known_errors, limits };
    TestJudge::from_record(&record, &FailureCriteria::default(), Default::default())
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
        timeout: Duration::from_secs(1).into(),
        quorum,
    })
}

fn journaled_digests(records: &[Record]) -> HashSet<String> {
    let tests = records.iter().filter_map(|record| match record {
        Record::Test(test) => Some(test.digest.clone()),
        _ => None,
    });
    tests.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn ddmin_gives_the_same_for_every_number_of_workers(table in table()) {
        let mut oracle = Memo::of(|c: &Configuration| table.configuration_outcome(c));
        let expected = ddmin(Configuration::full(table.letters), &mut oracle).unwrap();
        let sequential = SessionDir::new().run(&table, 1, Algorithm::Ddmin, None).0.unwrap();
        prop_assert_eq!(&sequential.failing, &expected);
        prop_assert_eq!(sequential.counts.executed, oracle.tests() as u64);
        for workers in [2, 3, 8] {
            let parallel = SessionDir::new().run(&table, workers, Algorithm::Ddmin, None).0.unwrap();
            prop_assert_eq!(&parallel, &sequential);
        }
    }

    #[test]
    fn dd_gives_the_same_for_every_number_of_workers(table in table()) {
        let full = Configuration::full(table.letters);
        let start = Isolated { passing: Configuration::empty(), failing: full };
        let mut oracle = Memo::of(|c: &Configuration| table.configuration_outcome(c));
        let expected = dd(start, &mut oracle).unwrap();
        let sequential = SessionDir::new().run(&table, 1, Algorithm::Dd, None).0.unwrap();
        prop_assert_eq!(&sequential.failing, &expected.failing);
        prop_assert_eq!(&sequential.passing, &expected.passing);
        prop_assert_eq!(sequential.counts.executed, oracle.tests() as u64);
        for workers in [2, 3, 8] {
            let parallel = SessionDir::new().run(&table, workers, Algorithm::Dd, None).0.unwrap();
            prop_assert_eq!(&parallel, &sequential);
        }
    }

    #[test]
    fn a_search_stopped_at_any_test_and_resumed_ends_with_the_same_result(
        table in table(), workers in 1usize..9, first_limit in 0u64..30
    ) {
        let uninterrupted = SessionDir::new().run(&table, 3, Algorithm::Ddmin, None).0.unwrap();
        let session_dir = SessionDir::new();
        let mut limit = first_limit;
        let resumed = loop {
            let known = journaled_digests(&session_dir.records());
            let (result, started) = session_dir.run(&table, workers, Algorithm::Ddmin, Some(limit));
            for variant in started {
                let digest = Digest::of_bytes(&variant).to_string();
                prop_assert!(!known.contains(&digest), "a test with a journaled outcome ran again");
            }
            match result {
                Ok(result) => break result,
                Err(Stop::MaxTests(_)) => limit += 7,
                Err(other) => panic!("{other}"),
            }
        };
        prop_assert_eq!(resumed.failing, uninterrupted.failing);
        prop_assert_eq!(resumed.steps, uninterrupted.steps);
        prop_assert_eq!(resumed.counts, uninterrupted.counts);
    }

    #[test]
    fn one_worker_runs_no_test_beyond_the_limit(table in table(), limit in 0u64..20) {
        let (result, started) = SessionDir::new().run(&table, 1, Algorithm::Ddmin, Some(limit));
        match result {
            Ok(result) => prop_assert!(result.counts.executed <= limit),
            Err(_) => {
                // Lost jobs are started more than once.
                let distinct: HashSet<Vec<u8>> = started.into_iter().collect();
                prop_assert!(distinct.len() as u64 <= limit);
            }
        }
    }
}

#[test]
fn each_returns_outcomes_in_order_whichever_test_ends_first() {
    let table = Table { letters: 3, outcomes: vec![Outcome::Pass; 8], seed: 3 };
    let outcomes = (0..8).map(|mask| match mask % 3 {
        0 => Outcome::Pass,
        1 => Outcome::Fail,
        _ => Outcome::Unresolved,
    });
    let table = Table { outcomes: outcomes.collect(), ..table };
    let subject = Subject::Text(TextSubject::from_empty(b"abc", &"byte".parse().unwrap()).unwrap());
    let session_dir = SessionDir::new();
    let mut executor = faulty_workers(&table, 4);
    let judge = judge();
    let (journal, _) =
        Journal::open(session_dir.dir.path(), Digest::of_bytes(b"key"), false).unwrap();
    let results = results(session_dir.dir.path().join("out"), None);
    let quorum = Quorum::Count { repeat: 3, needed: 2 };
    let lab = lab(&judge, journal, &[], Steps::default(), None, quorum);
    let mut session = lab.session(&subject, &mut executor, &Arc::new(()), &results);
    let masks = [1u32, 2, 4, 5, 3, 1, 6];
    let sets = masks.map(|mask| Configuration::from_deltas((0..3).filter(|d| mask >> d & 1 == 1)));
    let outcomes = session.each(sets.iter().cloned()).unwrap();
    let expected: Vec<Outcome> = sets.iter().map(|c| table.configuration_outcome(c)).collect();
    assert_eq!(outcomes, expected);
    assert_eq!(session.counts().executed, 6);
    assert_eq!(session.counts().cached, 1);
}
