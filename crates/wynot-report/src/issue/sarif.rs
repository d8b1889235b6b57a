//! A session as SARIF 2.1.0, for code scanning and editors that show it.

use crate::chain::cause_words::{chain_title, reason};
use crate::page::headline::headline;
use crate::page::session_summary::SessionSummary;
use serde_json::{Value, json};
use std::path::Path;
use wynot_session::{ChainRecord, ChainStep};

/// A log with one result: the answer of the session, at the places that it names.
pub fn sarif(summary: &SessionSummary) -> Value {
    let run = &summary.run;
    let failure = summary.end.as_ref().and_then(|end| end.failure.as_ref());
    let failure = failure.map(|failure| format!("; {failure}")).unwrap_or_default();
    let changes = summary.end.as_ref().map_or(&[][..], |end| &end.changes);
    let mut locations: Vec<Value> =
        changes.iter().filter_map(|line| location(line, &run.input)).collect();
    if locations.is_empty() {
        let output = run.command_line.as_ref().map(|line| Path::new(&line.output));
        let name = output.and_then(|path| path.file_name()).map(|name| name.to_string_lossy());
        locations.push(at(name.as_deref().unwrap_or(&run.input), 1, 1));
    }
    log(&run.command, &format!("{}{failure}", headline(summary)), json!({"locations": locations}))
}

/// A log with one result: the end of a chain, with its steps as a flow of code.
pub fn chain_sarif(chain: &ChainRecord) -> Value {
    let place = |step: &ChainStep| {
        let (_, place) = step.place.rsplit_once(" at ")?;
        let place = place.split(" (").next().unwrap_or(place);
        let (file, line) = place.rsplit_once(':')?;
        Some(at(file, line.parse().ok()?, 1))
    };
    let flow = chain.steps.iter().filter_map(|step| {
        let mut location = place(step)?;
        let reasons = step.causes.iter().map(reason).collect::<Vec<_>>().join(" and ");
        location["message"] = json!({"text": reasons});
        Some(json!({"location": location}))
    });
    let flow: Vec<Value> = flow.collect();
    let last = chain.steps.iter().rev().find_map(place);
    let mut result = json!({"locations": last.as_slice()});
    if !flow.is_empty() {
        result["codeFlows"] = json!([{"threadFlows": [{"locations": flow}]}]);
    }
    let message = format!("{}; {}", chain_title(chain), chain.failing_ending);
    log("explain", &message, result)
}

/// A log with one result.
fn log(rule: &str, message: &str, mut result: Value) -> Value {
    result["ruleId"] = json!(rule);
    result["level"] = json!("error");
    result["message"] = json!({"text": message});
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "wynot",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{
                    "id": rule,
                    "shortDescription": {"text": "What a failure needs, found by experiments"},
                }],
            }},
            "results": [result],
        }],
    })
}

/// The place that a described change begins with: "FILE, line N, column M: …", or without the file in the input.
fn location(change: &str, input: &str) -> Option<Value> {
    let (place, _) = change.split_once(": ")?;
    let (before, column) = place.rsplit_once(", column ")?;
    let (file, line) = match before.strip_prefix("line ") {
        Some(line) => (input, line),
        None => before.rsplit_once(", line ")?,
    };
    Some(at(file, line.parse().ok()?, column.parse().ok()?))
}

fn at(file: &str, line: u64, column: u64) -> Value {
    json!({"physicalLocation": {
        "artifactLocation": {"uri": uri(file)},
        "region": {"startLine": line, "startColumn": column},
    }})
}

/// A relative path as a reference.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte.into())
            }
            byte => uri += &format!("%{byte:02X}"),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::page::session_summary::tests::{end, run, summary};
    use wynot_session::EndRecord;

    #[test]
    fn changes_are_located_in_their_files() {
        let changes = vec![
            "commit 0123456789ab by Ada on 2026-03-04: A change".to_owned(),
            "src/a b.py, line 19, column 5: fails with \"x\"".to_owned(),
            "audit: the good version fails".to_owned(),
        ];
        let end = EndRecord { changes, ..end(9, 3) };
        let log = sarif(&summary(run("changes", 9, 9), Vec::new(), Some(end)));
        let locations = log["runs"][0]["results"][0]["locations"].as_array().unwrap();
        assert_eq!(locations.len(), 1, "{log}");
        let place = &locations[0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "src/a%20b.py");
        assert_eq!(place["region"]["startLine"], 19);
        assert_eq!(place["region"]["startColumn"], 5);
    }

    #[test]
    fn a_result_without_a_place_is_at_its_beginning() {
        let log = sarif(&summary(run("reduce", 9, 9), Vec::new(), None));
        let place = &log["runs"][0]["results"][0]["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "bug.c");
        assert_eq!(log["version"], "2.1.0");
    }

    #[test]
    fn the_steps_of_a_chain_are_a_flow_of_code() {
        let log = chain_sarif(&crate::chain::chain_page::tests::chain());
        let result = &log["runs"][0]["results"][0];
        let last = &result["locations"][0]["physicalLocation"];
        assert_eq!(
            (&last["artifactLocation"]["uri"], &last["region"]["startLine"]),
            (&json!("p.c"), &json!(9))
        );
        let flow = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        assert_eq!(flow[1]["location"]["message"]["text"], "b of main was NULL");
        assert_eq!(
            result["message"]["text"],
            "It fails since b of main was NULL; signal SEGV in move"
        );
    }
}
