//! The answer of a job in a sentence.

use super::visible_text::visible;
use crate::store::{ServedJob, ServedVerb};
use serde_json::Value;
use wynot_report::number::{count, grouped};

/// The number of digits by which a version is shown.
const SHORT_VERSION: usize = 12;

/// How much is left of what was submitted, in a few words.
pub fn sizes(job: &ServedJob) -> Option<String> {
    let result = job.result.as_ref().filter(|result| result["status"] != "error")?;
    let number = |name: &str, part: &str| result[name][part].as_u64();
    match job.submission.verb {
        ServedVerb::Reduce => {
            let (before, after) = (number("bytes", "before")?, number("bytes", "after")?);
            Some(format!("{} → {}", grouped(before), count(after, "byte")))
        }
        ServedVerb::Isolate => Some(count(number("difference", "deltas")?, "difference")),
        ServedVerb::Options => {
            let all = number("deltas", "before")?;
            Some(format!("{} of {}", number("deltas", "after")?, count(all, "option")))
        }
        ServedVerb::Changes | ServedVerb::History => changes_of(result),
        ServedVerb::Explain => Some(count(result["chain"].as_array()?.len() as u64, "step")),
    }
}

/// The answer in a sentence; `None` if there is none.
pub fn headline(job: &ServedJob) -> Option<String> {
    let result = job.result.as_ref().filter(|result| result["status"] != "error")?;
    let answer = match job.submission.verb {
        ServedVerb::Reduce => sizes(job),
        ServedVerb::Isolate => isolated(result),
        ServedVerb::Options => options(result),
        ServedVerb::Changes => commits(result).or_else(|| changed(result)),
        ServedVerb::History => history(result).or_else(|| changed(result)),
        ServedVerb::Explain => explained(result),
    };
    let answer = answer.unwrap_or_else(|| "No cause was found".to_owned());
    let tests = result["tests"]["executed"].as_u64();
    Some(match tests {
        Some(tests) => format!("{answer}, {}", count(tests, "test")),
        None => answer,
    })
}

fn isolated(result: &Value) -> Option<String> {
    let differences = result["difference"]["deltas"].as_u64()?;
    let decides = if differences == 1 { "decides" } else { "decide" };
    Some(format!("{} {decides}", count(differences, "difference")))
}

fn options(result: &Value) -> Option<String> {
    let causes = result["causes"].as_array()?;
    let text = |cause: &Value| {
        let options = cause["deltas"].as_array()?;
        let options: Vec<&str> = options.iter().filter_map(Value::as_str).collect();
        Some(visible(&options.join(" ")))
    };
    let causes: Vec<String> = causes.iter().filter_map(text).collect();
    match causes.as_slice() {
        [] => Some("No option causes it".to_owned()),
        causes => Some(format!("Caused by {}", causes.join(", and also by "))),
    }
}

/// The commits that broke it.
fn commits(result: &Value) -> Option<String> {
    let commits = result["commits"].as_array().filter(|commits| !commits.is_empty())?;
    let named: Vec<String> = commits.iter().take(2).map(commit).collect();
    let more = match commits.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {}", count(more as u64, "other commit")),
    };
    Some(format!("Broken by {}{more}", named.join(" and ")))
}

/// A commit by its id and its subject.
pub fn commit(commit: &Value) -> String {
    let id: String =
        commit["id"].as_str().unwrap_or_default().chars().take(SHORT_VERSION).collect();
    let subject = commit["subject"].as_str().unwrap_or_default();
    match subject.is_empty() {
        true => visible(&id),
        false => visible(&format!("{id} “{subject}”")),
    }
}

fn changed(result: &Value) -> Option<String> {
    let breaks = if result["difference"]["deltas"] == 1 { "breaks" } else { "break" };
    Some(format!("{} {breaks} it", changes_of(result)?))
}

/// How many of all changes are left, such as 1 changed line of 9.
fn changes_of(result: &Value) -> Option<String> {
    let difference = &result["difference"];
    let (left, all) = (difference["deltas"].as_u64()?, difference["of"].as_u64()?);
    let is_lines = result["minimality"].as_str().is_some_and(|proved| proved.contains("line"));
    let noun = if is_lines { "changed line" } else { "change" };
    Some(format!("{} of {}", count(left, noun), grouped(all)))
}

fn history(result: &Value) -> Option<String> {
    match result["verdict"].as_str()? {
        "regression" => commits(result),
        "always" => Some("It fails in every version that can be tested".to_owned()),
        _ => None,
    }
}

fn explained(result: &Value) -> Option<String> {
    let chain = result["chain"].as_array()?;
    match chain.len() {
        0 => Some("No variable carries the failure".to_owned()),
        steps => Some(format!("{} from the input to the failure", count(steps as u64, "step"))),
    }
}

/// What the status of a search means for its answer, unless it is complete.
pub fn caveat(job: &ServedJob) -> Option<&'static str> {
    match job.result.as_ref()?["status"].as_str()? {
        "stopped" => Some(
            "The search was ended early. What it has found shows the failure, but less may do.",
        ),
        "indeterminate" => Some(
            "The test is not deterministic: run again on the result, it gave another outcome. \
             Try it again with the option --flaky.",
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{JobCode, JobState, Submission};
    use serde_json::json;

    fn job(verb: &str, result: Value) -> ServedJob {
        let submission: Submission = serde_json::from_value(json!({ "verb": verb })).unwrap();
        ServedJob {
            number: 1,
            code: JobCode::random(),
            submission,
            environment_version: None,
            state: JobState::Done,
            submitted: 0,
            started: None,
            ended: None,
            attempts: 1,
            submitter: None,
            exit: Some(0),
            message: None,
            result: Some(result),
            failure: None,
            is_cancelled: false,
        }
    }

    #[test]
    fn answers_are_in_words_of_people() {
        let tests = json!({"executed": 15});
        for (verb, result, expected) in [
            (
                "reduce",
                json!({"bytes": {"before": 1051, "after": 3}, "tests": tests}),
                "1,051 → 3 bytes, 15 tests",
            ),
            (
                "isolate",
                json!({"difference": {"deltas": 1}, "tests": tests}),
                "1 difference decides, 15 tests",
            ),
            (
                "options",
                json!({"causes": [{"deltas": ["-O2", "-g"]}], "tests": tests}),
                "Caused by -O2 -g, 15 tests",
            ),
            (
                "changes",
                json!({"commits": [], "difference": {"deltas": 1, "of": 9}, "minimality": "1-minimal (line)"}),
                "1 changed line of 9 breaks it",
            ),
            (
                "history",
                json!({"verdict": "regression", "commits": [{"id": "0123456789abcdef", "subject": "tidy\u{202e}"}]}),
                "Broken by 0123456789ab “tidy\\u{202e}”",
            ),
            (
                "explain",
                json!({"chain": [{}], "tests": {"executed": 1}}),
                "1 step from the input to the failure, 1 test",
            ),
        ] {
            assert_eq!(headline(&job(verb, result)).as_deref(), Some(expected), "{verb}");
        }
        assert_eq!(headline(&job("reduce", json!({"status": "error", "message": "x"}))), None);
        let unknown = headline(&job("history", json!({"verdict": "unknown", "status": "minimal"})));
        assert_eq!(unknown.as_deref(), Some("No cause was found"));
    }

    #[test]
    fn an_answer_that_is_not_complete_has_a_caveat() {
        assert!(caveat(&job("reduce", json!({"status": "stopped"}))).is_some());
        assert_eq!(caveat(&job("reduce", json!({"status": "minimal"}))), None);
    }
}
