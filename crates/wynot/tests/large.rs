//! Inputs of many megabytes, and a million brackets deep, in memory of a few times their size.

mod support;

use std::process::Command;
use support::{Place, ran};
use wynot_test_support::{Tool, require};

/// Runs wynot under a parent that prints the most memory one of its processes had.
const WATCH: &str = "import resource, subprocess, sys
code = subprocess.call(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)";

/// Reduces an input to what is needed; neither tests nor memory, beyond what a single byte takes, may
/// exceed what is allowed.
#[track_caller]
fn reduces(name: &str, input: &[u8], needed: &str, tests: u64) {
    let (used, memory) = reduce(name, input, needed);
    assert!(used <= tests, "{name}: {used} tests");
    let (_, least) = reduce("x", b"x", "x");
    let memory = memory.saturating_sub(least);
    assert!(memory < 10 * input.len(), "{name}: {memory} bytes for {} of input", input.len());
}

/// Reduces an input to what is needed; how many tests and how many bytes of memory that took.
#[track_caller]
fn reduce(name: &str, input: &[u8], needed: &str) -> (u64, usize) {
    let place = Place::new();
    place.write(name, input);
    let mut command = Command::new("python3");
    place.prepare(&mut command);
    command.args(["-c", WATCH, env!("CARGO_BIN_EXE_wynot"), "reduce", "--json", name, "--"]);
    command.args(["grep", "-aq", needed, "{}"]);
    let ran = ran(&mut command);
    assert_eq!(ran.code, Some(0), "{name}: {ran:?}");
    let (result, memory) = ran.stdout.split_once('\n').unwrap();
    let result: serde_json::Value = serde_json::from_str(result).unwrap();
    assert_eq!(result["bytes"]["after"], needed.len(), "{name}: {result}");
    let used = result["tests"]["executed"].as_u64().unwrap();
    (used, memory.trim().parse::<usize>().unwrap() * 1024)
}

#[test]
fn ten_megabytes_of_json() {
    require!(Tool::Python);
    let record = |i: u32| {
        let note = if i == 31_234 { "needle" } else { "lorem ipsum dolor sit amet" };
        format!(
            " {{\n  \"id\": {i},\n  \"tags\": [\n   \"a{i}\",\n   \"b\"\n  ],\n  \"geo\": [\n   0.{i},\n   \
             1.5\n  ],\n  \"ok\": true,\n  \"note\": \"{note}\"\n }}"
        )
    };
    let records: Vec<String> = (0..75_000).map(record).collect();
    let text = format!("[\n{}\n]\n", records.join(",\n"));
    assert!(text.len() > 10_000_000, "{}", text.len());
    reduces("records.json", text.as_bytes(), "needle", 100);
}

#[test]
fn ten_megabytes_of_json_on_one_line() {
    require!(Tool::Python);
    let text = format!("[{}needle{}]", "1,".repeat(3_000_000), ",2".repeat(2_000_000));
    reduces("dense.json", text.as_bytes(), "needle", 100);
}

#[test]
fn a_log_of_ten_megabytes() {
    require!(Tool::Python);
    let line = |i: u32| match i {
        77_777 => "12:00:01 worker 7 panicked: needle\n".to_owned(),
        _ => format!("12:00:{:02} worker {} served request {i} in {} ms\n", i % 60, i % 16, i % 97),
    };
    let text: String = (0..230_000).map(line).collect();
    assert!(text.len() > 10_000_000, "{}", text.len());
    reduces("server.log", text.as_bytes(), "needle", 100);
}

#[test]
fn a_million_brackets_deep() {
    require!(Tool::Python);
    for (name, open, close) in [("deep.txt", "(", ")"), ("deep.json", "[", "]")] {
        let text = format!("{}1{}", open.repeat(1_000_000), close.repeat(1_000_000));
        reduces(name, text.as_bytes(), "1", 300);
    }
}

#[test]
fn five_megabytes_of_binary() {
    require!(Tool::Python);
    let mut state = 1u64;
    let mut bytes: Vec<u8> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    })
    .take(5_000_000)
    .collect();
    bytes[3_141_592..3_141_598].copy_from_slice(b"needle");
    reduces("core.bin", &bytes, "needle", 100);
}
