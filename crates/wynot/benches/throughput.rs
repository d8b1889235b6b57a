//! Test throughput as a ratio to a bare spawn loop in the same run, and speed-up by slots.
//!
//! `cargo bench -p wynot --bench throughput` prints one line per figure. Rounds of both kinds alternate,
//! so that whatever else the machine does hits both; the median round counts.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread;
use std::time::{Duration, Instant};
use wynot_core::{Configuration, Oracle};
use wynot_run::{
    Bounds, Collection, Counts, Digest, Ending, Event, Form, Journal, Judge, Keeper, Limits,
    Listener, Local, LocalSetup, Looked, Parts, Quorum, Reading, Session, TestCommand, Wishes,
    own_cpu,
};
use wynot_subjects::{Subject, TextSubject};

const ROUNDS: usize = 7;

struct Nobody;

impl Listener for Nobody {
    fn on(&mut self, _: &Event<'_>, _: &Counts) {}
}

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

/// Tests `count` distinct variants of a text of `size` bytes: everything a search does for each.
fn session(words: &[&str], count: u32, slots: usize, size: usize) -> (Duration, Duration) {
    let here = tempfile::tempdir().unwrap();
    let text: Vec<u8> = (0..size).map(|i| b'a' + (i * 7 % 26) as u8).collect();
    let subject = Subject::Text(TextSubject::from_empty(&text, &"byte".parse().unwrap()).unwrap());
    let words: Vec<OsString> = words.iter().map(OsString::from).collect();
    let command = TestCommand::new(&words, None, &["input".into()], here.path()).unwrap();
    let own = PathBuf::from(env!("CARGO_BIN_EXE_wynot"));
    let mut executor = Local::new(&LocalSetup {
        supervisor: (own, vec!["__supervise".into()]),
        command: &command,
        form: Form::File,
        name: Path::new("input"),
        mode: 0o644,
        project: None,
        limits: Limits::default(),
        sandbox: false,
        keeps_products: false,
        crashes: None,
        slots,
        scratch: None,
        variant_size: size as u64,
    })
    .unwrap();
    let looked = Looked {
        reading: Reading::Failure(Ending::Exit(1)),
        same_output: None,
        same_crash: None,
        same_failure: None,
    };
    let judge = Judge::recall(&looked, &Wishes::default());
    let key = Digest::of_bytes(b"benchmark");
    let (mut journal, _) = Journal::open(here.path(), key, false).unwrap();
    let keeper = Keeper {
        failing: here.path().join("out"),
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
        listener: &mut Nobody,
        interrupt: &AtomicBool::new(false),
        collection: &mut Collection::default(),
    };
    let bounds = Bounds {
        timeout: Duration::from_secs(10),
        max_tests: None,
        tests_before: 0,
        deadline: None,
        until_size: None,
        quorum: Quorum::default(),
    };
    let mut session = Session::new(parts, bounds, false, &[]);
    let all = Configuration::full(size as u32);
    let variants =
        (0..count).map(|i| all.difference(&Configuration::from_deltas([i, size as u32 / 2 + i])));
    let (started, cpu) = (Instant::now(), own_cpu());
    session.each(variants).unwrap();
    let elapsed = started.elapsed();
    assert_eq!(session.counts().executed, u64::from(count));
    drop(session);
    let used = own_cpu() - cpu + executor.own_cpu();
    (elapsed, used / count)
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
}
