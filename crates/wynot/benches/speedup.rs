//! The speed-up of a reduction by the number of workers, in virtual time, from the record of a finished session.
//!
//! `cargo bench -p wynot --bench speedup -- [--plot FILE.svg] [--workers 1,64] NAME=INPUT,JOURNAL...` runs the reducer on the input of a
//! session once for each number of workers. The journal of the session gives the outcome and the duration of each test.
//! A variant that is not in the record is one that only look-ahead proposes, on a branch that the reduction does not
//! take; its test is unresolved and takes as long as that of the recorded variant of the nearest size. `docs/scaling.md` says how to record sessions.

#[path = "speedup/plot.rs"]
mod plot;

use plot::Series;
use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wynot_core::Outcome;
use wynot_exec::own_cpu;
use wynot_reduce::{NoHooks, reduce};
use wynot_session::judge::{ExitMeaning, FailureCriteria, JudgeRecord, Quorum, TestJudge};
use wynot_session::{
    Budget, Completion, Counts, CrashCollection, Digest, Ending, Event, Journal, Lab, LabParts,
    Listener, Observation, Output, Record, ResultFiles, Step, Texts, VirtualTime,
};
use wynot_subjects::{Language, Variant};

/// The numbers of workers that are measured.
const WORKERS: [usize; 6] = [1, 4, 16, 64, 256, 1024];

/// The duration of each test where all take the same time.
const EQUAL_DURATION: Duration = Duration::from_millis(100);

/// What a finished session says about one input.
struct Recorded {
    name: String,
    input: Vec<u8>,
    language: &'static Language,
    tests: HashMap<Digest, (Outcome, Duration)>,
    /// The duration of the last test of a variant of each size.
    durations: BTreeMap<usize, Duration>,
}

impl Recorded {
    /// Reads the input and the directory or file of the journal.
    fn read(argument: &str) -> Self {
        let (name, paths) = argument.split_once('=').expect("NAME=INPUT,JOURNAL");
        let (input_path, journal) = paths.split_once(',').expect("NAME=INPUT,JOURNAL");
        let directory = Path::new(journal).parent().unwrap();
        let input = std::fs::read(input_path).unwrap();
        let language = Language::guess(Path::new(input_path), &input);
        let (mut tests, mut durations) = (HashMap::new(), BTreeMap::new());
        for record in Journal::read(directory).unwrap().records {
            if let Record::Test(test) = record {
                let outcome = match test.outcome.as_str() {
                    "fail" => Outcome::Fail,
                    "pass" => Outcome::Pass,
                    _ => Outcome::Unresolved,
                };
                let duration = Duration::from_micros(test.micros);
                durations.insert(test.bytes as usize, duration);
                tests.insert(Digest::parse(&test.digest).unwrap(), (outcome, duration));
            }
        }
        Self { name: name.to_owned(), input, language, tests, durations }
    }

    /// A small case for which every text has an outcome: a text fails if it has some words in order.
    fn built_in() -> Self {
        let input: String = (0..12)
            .map(|n| format!("int f{n}(int x) {{ int y = x + {n}; return y * f{}(y); }}\n", n / 2))
            .collect();
        let language = Language::named("c").unwrap();
        let (name, input) = ("built-in".to_owned(), input.into_bytes());
        Self { name, input, language, tests: HashMap::new(), durations: BTreeMap::new() }
    }

    /// The outcome and the duration of a variant.
    fn test(&self, variant: &Variant) -> (Outcome, Duration) {
        let Variant::Bytes(text) = variant else { panic!("the case is a text") };
        if self.tests.is_empty() {
            let text = String::from_utf8_lossy(text);
            let found = ["f7", "x", "*", "f3"]
                .iter()
                .try_fold(0, |at, word| text[at..].find(word).map(|found| at + found + word.len()));
            let spread = text.len() as u64 * 7 % 50;
            return (Outcome::fails_if(found.is_some()), Duration::from_millis(10 + spread));
        }
        let known = self.tests.get(&Digest::of(variant)).copied();
        known.unwrap_or_else(|| (Outcome::Unresolved, self.duration_of_size(text.len())))
    }

    /// The duration of the test of the recorded variant whose size is nearest.
    fn duration_of_size(&self, size: usize) -> Duration {
        let smaller = self.durations.range(..=size).next_back();
        let larger = self.durations.range(size..).next();
        let nearest = smaller.into_iter().chain(larger).min_by_key(|entry| entry.0.abs_diff(size));
        nearest.map_or(EQUAL_DURATION, |entry| *entry.1)
    }
}

/// The steps of a search, as its listener sees them.
#[derive(Clone, Default)]
struct Steps(Arc<Mutex<Vec<Step>>>);

impl Listener for Steps {
    fn on(&mut self, event: &Event<'_>, _: &Counts) {
        if let Event::Step { step, .. } = event {
            self.0.lock().unwrap().push((*step).clone());
        }
    }
}

/// What must not depend on the number of workers.
#[derive(Debug, PartialEq)]
struct Found {
    text: Vec<u8>,
    steps: Vec<Step>,
    executed: u64,
}

/// One run of the reducer.
struct Run {
    found: Found,
    elapsed: Duration,
    started: u64,
    cpu: Duration,
}

