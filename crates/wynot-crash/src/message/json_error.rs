//! Errors in JSON, as services and their clients print them.

use super::message_words::{Word, constant_words};
use serde_json::Value;

/// Parts of the keys whose values describe an error.
const DESCRIBING_KEYS: [&str; 12] = [
    "error",
    "code",
    "message",
    "msg",
    "type",
    "status",
    "reason",
    "detail",
    "title",
    "exception",
    "kind",
    "errno",
];

/// Parts of the keys that make an object an error, not only an answer.
const ERROR_KEYS: [&str; 6] = ["error", "exception", "fault", "errno", "failure", "code"];

/// The maximum number of values of an error that count.
const MAX_VALUES: usize = 12;

/// The description of the error in a text that is JSON, or whose first line in JSON is an error: as it is printed, and in
/// words. Numbers count as words here, since they are codes.
pub(super) fn json_error(text: &str) -> Option<(String, Vec<Word>)> {
    if !text.contains('{') {
        return None;
    }
    let lines = text.lines().filter(|line| line.trim_start().starts_with('{'));
    std::iter::once(text).chain(lines).find_map(|part| {
        let value: Value = serde_json::from_str(part.trim()).ok()?;
        let mut values = Vec::new();
        collect(&value, "", &mut values);
        let is_error = |(key, _): &(String, String)| contains_any(key, &ERROR_KEYS);
        if !values.iter().any(is_error) {
            return None;
        }
        values.truncate(MAX_VALUES);
        let printed: Vec<String> =
            values.iter().map(|(key, value)| format!("{key}: {value}")).collect();
        let words = values.iter().flat_map(|(key, value)| words_of(key, value)).collect();
        Some((printed.join(", "), words))
    })
}

/// The words of one value: a number is a code, a text is a message.
fn words_of(key: &str, value: &str) -> Vec<Word> {
    let literal =
        |text: &str| Word { constant: text.to_owned(), printed: text.to_owned(), is_quoted: false };
    let mut words = vec![literal(key)];
    match value.parse::<i64>() {
        Ok(_) => words.push(literal(value)),
        Err(_) => words.extend(constant_words(value)),
    }
    words
}

/// Adds the values that describe an error, with their keys, in the order of the keys.
fn collect(value: &Value, key: &str, found: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            members.iter().for_each(|(key, value)| collect(value, key, found));
        }
        Value::Array(elements) => elements.iter().for_each(|element| collect(element, key, found)),
        Value::String(text) if contains_any(key, &DESCRIBING_KEYS) => {
            found.push((key.to_owned(), text.clone()));
        }
        Value::Number(number) if contains_any(key, &DESCRIBING_KEYS) => {
            found.push((key.to_owned(), number.to_string()));
        }
        _ => {}
    }
}

fn contains_any(key: &str, parts: &[&str]) -> bool {
    let key = key.to_lowercase();
    parts.iter().any(|part| key.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let words = json_error(text).map(|(_, words)| words).unwrap_or_default();
        words.into_iter().map(|word| word.constant).collect()
    }

    #[test]
    fn an_error_is_its_code_and_message_without_what_varies() {
        let error = |id: &str, code: u32, n: u32| {
            format!(
                "{{\"request_id\": \"{id}\", \"ok\": false,\n \"error\": {{\"code\": {code}, \
                 \"message\": \"value {n} out of range\"}}}}"
            )
        };
        assert_eq!(words(&error("8f3a", 42, 7)), words(&error("11ee", 42, 9)));
        assert_ne!(words(&error("8f3a", 42, 7)), words(&error("8f3a", 43, 7)));
        let (printed, _) = json_error(&error("8f3a", 42, 7)).unwrap();
        assert_eq!(printed, "code: 42, message: value 7 out of range");
        assert!(words("{\"items\": [1, 2], \"type\": \"list\"}").is_empty());
        assert!(!words("starting\n{\"level\": \"error\", \"error\": \"no\"}\n").is_empty());
    }
}
