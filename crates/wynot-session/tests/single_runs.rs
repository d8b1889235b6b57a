//! Flaky rows: the same runs give the same answer for every number of workers, and no run in the journal is repeated.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};
use wynot_core::{Gap, Posterior, Stopped, VersionCounts, bisect_flaky};
use wynot_session::judge::{ExitMeaning, FailureCriteria, JudgeRecord, Quorum, TestJudge};
use wynot_session::{
    Budget, Completion, Counts, CrashCollection, Digest, Ending, Event, Executor, ExecutorError,
    Job, JobId, Journal, Lab, LabParts, Listener, Observation, Output, Record, ResultFiles,
    SingleRuns, Stop, Submitted,
};
use wynot_subjects::{Variant, VersionRow};

const VERSIONS: u32 = 120;

const CULPRIT: u32 = 41;

/// Workers whose runs fail by the digest of the run, in a third of all cases, and end in any order.
struct Workers {
    count: usize,
    seed: u64,
    running: Vec<(JobId, Completion)>,
    started: Vec<Digest>,
}

impl Executor for Workers {
    type Spec = ();

    fn capacity(&self) -> usize {
        self.count - self.running.len()
    }

    fn submit(&mut self, job: Job<()>) -> Result<Submitted, ExecutorError> {
        if job.alone && !self.running.is_empty() {
            return Ok(Submitted::NoSpace);
        }
        let Variant::Version(version) = &*job.variant else {
            panic!("the test uses versions only")
        };
        let chance = u64::from_str_radix(&job.digest.to_string()[..8], 16).unwrap();
        let fails = version.parse::<u32>().unwrap() >= CULPRIT && chance.is_multiple_of(3);
        let observation = Observation {
            ending: Ending::Exit(i32::from(fails)),
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
        // Some runs are contended beside others, and run once more, alone.
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let completion = match !job.alone && (self.seed >> 33).is_multiple_of(8) {
            true => Completion::Contended,
            false => Completion::Observed(Box::new(observation)),
        };
        self.started.push(job.digest);
        self.running.push((job.id, completion));
        Ok(Submitted::Accepted)
    }

    fn cancel(&mut self, _: JobId) -> Result<(), ExecutorError> {
        Ok(())
    }

    fn wait(&mut self, _: Instant) -> Result<Option<(JobId, Completion)>, ExecutorError> {
        self.seed = self.seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        let at = (self.seed >> 33) as usize % self.running.len();
        Ok(Some(self.running.swap_remove(at)))
    }
}

struct Deaf;

impl Listener for Deaf {
    fn on(&mut self, _: &Event<'_>, _: &Counts) {}
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

/// The place of the first failing version, and the outcomes of all versions.
type Answer = (Gap, Vec<VersionCounts>);

/// Runs or resumes a search; returns the answer and the digests of the started runs.
fn search(
    dir: &std::path::Path,
    count: usize,
    max_tests: Option<u64>,
) -> (Result<Answer, Stop>, Vec<Digest>) {
    let list: String = (0..VERSIONS).map(|version| format!("{version}\n")).collect();
    let row = VersionRow::parse(&list, None, None).unwrap();
    let judge = judge();
    let (journal, past) = Journal::open(dir, Digest::of_bytes(b"key"), false).unwrap();
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &past.records,
        budget: Budget::new(max_tests, None, None),
        listener: Box::new(Deaf),
        stop: Arc::new(AtomicBool::new(false)),
        crashes: CrashCollection::default(),
        timeout: Duration::from_secs(1).into(),
        quorum: Quorum::Rate { usual: 0.33 },
    });
    let mut workers =
        Workers { count, seed: count as u64, running: Vec::new(), started: Vec::new() };
    let (runs, nowhere) = (SingleRuns { row: &row }, ResultFiles::nowhere());
    let mut session =
        lab.session(&runs, &mut workers, &Arc::new(()), &nowhere).counting_single_runs();
    let start = Posterior::new(VERSIONS as usize, 16, 48);
    let found = bisect_flaky(start, 0.99, &mut session)
        .map(|posterior| (posterior.located().gap, posterior.counts().to_vec()))
        .map_err(|Stopped { cause, .. }| cause);
    drop(session);
    (found, workers.started)
}

fn journaled(dir: &std::path::Path) -> HashSet<String> {
    let records = Journal::read(dir).unwrap_or_default().records;
    let tests = records.into_iter().filter_map(|record| match record {
        Record::Test(test) => Some(test.digest),
        _ => None,
    });
    tests.collect()
}

#[test]
fn the_answer_and_its_runs_are_the_same_for_every_number_of_workers() {
    let found = |workers| {
        let dir = tempfile::tempdir().unwrap();
        search(dir.path(), workers, None).0.unwrap()
    };
    let sequential = found(1);
    assert_eq!(sequential.0, Gap { passing: CULPRIT as usize - 1, failing: CULPRIT as usize });
    for workers in [2, 3, 8, 40] {
        assert_eq!(found(workers), sequential, "{workers} workers");
    }
}

#[test]
fn a_search_that_is_stopped_again_and_again_repeats_no_run_in_its_journal() {
    let dir = tempfile::tempdir().unwrap();
    let whole = tempfile::tempdir().unwrap();
    let expected = search(whole.path(), 1, None).0.unwrap();
    let mut stops = 0;
    loop {
        let known = journaled(dir.path());
        let (found, started) = search(dir.path(), 1 + stops % 4, Some(7));
        let repeated: BTreeSet<String> = started.iter().map(Digest::to_string).collect();
        assert!(repeated.iter().all(|digest| !known.contains(digest)), "a run was repeated");
        match found {
            Ok(found) => {
                assert_eq!(found, expected);
                break;
            }
            Err(Stop::MaxTests(7)) => stops += 1,
            Err(stop) => panic!("{stop}"),
        }
    }
    assert!(stops >= 3, "{stops}");
}
