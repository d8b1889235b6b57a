//! Inputs that no grammar understands and that are expensive to look at: searches begin soon, and end when they are
//! asked to.

mod support;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use support::Place;
use wynot_test_support::HostileText;

/// The goal is a second on an idle machine. Without an answer, it would be minutes or hours.
const LONGEST_ANSWER: Duration = Duration::from_secs(20);

/// A text with a line in its middle that the test needs.
fn with_needle(kind: HostileText, bytes: usize) -> Vec<u8> {
    let text = kind.text(bytes);
    let (start, end) = text.split_at(bytes / 2);
    [start, b"\nneedle;\n", end].concat()
}

#[test]
fn a_text_that_is_not_understood_is_reduced_and_a_line_says_so() {
    let place = Place::new();
    place.write("in.c", with_needle(HostileText::Casts, 500_000));
    let ran = place.wynot("reduce in.c --fail-when exit=0 -- grep -q needle in.c");
    let said = "wynot: the text is not understood as c: its brackets and lines are used instead";
    ran.ends(0, said);
    assert_eq!(ran.stderr.matches(said).count(), 1, "{ran:?}");
    assert_eq!(place.text("in.min.c"), "needle");
    place.write("understood.c", "int f(void) { return 1; }\nint needle;\n");
    let ran = place.wynot("reduce understood.c --fail-when exit=0 -- grep -q needle understood.c");
    assert!(!ran.stderr.contains("not understood"), "{ran:?}");
}

/// Sends a signal to a process. A shell does it: the command `kill` is not installed everywhere.
fn send(signal: &str, process: &Child) {
    let mut sh = Command::new("sh");
    sh.args(["-c", "kill -$0 $1", signal]).arg(process.id().to_string());
    assert!(sh.status().unwrap().success());
}

/// Waits until a process has ended, and returns its exit code.
fn wait_for_end(process: &mut Child, what: &str) -> Option<i32> {
    let signalled = Instant::now();
    loop {
        if let Some(status) = process.try_wait().unwrap() {
            return status.code();
        }
        if signalled.elapsed() > LONGEST_ANSWER {
            process.kill().unwrap();
            process.wait().unwrap();
            panic!("{what}: no answer to a signal");
        }
        sleep(Duration::from_millis(5));
    }
}

/// Reading, differences, parsing, the first runs, passes: a signal can come at any moment.
#[test]
fn a_signal_is_answered_at_any_moment() {
    let place = Place::new();
    place.write("declarations.c", with_needle(HostileText::Declarations, 2_000_000));
    place.write("tokens.c", with_needle(HostileText::Tokens, 1_000_000));
    place.write("brackets.js", with_needle(HostileText::Brackets, 1_000_000));
    place.write("old", HostileText::Tokens.text(1_000_000));
    place.write("new", with_needle(HostileText::Macros, 1_000_000));
    let json = (0..100_000).map(|n| format!("{{\"n\": {n}, \"needle\": [1, {{}}]}}"));
    place.write("in.json", format!("[{}]", json.collect::<Vec<_>>().join(",")));
    let searches = [
        "reduce declarations.c -- grep -q needle declarations.c",
        "reduce tokens.c -- grep -q needle tokens.c",
        "reduce brackets.js -- grep -q needle brackets.js",
        "isolate --passing old new --unit char -- grep -q needle new",
        "reduce in.json --unit json -- grep -q needle in.json",
    ];
    for (search, signal) in searches.iter().zip(["INT", "TERM"].iter().cycle()) {
        for millis in [10, 100, 400, 1_000, 2_000] {
            let mut command = place.interruptible();
            command.args(search.replace(" -- ", " --fresh --fail-when exit=0 -- ").split(' '));
            let mut wynot = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            sleep(Duration::from_millis(millis));
            send(signal, &wynot);
            let what = format!("{search} after {millis} ms");
            let code = wait_for_end(&mut wynot, &what);
            // No code: the signal came before it was handled. 0: the search had ended.
            assert!(matches!(code, None | Some(0 | 130)), "{what}: {code:?}");
        }
    }
}
