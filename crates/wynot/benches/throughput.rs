//! Test throughput as a ratio to a bare spawn loop in the same run, and speed-up by slots.
//!
//! `cargo bench -p wynot --bench throughput` prints one line per figure. Rounds of both kinds alternate,
//! so that whatever else the machine does hits both; the median round counts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};
use wynot::Silent;
use wynot_core::{Configuration, Oracle};
use wynot_exec::{
    Isolation, Limits, Local, LocalOptions, TestCommand, TestSpec, VariantForm, own_cpu,
};
use wynot_session::judge::{ExitMeaning, FailureCriteria, JudgeRecord, Quorum, TestJudge};
use wynot_session::{
    Budget, Completion, CrashCollection, Digest, Ending, Executor, Journal, Lab, LabParts,
    Observation, Output, ResultFiles, VirtualTime,
};
use wynot_subjects::{Subject, TextSubject, Variant};

const ROUNDS: usize = 7;

/// Starts a program `count` times on `threads` threads and nothing else.
fn bare_loop(program: &str, count: u32, threads: u32) -> Duration {
    let started = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                for _ in 0..count / threads {
                    let mut command = Command::new(program);
                    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
                    command.status().unwrap();
                }
            });
        }
    });
    started.elapsed()
}

/// Tests `count` distinct variants of a text of `size` bytes with real processes: the time, and wynot's own processor
/// time per test.
fn session(words: &[&str], count: u32, jobs: usize, size: usize) -> (Duration, Duration) {
    let here = tempfile::tempdir().unwrap();
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let spec = Arc::new(TestSpec {
        command: TestCommand::new(&words, None, &["input".into()], here.path()).unwrap(),
        form: VariantForm::File,
        name: PathBuf::from("input"),
        mode: 0o644,
        project: None,
        keeps_products: false,
        records_reads: false,
        limits: Limits::default(),
        isolation: Isolation::default(),
        crashes: None,
        variant_size: size as u64,
    });
    let own = PathBuf::from(env!("CARGO_BIN_EXE_wynot"));
    let supervisor = (own, vec!["__supervise".into()]);
    let mut executor = Local::new(LocalOptions { supervisor, jobs, scratch: None }, &spec).unwrap();
    let cpu = own_cpu();
    let elapsed = test_variants(count, size, here.path(), &mut executor, &spec);
    let used = own_cpu() - cpu + executor.own_cpu();
    (elapsed, used / count)
}

/// Tests `count` distinct variants on simulated workers: wynot's own processor time per test.
fn simulated(count: u32, workers: usize, size: usize) -> Duration {
    let here = tempfile::tempdir().unwrap();
    let run = |variant: &Variant| {
        let observation = Observation {
            ending: Ending::Exit(0),
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
        // Durations differ by a factor of 100, so that tests end in another order than they begin.
        let size = variant.size()
            + u64::from(variant.beginning(8).iter().map(|b| u32::from(*b)).sum::<u32>());
        (Completion::Observed(Box::new(observation)), Duration::from_millis(10 + size % 1000))
    };
    let mut executor = VirtualTime::new(workers, run);
    let cpu = own_cpu();
    test_variants(count, size, here.path(), &mut executor, &Arc::new(()));
    (own_cpu() - cpu) / count
}

/// Everything a search does for each test, for `count` distinct variants of a text of `size` bytes.
fn test_variants<E: Executor>(
    count: u32,
    size: usize,
    directory: &Path,
    executor: &mut E,
    spec: &Arc<E::Spec>,
) -> Duration {
    let text: Vec<u8> = (0..size).map(|i| b'a' + (i * 7 % 26) as u8).collect();
    let subject = Subject::Text(TextSubject::from_empty(&text, &"byte".parse().unwrap()).unwrap());
    let record = JudgeRecord {
        exit_meaning: ExitMeaning::Failure(Ending::Exit(1)),
        same_output: None,
        same_crash: None,
        original: None,
        known_errors: None,
        limits: Vec::new(),
    };
    let judge = TestJudge::from_record(&record, &FailureCriteria::default(), Default::default());
    let key = Digest::of_bytes(b"benchmark");
    let (journal, _) = Journal::open(directory, key, false).unwrap();
    let lab = Lab::new(LabParts {
        judge: &judge,
        journal,
        past: &[],
        budget: Budget::default(),
        listener: Box::new(Silent),
        stop: Arc::new(AtomicBool::new(false)),
        crashes: CrashCollection::default(),
        timeout: Duration::from_secs(10).into(),
        quorum: Quorum::default(),
    });
    let results = ResultFiles { failing: directory.join("out"), ..ResultFiles::nowhere() };
    let mut session = lab.session(&subject, executor, spec, &results);
    let all = Configuration::full(size as u32);
    let variants =
        (0..count).map(|i| all.difference(&Configuration::from([i, size as u32 / 2 + i])));
    let started = Instant::now();
    session.each(variants).unwrap();
    assert_eq!(session.counts().executed, u64::from(count));
    started.elapsed()
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    // Cargo runs benchmarks as tests too; one short round shows that they work.
    let short = !std::env::args().any(|arg| arg == "--bench");
    let rounds = if short { 1 } else { ROUNDS };
    let count = if short { 40 } else { 1000 };

    for slots in [1u32, 2] {
        let ratios = (0..rounds).map(|_| {
            let bare = bare_loop("true", count, slots);
            let (ours, _) = session(&["true"], count, slots as usize, 4000);
            bare.as_secs_f64() / ours.as_secs_f64()
        });
        let ratio = median(ratios.collect());
        let (elapsed, _) = session(&["true"], count, slots as usize, 4000);
        let rate = f64::from(count) / elapsed.as_secs_f64();
        println!(
            "throughput of true, {slots} slots: {ratio:.2} of a bare spawn loop ({rate:.0} tests/s)"
        );
    }

    let slow = if short { 8 } else { 100 };
    let speedups = (0..rounds.min(3)).map(|_| {
        let (one, _) = session(&["sleep", "0.02"], slow, 1, 4000);
        let (two, _) = session(&["sleep", "0.02"], slow, 2, 4000);
        one.as_secs_f64() / two.as_secs_f64()
    });
    println!("speed-up by 2 slots, tests of 20 ms: {:.2}", median(speedups.collect()));

    for size in [1000, 100_000, 1_000_000] {
        let per_test = (0..rounds.min(3)).map(|_| {
            let (_, cpu) = session(&["true"], count.min(400), 2, size);
            cpu.as_secs_f64() * 1000.0
        });
        println!("own CPU per test at {size} bytes: {:.3} ms", median(per_test.collect()));
    }

    for workers in [2, 1000] {
        let per_test = (0..rounds.min(3)).map(|_| {
            let cpu = simulated(count.max(if short { 40 } else { 4000 }), workers, 10_000);
            cpu.as_secs_f64() * 1000.0
        });
        let per_test = median(per_test.collect());
        println!("own CPU per test with {workers} simulated jobs in flight: {per_test:.3} ms");
    }
}
