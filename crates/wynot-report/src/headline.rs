//! The result in a sentence, and what is known about it.

use crate::Story;
use crate::number::{count, gone, grouped};
use wynot_session::{Certificate, EndStatus, Extremum};

/// The result in one sentence.
pub(crate) fn headline(story: &Story) -> String {
    let input = match story.run.command.as_str() {
        "changes" => story.run.excerpt.trim(),
        _ => &story.run.input,
    };
    let said = if story.isolates() { isolated(story) } else { reduced(story) };
    let tests = match &story.end {
        Some(end) => format!(" in {}", count(end.tests.executed, "test")),
        None => " so far".to_owned(),
    };
    format!("{input}: {said}{tests}")
}

fn reduced(story: &Story) -> String {
    let (before, after) = (story.run.bytes, story.failing_bytes());
    if before == after {
        return format!("{}, none gone", count(before, "byte"));
    }
    let shrunk =
        if after < before { format!(" ({} gone)", gone(before, after)) } else { String::new() };
    format!("{} → {}{shrunk}", grouped(before), count(after, "byte"))
}

fn isolated(story: &Story) -> String {
    let (all, left) = (grouped(story.run.deltas), story.difference());
    let deltas = count(left, "delta");
    match &story.end {
        Some(end) if end.status == EndStatus::Minimal => {
            let verb = if left == 1 { "decides" } else { "decide" };
            format!("{deltas} of {all} {verb}, found")
        }
        _ => format!("narrowed to {deltas} of {all}"),
    }
}

/// How the run ended, and what that means for the result.
#[derive(Debug, PartialEq)]
pub(crate) struct Standing {
    /// One word.
    pub word: String,
    /// What it means.
    pub meaning: String,
    /// Whether the search has come to its end.
    pub settled: bool,
}

impl Standing {
    pub(crate) fn of(story: &Story) -> Self {
        let Some(end) = &story.end else {
            return Self {
                word: "interrupted".to_owned(),
                meaning: "run the same command again to resume".to_owned(),
                settled: false,
            };
        };
        let meaning = match (end.status, &end.certificate) {
            (EndStatus::Stopped, None) => {
                "a limit or a signal ended the search; the result shows the failure \
                                  but may not be the smallest"
                    .to_owned()
            }
            (EndStatus::Stopped, Some(proved)) => {
                format!("the search was ended early; proved {proved}")
            }
            (EndStatus::Indeterminate, _) => {
                "the test changed its mind: asked again about the result, it \
                                     gave another outcome; --repeat may help"
                    .to_owned()
            }
            (_, Some(proved)) => {
                format!("proved {proved}{}", in_words(proved, &story.run.algorithm))
            }
            (_, None) => "nothing is proved about the result".to_owned(),
        };
        Self {
            word: end.status.name().to_owned(),
            meaning,
            settled: end.status == EndStatus::Minimal,
        }
    }
}

/// What N-minimality promises, which is something else for each algorithm.
fn in_words(proved: &Certificate, algorithm: &str) -> String {
    let choice = match proved.order {
        1 => "no single delta".to_owned(),
        order => format!("no choice of up to {} deltas", grouped(u64::from(order))),
    };
    match (algorithm, proved.extremum) {
        ("ddmin", Extremum::Minimal) => {
            format!(", so {choice} can go without the failure going too")
        }
        ("dd", Extremum::Minimal) => format!(", so {choice} of the difference can change sides"),
        ("ddmax", Extremum::Maximal) => format!(", so {choice} can be added to the passing side"),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::tests::{end, run, step, story};
    use wynot_session::{EndRecord, Side};

    #[test]
    fn the_headline_of_a_reduction_says_how_much_is_gone() {
        let told = |before, after| headline(&story(run("reduce", before, 9), Vec::new(), after));
        let done = told(2328, Some(end(812, 51)));
        assert_eq!(done, "bug.c: 2,328 → 51 bytes (97.8 % gone) in 812 tests");
        assert_eq!(told(5, Some(end(1, 5))), "bug.c: 5 bytes, none gone in 1 test");
        assert_eq!(told(5, Some(end(2, 6))), "bug.c: 5 → 6 bytes in 2 tests");
        assert_eq!(told(5, None), "bug.c: 5 bytes, none gone so far");
    }

    #[test]
    fn the_headline_of_an_isolation_says_what_decides() {
        let told = |difference, status: &str| {
            let status = status.to_owned();
            let end = EndRecord { difference: Some(difference), status, ..end(12, 20) };
            headline(&story(run("isolate", 99, 40), Vec::new(), Some(end)))
        };
        assert_eq!(told(1, "minimal"), "bug.c: 1 delta of 40 decides, found in 12 tests");
        assert_eq!(told(2, "minimal"), "bug.c: 2 deltas of 40 decide, found in 12 tests");
        assert_eq!(told(7, "stopped"), "bug.c: narrowed to 7 deltas of 40 in 12 tests");
        let steps = vec![step(1, Side::Passing, 10), step(2, Side::Failing, 25)];
        let cut_off = headline(&story(run("isolate", 99, 40), steps, None));
        assert_eq!(cut_off, "bug.c: narrowed to 15 deltas of 40 so far");
    }

    #[test]
    fn what_is_proved_is_put_in_words() {
        let words = in_words("1-minimal (char)", "ddmin");
        assert_eq!(words, ", so no single delta can go without the failure going too");
        assert!(in_words("2-minimal (line)", "dd").contains("up to 2 deltas of the difference"));
        assert!(in_words("1-maximal (line)", "ddmax").contains("added to the passing side"));
        for (proved, algorithm) in [("1-maximal", "dd"), ("x-minimal", "dd"), ("1-minimal", "hdd")]
        {
            assert_eq!(in_words(proved, algorithm), "");
        }
    }
}
