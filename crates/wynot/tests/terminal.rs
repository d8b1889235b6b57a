//! The live view and its keys, on a real terminal.

mod support;

use std::io::Write;
use std::process::{Command, Stdio};
use std::time::Duration;
use support::{Place, Ran};
use wynot_test_support::{Tool, require};

/// A reduction that takes about a hundred tests of 20 ms.
fn place() -> Place {
    let place = Place::new();
    let text: String = (0..40).map(|i| format!("int v{i} = {i};\n")).collect();
    place.write("in.c", text);
    place.script("t", "sleep 0.02; ! { grep -q v7 \"$1\" && grep -q v31 \"$1\"; }");
    place
}

/// Runs wynot on a terminal of its own and presses keys, each after some milliseconds.
fn on_terminal(place: &Place, args: &str, keys: &[(u64, &str)]) -> Ran {
    let mut command = Command::new("script");
    place.prepare(&mut command);
    let wynot = env!("CARGO_BIN_EXE_wynot");
    let line =
        format!("trap : INT; stty rows 30 cols 80; {wynot} {args}; code=$?; stty -a; exit $code");
    command.args(["-qec", &line, "/dev/null"]).env("TERM", "xterm").env("SHELL", "/bin/sh");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut keyboard = child.stdin.take().unwrap();
    for (wait, key) in keys {
        std::thread::sleep(Duration::from_millis(*wait));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        // Whoever has ended already needs no keys.
        let _ = keyboard.write_all(key.as_bytes());
    }
    let output = child.wait_with_output().unwrap();
    drop(keyboard);
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

#[test]
fn the_view_shows_sizes_curve_pass_and_text_and_leaves_the_terminal_as_it_was() {
    require!(Tool::Script);
    let place = place();
    let ran = on_terminal(&place, "reduce -j 1 in.c -- ./t {}", &[]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    for shown in [" gone)", "█", " tests, ", "gaining", "int v", "s: skip this pass · q: stop"] {
        assert!(ran.stdout.contains(shown), "{shown} is not in {ran:?}");
    }
    let (_, modes) = ran.stdout.split_once("result: in.min.c").unwrap();
    assert!(modes.contains(" icanon") && modes.contains(" echo "), "{modes}");
}

#[test]
fn q_stops_and_keeps_the_result() {
    require!(Tool::Script);
    let place = place();
    let ran = on_terminal(&place, "reduce -j 1 in.c -- ./t {}", &[(700, "xq")]);
    assert_eq!(ran.code, Some(130), "{ran:?}");
    assert!(ran.stdout.contains("the best so far is in in.min.c"), "{ran:?}");
    let (small, large) = (place.text("in.min.c"), place.text("in.c"));
    assert!(small.contains("v7") && small.contains("v31") && small.len() <= large.len());
    assert!(ran.stdout.contains(" icanon"), "{ran:?}");
}

#[test]
fn a_search_whose_every_pass_is_skipped_proves_nothing() {
    require!(Tool::Script);
    let place = Place::new();
    place.write("in.txt", "x y z");
    place.script("t", "sleep 0.3; ! grep -q 'x.*z' \"$1\"");
    let keys = [(50, "s"); 200];
    let ran = on_terminal(&place, "reduce -j 1 --timeout 9s in.txt -- ./t {}", &keys);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(ran.stdout.contains("the last checks were skipped"), "{ran:?}");
    assert!(!ran.stdout.contains("1-minimal"), "{ran:?}");
}

#[test]
fn an_interrupted_view_restores_the_terminal() {
    require!(Tool::Script);
    let place = place();
    // Two in a row: the second one ends wynot at once.
    let ran = on_terminal(&place, "reduce -j 1 in.c -- ./t {}", &[(700, "\x03\x03")]);
    assert!(ran.stdout.contains(" icanon"), "{ran:?}");
}
