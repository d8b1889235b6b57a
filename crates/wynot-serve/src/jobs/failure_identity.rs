//! The identity of a failure: the same for jobs that are about the same crash.

use crate::store::Submission;
use serde_json::Value;

/// The innermost functions that tell crashes apart.
const FUNCTIONS: usize = 3;

/// The identity of the failure in a result object, and a text about it. A failure without functions and without a message
/// has none: too many different ones look like it.
pub fn failure_identity(submission: &Submission, result: &Value) -> Option<(String, String)> {
    let failure = result.get("failure")?;
    let ending = failure.get("ending")?.as_str()?;
    let functions: Vec<&str> = failure["functions"]
        .as_array()
        .map(|all| all.iter().filter_map(Value::as_str).take(FUNCTIONS).collect())
        .unwrap_or_default();
    let message = failure["message"].as_str().filter(|message| !message.trim().is_empty());
    let (kind, text) = match (functions.is_empty(), message) {
        (false, _) => (functions.join(" < "), format!("{ending} in {}", functions.join(" < "))),
        (true, Some(message)) => (without_numbers(message), format!("{ending}: {message}")),
        (true, None) => return None,
    };
    // The same message of two programs is about two failures.
    let program = match (&submission.environment, submission.test.first(), &submission.fail) {
        (Some(environment), ..) => environment.as_str(),
        (None, Some(program), _) => program.rsplit('/').next().unwrap_or(program),
        (None, None, Some(run)) => run.split(' ').next().unwrap_or_default(),
        (None, None, None) => "",
    };
    let digest = blake3::hash(format!("{program}\n{ending}\n{kind}").as_bytes());
    Some((digest.to_hex()[..16].to_owned(), text))
}

/// A message with each number, in any notation, in place of which there is one digit.
fn without_numbers(message: &str) -> String {
    let mut result = String::with_capacity(message.len());
    let mut is_number = false;
    for character in message.chars() {
        let continues = is_number && character.is_ascii_hexdigit();
        let was_number = std::mem::replace(&mut is_number, continues || character.is_ascii_digit());
        match is_number {
            true if was_number => {}
            true => result.push('0'),
            false => result.push(character),
        }
    }
    // The x of 0x is between two numbers.
    result.replace("0x0", "0")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn identity(test: &str, failure: Value) -> Option<String> {
        let submission = json!({"verb": "reduce", "test": [test]});
        let submission: Submission = serde_json::from_value(submission).unwrap();
        failure_identity(&submission, &json!({ "failure": failure })).map(|(key, _)| key)
    }

    #[test]
    fn numbers_do_not_matter_and_programs_do() {
        let failure =
            |message: &str| json!({"ending": "exit 1", "functions": [], "message": message});
        let one = identity("./gcc", failure("error at 0x7f3a line 12"));
        assert!(one.is_some());
        assert_eq!(one, identity("/usr/bin/gcc", failure("error at 0x55aa01 line 7")));
        assert_ne!(one, identity("clang", failure("error at 0x7f3a line 12")));
        assert_ne!(one, identity("./gcc", failure("warning at 0x7f3a line 12")));
        assert_eq!(identity("./gcc", failure("")), None);
    }

    #[test]
    fn crashes_are_known_by_their_innermost_functions() {
        let crash = |functions: &[&str]| json!({"ending": "signal SEGV", "functions": functions, "message": "x"});
        let one = identity("p", crash(&["f", "g", "h", "main"]));
        assert_eq!(one, identity("p", crash(&["f", "g", "h", "run", "main"])));
        assert_ne!(one, identity("p", crash(&["f", "g", "main"])));
    }
}
