//! The object of a result or an error in a few lines.

use crate::search_state::Ending;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The most characters of a line.
const MAX_LINE: usize = 240;

/// The most lines of one list, such as that of changes.
const MAX_ITEMS: usize = 8;

/// What a result says, in lines.
pub fn result_lines(object: &Value) -> Vec<String> {
    let text = |name: &str| object[name].as_str();
    let mut lines = Vec::new();
    let mut first =
        format!("{}: {}", text("command").unwrap_or_default(), text("status").unwrap_or_default());
    if let Some(minimality) = text("minimality") {
        first += &format!(", {minimality}");
    }
    lines.push(first);
    lines.push(size_and_tests(object));
    lines.extend(text("decision").map(|decision| format!("failure: {decision}")));
    let of_result = &object["result_failure"];
    if let Some(ending) = of_result["ending"].as_str() {
        let message = of_result["message"].as_str().map(|message| format!(", {message}"));
        lines.push(format!("the result fails with {ending}{}", message.unwrap_or_default()));
    }
    lines.extend(answer_lines(object));
    for name in ["passing", "failing", "patch", "fix", "remark"] {
        lines.extend(text(name).map(|path| format!("{name}: {path}")));
    }
    lines.iter().map(|line| cut(line, MAX_LINE)).collect()
}

/// What an error says, and what to do about it.
pub fn error_lines(ending: &Ending) -> Vec<String> {
    let object = ending.object.as_ref();
    let message = object.and_then(|object| object["message"].as_str());
    let mut lines = vec![format!("error: {}", message.unwrap_or(&ending.process))];
    let details = object.map(|object| texts(&object["details"])).unwrap_or_default();
    lines.extend(details);
    let hints = object.map(|object| texts(&object["hints"])).unwrap_or_default();
    lines.extend(hints.iter().map(|hint| format!("hint: {hint}")));
    if object.is_none() {
        // The end of it says what went wrong.
        let said: Vec<&str> =
            ending.errors.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = &said[said.len().saturating_sub(MAX_ITEMS)..];
        lines.extend(last.iter().map(|line| (*line).to_owned()));
    }
    if hints.is_empty() {
        lines.push(format!("hint: {}", general_hint(ending)));
    }
    lines.iter().map(|line| cut(line, MAX_LINE)).collect()
}

/// The remarks and hints that a search has printed beside its result.
pub fn printed_hints(errors: &str) -> Vec<String> {
    let is_hint =
        |line: &&str| ["hint: ", "note: ", "warning: "].iter().any(|word| line.starts_with(word));
    errors.lines().filter(is_hint).take(MAX_ITEMS).map(|line| cut(line, MAX_LINE)).collect()
}

/// The path of the file that is the answer.
pub fn result_path(object: &Value, directory: &Path) -> Option<PathBuf> {
    let name = match object["command"].as_str()? {
        "reduce" => "output",
        "changes" | "history" => "patch",
        _ => return None,
    };
    Some(directory.join(object[name].as_str()?))
}

