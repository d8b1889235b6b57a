//! The fuzz case of the paper's Section IV-C at full size: a million random printable bytes, and a
//! program that dies of 516 in a row without a line end.

mod support;

use serde_json::json;
use std::process::Command;
use support::{Place, ran};

const PROGRAM: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv) {
    FILE *in = fopen(argv[1], "r");
    int c, length = 0;
    while (in && (c = getc_unlocked(in)) != EOF)
        if (c == '\n') length = 0;
        else if (++length >= 516) abort();
    return in == NULL;
}
"#;

fn place() -> Place {
    let place = Place::new();
    place.write("ul.c", PROGRAM);
    let mut cc = Command::new("cc");
    let built = ran(cc.current_dir(place.dir.path()).args(["-O2", "-o", "ul", "ul.c"]));
    assert_eq!(built.code, Some(0), "{built:?}");
    let mut random = 516_u64;
    let text = (0..1_000_000).map(|_| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695);
        match (random >> 33) % 96 {
            95 => b'\n',
            printable => b' ' + printable as u8,
        }
    });
    place.write("fuzz.txt", text.collect::<Vec<u8>>());
    place
}

#[test]
fn isolating_takes_at_most_25_tests_and_ends_at_one_byte() {
    let place = place();
    for unit in ["auto", "byte"] {
        let result = place.json(&format!("isolate --fresh --unit {unit} fuzz.txt -- ./ul {{}}"));
        let difference = &result["difference"];
        assert_eq!((&difference["deltas"], &difference["bytes"]), (&json!(1), &json!(1)));
        assert!(result["tests"]["executed"].as_u64().unwrap() <= 25, "{result}");
    }
}

#[test]
fn reducing_by_bytes_ends_at_516_in_less_than_100_megabytes() {
    let place = place();
    // The limit on address space is stricter than one on resident memory.
    let limited = format!(
        "ulimit -v 100000; exec {} reduce --json --algorithm ddmin --unit byte fuzz.txt -- ./ul {{}}",
        env!("CARGO_BIN_EXE_wynot")
    );
    let mut sh = Command::new("sh");
    place.prepare(&mut sh);
    let ran = ran(sh.args(["-c", &limited]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let result = place.read("fuzz.min.txt");
    assert_eq!(result.len(), 516);
    assert!(!result.contains(&b'\n'));
    let value: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(value["minimality"], "1-minimal (byte)");
}
