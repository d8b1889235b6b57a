//! The session's promise: the same result, steps and counts for every number of slots, whatever tests
//! take how long, and after every interruption.

use proptest::prelude::*;
use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use wynot_core::{
    Configuration, Isolated, Memo, Oracle, Outcome, Stopped, dd, dd_by_levels, ddmin,
    ddmin_by_levels,
};
use wynot_run::{
    Bounds, Collection, Counts, Digest, Ending, Event, Executor, ExecutorError, Finished, Journal,
    Judge, Keeper, Listener, Looked, Observation, Output, Parts, Quorum, Reading, Record, Session,
    Start, Step, Stop, Ticket, Wishes,
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

/// Runs tests in pretended time: each takes as long as a generator says.
struct Pretend<'a> {
    table: &'a Table,
    slots: usize,
    now: u64,
    random: u64,
    running: Vec<(u64, Ticket, Vec<u8>)>,
    cancelled: HashSet<Ticket>,
    started: Vec<Vec<u8>>,
}

impl<'a> Pretend<'a> {
    fn new(table: &'a Table, slots: usize) -> Self {
        Self {
            table,
            slots,
            now: 0,
            random: table.seed ^ slots as u64,
            running: Vec::new(),
            cancelled: HashSet::new(),
            started: Vec::new(),
        }
    }

    fn next_random(&mut self) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        self.random >> 33
    }
}

impl Executor for Pretend<'_> {
    fn idle(&self) -> usize {
        self.slots - self.running.len()
    }

    fn start(
        &mut self,
        ticket: Ticket,
        variant: &Variant,
        _: Duration,
    ) -> Result<Start, ExecutorError> {
        let Variant::Bytes(variant) = variant else { panic!("only texts are tested here") };
        assert!(self.idle() > 0, "started without an idle slot");
        // Now and then there is no room beside other tests.
        if !self.running.is_empty() && self.next_random().is_multiple_of(16) {
            return Ok(Start::NoRoom);
        }
        let duration = 1 + self.next_random() % 100;
        self.running.push((self.now + duration, ticket, variant.to_vec()));
        self.started.push(variant.to_vec());
        Ok(Start::Running)
    }

    fn cancel(&mut self, ticket: Ticket) -> Result<(), ExecutorError> {
        self.cancelled.insert(ticket);
        Ok(())
    }

    fn wait(&mut self, _: Duration) -> Result<Option<(Ticket, Finished)>, ExecutorError> {
        let Some(next) = (0..self.running.len()).min_by_key(|&i| self.running[i].0) else {
            panic!("waiting for nothing");
        };
        let (time, ticket, variant) = self.running.remove(next);
        self.now = time;
        if self.cancelled.remove(&ticket) && self.next_random().is_multiple_of(2) {
            return Ok(Some((ticket, Finished::Cancelled)));
        }
        let code = match self.table.outcome(&variant) {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Unresolved => 2,
        };
        let observation = Observation {
            ending: Ending::Exit(code),
            stdout: Output::default(),
            stderr: Output::default(),
            elapsed: Duration::from_micros(time),
            crash: None,
        };
        Ok(Some((ticket, Finished::Observed(observation))))
    }
}

#[derive(Default)]
struct Steps(Vec<Step>);

impl Listener for Steps {
    fn on(&mut self, event: &Event<'_>, _: &Counts) {
        if let Event::Step { step, .. } = event {
            self.0.push((*step).clone());
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
        let mut executor = Pretend::new(table, slots);
        let looked = Looked {
            reading: Reading::Failure(Ending::Exit(1)),
            same_output: None,
            same_crash: None,
            same_failure: None,
        };
        let judge = Judge::recall(&looked, &Wishes::default());
        let key = Digest::of_bytes(b"key");
        let (mut journal, past) = Journal::open(self.dir.path(), key, false).unwrap();
        let failing = self.dir.path().join("failing");
        let passing = Some(self.dir.path().join("passing"));
        let keeper = Keeper {
            failing: failing.clone(),
            passing,
            mode: 0o644,
            places: Vec::new(),
            tag: String::new(),
        };
        let mut steps = Steps::default();
        let parts = Parts {
            subject: &subject,
            executor: &mut executor,
            judge: &judge,
            journal: &mut journal,
            keeper: &keeper,
            listener: &mut steps,
            interrupt: &AtomicBool::new(false),
            collection: &mut Collection::default(),
        };
        let bounds = Bounds {
            timeout: Duration::from_secs(1),
            max_tests,
            tests_before: 0,
            deadline: None,
            until_size: None,
            quorum: Quorum::default(),
        };
        let mut session = Session::new(parts, bounds, false, &past);
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
            steps: steps.0,
            counts,
            output,
        });
        (shown, executor.started)
    }
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
            Err(_) => prop_assert!(started.len() as u64 <= limit),
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
    let mut executor = Pretend::new(&table, 4);
    let looked = Looked {
        reading: Reading::Failure(Ending::Exit(1)),
        same_output: None,
        same_crash: None,
        same_failure: None,
    };
    let judge = Judge::recall(&looked, &Wishes::default());
    let (mut journal, _) =
        Journal::open(place.dir.path(), Digest::of_bytes(b"key"), false).unwrap();
    let keeper = Keeper {
        failing: place.dir.path().join("out"),
        passing: None,
        mode: 0o644,
        places: Vec::new(),
        tag: String::new(),
    };
    let parts = Parts {
        subject: &subject,
        executor: &mut executor,
        judge: &judge,
        journal: &mut journal,
        keeper: &keeper,
        listener: &mut Steps::default(),
        interrupt: &AtomicBool::new(false),
        collection: &mut Collection::default(),
    };
    let bounds = Bounds {
        timeout: Duration::from_secs(1),
        max_tests: None,
        tests_before: 0,
        deadline: None,
        until_size: None,
        quorum: Quorum::Count { repeat: 3, needed: 2 },
    };
    let mut session = Session::new(parts, bounds, false, &[]);
    let masks = [1u32, 2, 4, 5, 3, 1, 6];
    let sets = masks.map(|mask| Configuration::from_deltas((0..3).filter(|d| mask >> d & 1 == 1)));
    let answers = session.each(sets.iter().cloned()).unwrap();
    let expected: Vec<Outcome> = sets.iter().map(|c| table.of_configuration(c)).collect();
    assert_eq!(answers, expected);
    assert_eq!(session.counts().executed, 6);
    assert_eq!(session.counts().cached, 1);
}