/// A text of at most so many characters.
pub fn cut(text: &str, max: usize) -> String {
    match text.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn size_and_tests(object: &Value) -> String {
    let mut line = String::new();
    let is_of_input = matches!(object["command"].as_str(), Some("reduce" | "isolate"));
    for unit in ["bytes", "files"] {
        let (before, after) = (&object[unit]["before"], &object[unit]["after"]);
        if is_of_input && before.is_u64() {
            line += &format!("{before} → {after} {unit}, ");
        }
    }
    let (tests, seconds) = (&object["tests"]["executed"], &object["seconds"]);
    line + &format!("{tests} tests in {seconds} s")
}

/// The lines of the answer itself, which differ from search to search.
fn answer_lines(object: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    let items = |name: &str| list(&object[name]).iter().take(MAX_ITEMS);
    lines.extend(object["verdict"].as_str().map(|verdict| format!("verdict: {verdict}")));
    lines.extend(items("commits").map(|commit| {
        let of = |name: &str| commit[name].as_str().unwrap_or_default();
        format!("commit {} by {} on {}: {}", of("id"), of("author"), of("date"), of("subject"))
    }));
    lines.extend(items("upgrades").map(|upgrade| {
        let of = |name: &str| upgrade[name].as_str().unwrap_or("none");
        format!("upgrade of {} from {} to {}", of("package"), of("from"), of("to"))
    }));
    if let (Some(good), Some(bad)) =
        (object["versions"]["good"].as_str(), object["versions"]["bad"].as_str())
    {
        lines.push(format!("last good version {good}, first bad version {bad}"));
    }
    let changes = &object["difference"]["changes"];
    lines.extend(texts(changes).iter().map(|change| format!("  {change}")));
    lines.extend(rest_of(changes));
    lines.extend(items("causes").filter_map(|cause| {
        let call = cause["line"].as_str().map(|line| format!("fails: {line}"));
        call.or_else(|| cause["output"].as_str().map(|path| format!("cause: {path}")))
    }));
    if let (Some(alone), Some(without)) =
        (object["audit"]["alone"].as_str(), object["audit"]["without"].as_str())
    {
        lines.push(format!(
            "audit: the good version with this change: {alone}; the bad version without it: {without}"
        ));
    }
    lines.extend(
        items("chain").zip(1..).map(|(step, number)| format!("{number}. {}", chain_step(step))),
    );
    lines.extend(rest_of(&object["chain"]));
    if let Some(end) = object["ends"]["failing"].as_str() {
        lines.push(format!("end: {end}"));
    }
    lines
}

/// A step of a chain: where the program is, and what its variables are.
fn chain_step(step: &Value) -> String {
    let place = &step["place"];
    let mut text = place["function"].as_str().unwrap_or_default().to_owned();
    if let (Some(file), Some(line)) = (place["file"].as_str(), place["line"].as_u64()) {
        text += &format!(" at {file}:{line}");
    }
    let causes = list(&step["causes"]).iter().map(|cause| {
        let of = |name: &str| cause[name].as_str().unwrap_or_default();
        format!("{} is {} (instead of {})", of("variable"), of("failing"), of("passing"))
    });
    format!("{text}: {}", causes.collect::<Vec<_>>().join(", "))
}

/// What to do where an error has no hint of its own.
fn general_hint(ending: &Ending) -> &'static str {
    let exit = ending.object.as_ref().and_then(|object| object["exit"].as_u64());
    match (exit, ending.is_cancelled) {
        (_, true) => "call the tool again with the same arguments to go on from there",
        (Some(3), _) => "run the test by hand on the input and check that it fails as you expect",
        (None, _) if ending.process.contains("signal") => {
            "call the tool again with the same arguments: outcomes of tests that ran are kept"
        }
        _ => "check the arguments; `wynot help` describes all options",
    }
}

/// That a list has more items than are shown.
fn rest_of(value: &Value) -> Option<String> {
    let rest = list(value).len().saturating_sub(MAX_ITEMS);
    (rest > 0).then(|| format!("… {rest} more are in the structured content"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn texts(value: &Value) -> Vec<String> {
    let texts = list(value).iter().filter_map(Value::as_str);
    texts.take(MAX_ITEMS).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_reduction_in_words() {
        let object = json!({
            "command": "reduce", "status": "minimal", "minimality": "1-minimal (token, byte)",
            "bytes": {"before": 1988, "after": 8}, "tests": {"executed": 90}, "seconds": 0.5,
            "decision": "exit 1 is the failure", "output": "a.min.c",
            "result_failure": {"ending": "exit 1", "message": "error: x"},
        });
        assert_eq!(
            result_lines(&object),
            [
                "reduce: minimal, 1-minimal (token, byte)",
                "1988 → 8 bytes, 90 tests in 0.5 s",
                "failure: exit 1 is the failure",
                "the result fails with exit 1, error: x",
            ]
        );
        assert_eq!(result_path(&object, Path::new("/d")), Some("/d/a.min.c".into()));
    }

    #[test]
    fn objects_of_any_shape_are_no_problem() {
        for object in [json!({}), json!([]), json!({"chain": [1], "causes": {}, "commits": [{}]})] {
            result_lines(&object);
            result_path(&object, Path::new("/"));
        }
    }

    #[test]
    fn an_error_without_an_object_shows_what_was_printed() {
        let ending = Ending {
            process: "the search ended with exit code 2".to_owned(),
            errors: "error: invalid value\n\nFor more information, try '--help'.\n".to_owned(),
            ..Ending::default()
        };
        let lines = error_lines(&ending);
        assert_eq!(lines[0], "error: the search ended with exit code 2");
        assert_eq!(lines[1], "error: invalid value");
        assert!(lines.last().unwrap().starts_with("hint: "));
    }
}
