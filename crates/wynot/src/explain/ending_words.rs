//! The ends of runs in words.

use super::run_observation::observation;
use wynot_crash::{Cause, Crash, Identity};
use wynot_session::Output;
use wynot_state::process::RunEnd;

/// The number of characters of a line that are shown.
const MAX_LINE_CHARS: usize = 80;

/// The end of a run, in words.
pub fn in_words(ending: &RunEnd) -> String {
    let observation = observation(ending.clone());
    let function = ending.crash.as_ref().and_then(Identity::innermost_function);
    let mut words = observation.ending.to_string();
    if let Some(function) = function {
        words.push_str(&format!(" in {function}"));
    }
    if let Some(Crash { cause: Cause::Report(report), .. }) = &ending.crash {
        return format!("{words}: {report}");
    }
    let last = |output: &Output| output.last_lines(1).pop().filter(|line| !line.trim().is_empty());
    match last(&observation.stderr).or_else(|| last(&observation.stdout)) {
        Some(line) => format!("{words}, after \"{}\"", line.trim()),
        None => words,
    }
}

/// The ends of the passing and the failing run, in words that differ: if both end alike, by the first line of their
/// outputs that differs.
pub fn both_in_words(passing: &RunEnd, failing: &RunEnd) -> (String, String) {
    let words = (in_words(passing), in_words(failing));
    if words.0 != words.1 {
        return words;
    }
    let streams = [
        (&passing.stdout, &failing.stdout, "stdout"),
        (&passing.stderr, &failing.stderr, "stderr"),
    ];
    let Some((here, there, stream)) = streams.into_iter().find(|(one, other, _)| one != other)
    else {
        return words;
    };
    let (here, there) = (lines(here), lines(there));
    let equal = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
    let ending = observation(failing.clone()).ending;
    let with_line = |lines: &[&[u8]]| match lines.get(equal) {
        Some(line) => {
            let line: String = String::from_utf8_lossy(line).chars().take(MAX_LINE_CHARS).collect();
            format!("{ending}, with \"{line}\" in line {} of {stream}", equal + 1)
        }
        None => format!("{ending}, without line {} of {stream}", equal + 1),
    };
    (with_line(&here), with_line(&there))
}

/// The number of places in which the outputs of two runs differ: lines in a row count once.
pub fn output_differences(passing: &RunEnd, failing: &RunEnd) -> usize {
    let stdout = differing_stretches(&lines(&passing.stdout), &lines(&failing.stdout));
    stdout + differing_stretches(&lines(&passing.stderr), &lines(&failing.stderr))
}

fn differing_stretches(here: &[&[u8]], there: &[&[u8]]) -> usize {
    let equal = |(one, other): &(&&[u8], &&[u8])| one == other;
    let before = here.iter().zip(there).take_while(equal).count();
    let (here, there) = (&here[before..], &there[before..]);
    let after = here.iter().rev().zip(there.iter().rev()).take_while(equal).count();
    let (here, there) = (&here[..here.len() - after], &there[..there.len() - after]);
    if here.len() != there.len() {
        return 1;
    }
    let differs: Vec<bool> = here.iter().zip(there).map(|(one, other)| one != other).collect();
    differs.chunk_by(|one, other| one == other).filter(|stretch| stretch[0]).count()
}

fn lines(output: &[u8]) -> Vec<&[u8]> {
    output.split(|byte| *byte == b'\n').collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_state::process::ExitStatus;

    fn printed(stdout: &str) -> RunEnd {
        RunEnd {
            status: ExitStatus::Exit(0),
            crash: None,
            stdout: stdout.into(),
            stderr: Vec::new(),
            asked_for_terminal: false,
        }
    }

    #[test]
    fn runs_that_end_alike_are_told_apart_by_the_first_line_that_differs() {
        let words = both_in_words(&printed("a\nb\nc\n"), &printed("a\nx\nc\n"));
        assert_eq!(words.0, "exit 0, with \"b\" in line 2 of stdout");
        assert_eq!(words.1, "exit 0, with \"x\" in line 2 of stdout");
        assert_eq!(both_in_words(&printed("1"), &printed("2")).0, "exit 0, after \"1\"");
    }

    #[test]
    fn lines_in_a_row_that_differ_are_one_place() {
        let count = |one: &str, other: &str| output_differences(&printed(one), &printed(other));
        assert_eq!(count("a\nb\nc\nd", "a\nx\ny\nd"), 1);
        assert_eq!(count("a\nb\nc\nd", "x\nb\nc\ny"), 2);
        assert_eq!(count("a\nb", "a\nb\nc"), 1);
        assert_eq!(count("a", "a"), 0);
    }
}