/// Reduces the input of a session on some workers, with equal or recorded durations.
fn run(recorded: &Recorded, workers: usize, equal: bool) -> Run {
    let directory = tempfile::tempdir().unwrap();
    let (same_output, same_crash, original, known_errors) = Default::default();
    let exit_meaning = ExitMeaning::Failure(Ending::Exit(1));
    let limits = Vec::new();
    let record =
        JudgeRecord { exit_meaning, same_output, same_crash, original, known_errors, limits };
    let judge = TestJudge::from_record(&record, &FailureCriteria::default(), Default::default());
    let key = Digest::of_bytes(b"benchmark");
    let (journal, _) = Journal::open(directory.path(), key, false).unwrap();
    let steps = Steps::default();
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &[],
        budget: Budget::default(),
        listener: Box::new(steps.clone()),
        stop: Arc::new(AtomicBool::new(false)),
        crashes: CrashCollection::default(),
        timeout: Duration::from_secs(10).into(),
        quorum: Quorum::default(),
    });
    let mut executor = VirtualTime::new(workers, |variant: &Variant| {
        let (outcome, duration) = recorded.test(variant);
        let completion = Completion::Observed(Box::new(observation(outcome)));
        (completion, if equal { EQUAL_DURATION } else { duration })
    });
    let results = ResultFiles { failing: directory.path().join("out"), ..ResultFiles::nowhere() };
    let texts = Texts { original: &recorded.input };
    let cpu = own_cpu();
    let mut session = lab.session(&texts, &mut executor, &Arc::new(()), &results);
    let reduced = reduce(&recorded.input, recorded.language, &NoHooks, &mut session);
    let text = reduced.unwrap_or_else(|_| panic!("no search here is stopped")).text;
    let executed = session.counts().executed;
    drop(session);
    let cpu = own_cpu() - cpu;
    let steps = steps.0.lock().unwrap().clone();
    let found = Found { text, steps, executed };
    Run { found, elapsed: executor.now(), started: executor.started(), cpu }
}

/// A run with this outcome.
fn observation(outcome: Outcome) -> Observation {
    Observation {
        ending: Ending::Exit(match outcome {
            Outcome::Pass => 0,
            Outcome::Fail => 1,
            Outcome::Unresolved => 2,
        }),
        stdout: Output::default(),
        stderr: Output::default(),
        elapsed: Duration::ZERO,
        cpu: Duration::ZERO,
        waited: Duration::ZERO,
        memory: 0,
        build: Duration::ZERO,
        crash: None,
        read: None,
    }
}

/// Measures a case for all numbers of workers, prints a table, and returns the speed-ups.
fn measure(recorded: &Recorded, workers: &[usize], equal: bool) -> Vec<f64> {
    let durations = if equal { "equal" } else { "recorded" };
    let one = run(recorded, 1, equal);
    let Found { text, steps, executed } = &one.found;
    println!(
        "\n{}, {durations} durations: {} bytes after {executed} tests, {} accepted\n",
        recorded.name,
        text.len(),
        steps.len()
    );
    println!("| workers | speed-up | tests started | own CPU per started test |");
    println!("|---:|---:|---:|---:|");
    let mut speedups = Vec::new();
    for &count in workers {
        let here = run(recorded, count, equal);
        assert_eq!(here.found, one.found, "{count} workers find something else than one");
        let speedup = one.elapsed.as_secs_f64() / here.elapsed.as_secs_f64();
        let cpu = here.cpu.as_secs_f64() * 1000.0 / here.started as f64;
        println!("| {count} | {speedup:.1} | {} | {cpu:.3} ms |", here.started);
        speedups.push(speedup);
    }
    speedups
}

/// The mean of the speed-ups of several cases, by the number of workers.
fn means(cases: &[Vec<f64>]) -> Vec<f64> {
    let mean = |at: usize| cases.iter().map(|case| case[at]).sum::<f64>() / cases.len() as f64;
    (0..cases[0].len()).map(mean).collect()
}

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_bench = arguments.iter().any(|argument| argument == "--bench");
    arguments.retain(|argument| argument != "--bench");
    let mut option = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.remove(at);
        Some(arguments.remove(at))
    };
    let plot_file = option("--plot");
    let workers: Vec<usize> = match option("--workers") {
        Some(list) => list.split(',').map(|count| count.parse().unwrap()).collect(),
        None => WORKERS.to_vec(),
    };
    if !is_bench || arguments.is_empty() {
        // Cargo runs benchmarks as tests too; one short round shows that they work.
        measure(&Recorded::built_in(), &[1, 7, 64], true);
        measure(&Recorded::built_in(), &[1, 7, 64], false);
        return;
    }
    let cases: Vec<Recorded> = arguments.iter().map(|case| Recorded::read(case)).collect();
    let mut series = Vec::new();
    for equal in [true, false] {
        let speedups: Vec<Vec<f64>> =
            cases.iter().map(|case| measure(case, &workers, equal)).collect();
        let means = means(&speedups);
        let durations = if equal { "equal durations" } else { "recorded durations" };
        println!("\nmean of all cases, {durations}:");
        for (workers, mean) in workers.iter().zip(&means) {
            println!("{workers} workers: {mean:.1}");
        }
        for (case, speedups) in cases.iter().zip(speedups) {
            series.push(Series { name: case.name.clone(), equal, speedups });
        }
        series.push(Series { name: "mean".to_owned(), equal, speedups: means });
    }
    if let Some(path) = plot_file {
        std::fs::write(path, plot::svg(&workers, &series)).unwrap();
    }
}
