//! The JSON contract: the objects that scripts read, which `docs/schema.json` describes.

use super::json_changes::{add_changes, path_text};
use super::json_history;
use crate::exit_code::Code;
use serde_json::{Map, Value, json};
use std::path::Path;
use std::time::Duration;
use wynot::describe::{command_line, describe_difference, difference_bytes};
use wynot::plan::numbered;
use wynot::request::{Algorithm, Verb};
use wynot::search::{Found, RowConfidence, VersionsFound};
use wynot::{Error, ErrorKind, Event, Request, SearchReport, SearchStart, Verification};
use wynot_session::Certificate;
use wynot_session::judge::{ObservedFailure, Rate};
use wynot_subjects::Variant;

/// The version of the contract.
pub(super) const SCHEMA: u32 = 1;

/// The object of a search.
pub fn of_search(report: &SearchReport, request: &Request) -> Value {
    let (plan, found, subject) = (&report.plan, report.found(), report.plan.subject());
    let output = report.patch.as_ref().unwrap_or(&plan.outputs.failing);
    let mut value = json!({
        "schema": SCHEMA,
        "command": plan.verb.name(),
        "status": report.status().kind().name(),
        "minimality": found.certificate.as_ref().map(Certificate::claim),
        "algorithm": plan.algorithm_name(),
        "unit": plan.units(),
        "tests": report.counts(),
        "deltas": {"before": subject.deltas(), "after": found.deltas},
        "bytes": {"before": subject.size(), "after": found.failing.size()},
        "output": path_text(output),
        "seconds": seconds(report.elapsed),
        "own_cpu_seconds": seconds(report.own_cpu),
        "jobs": plan.jobs,
        "session": path_text(&plan.session),
        "decision": report.decision,
        "failure": of_failure(report.original.failure.as_ref()),
        "result_failure": of_failure(report.failure.as_ref()),
        "reasons": report.unresolved,
    });
    add_support(&mut value, found.certificate.as_ref());
    if plan.algorithm == Algorithm::Smart {
        value["passes"] = json!(found.passes);
    }
    match &found.failing {
        Variant::Folder(after) => {
            let before = plan.input.varied.file_count();
            let after = after.select(&plan.results.places).file_count();
            value["files"] = json!({"before": before, "after": after});
        }
        Variant::Bytes(_) if plan.algorithm == Algorithm::Smart => {
            value["language"] = json!(plan.input.language.name);
        }
        _ => {}
    }
    if request.input.all_causes {
        add_causes(&mut value, report);
    }
    if let Some(changes) = &report.changes {
        add_changes(&mut value, report, changes);
    }
    if let Some(history) = &report.history {
        json_history::add_history(&mut value, report, history);
    }
    if let Some(versions) = &report.versions {
        value["versions"] = of_versions(versions);
    }
    if let Some(confidence) = report.confidence() {
        value["confidence"] = of_confidence(confidence);
    }
    if let Some(rate) = report.rate {
        value["rate"] = json!({"original": rate, "result": found.rate});
    }
    if let Some(sides) = report.isolated() {
        value["difference"] = json!({
            "deltas": sides.difference().len(),
            "bytes": difference_bytes(subject, sides),
            "changes": report.changes_in_words(),
        });
        value["passing"] = json!(plan.outputs.passing.as_deref().map(path_text));
        value["failing"] = json!(path_text(&plan.outputs.failing));
    }
    add_remote(&mut value, report);
    if plan.verb == Verb::Options {
        let cause = |found: &Found| {
            let sides = found.sides.as_ref();
            json!({
                "deltas": sides.map(|sides| describe_difference(subject, sides)),
                "line": command_line(request, &found.failing),
                "tests": found.counts,
            })
        };
        value["causes"] = report.causes.found.iter().map(cause).collect();
        value["complete"] = json!(report.causes.complete);
    }
    value
}

/// Adds the service that ran the tests or shared their results, if there was one.
fn add_remote(value: &mut Value, report: &SearchReport) {
    if let (Some(remote), Some(counts)) = (&report.plan.remote, report.remote) {
        value["remote"] = json!({
            "executor": remote.address.to_string(),
            "executed": counts.executed,
            "cached": counts.cached,
            "lost": counts.lost,
        });
    }
}

/// A failure: how the run ended, its report and functions, its message as printed, and whether it is that of the original.
fn of_failure(failure: Option<&ObservedFailure>) -> Value {
    failure.map_or(Value::Null, |failure| {
        json!({
            "ending": failure.ending.to_string(),
            "report": failure.report,
            "functions": failure.functions,
            "message": failure.message,
            "same": failure.same,
        })
    })
}

/// Adds the tests that timed out on which a certificate rests, if there are any.
fn add_support(value: &mut Value, certificate: Option<&Certificate>) {
    if let Some(Certificate { timeouts: timeouts @ 1.., .. }) = certificate {
        value["rests_on"] = json!({"timeouts": timeouts});
    }
}

/// Adds the causes and other crashes that `--all-causes` has found.
fn add_causes(value: &mut Value, report: &SearchReport) {
    let cause = |(index, found): (usize, &Found)| {
        let path = numbered(&report.plan.outputs.failing, index + 1);
        let mut value = json!({
            "output": path_text(&path),
            "bytes": found.failing.size(),
            "minimality": found.certificate.as_ref().map(Certificate::claim),
            "tests": found.counts,
        });
        add_support(&mut value, found.certificate.as_ref());
        value
    };
    value["causes"] = report.causes.found.iter().enumerate().map(cause).collect();
    value["complete"] = json!(report.causes.complete);
    value["crashes"] = json!(report.crashes);
}

/// The answer about a row of versions.
fn of_versions(found: &VersionsFound) -> Value {
    json!({"good": found.good, "bad": found.bad, "untested": found.untested})
}

/// How sure the answer about a row is, and the runs of its versions.
fn of_confidence(confidence: &RowConfidence) -> Value {
    let of_version = |(version, rate): &(String, Rate)| json!({"version": version, "runs": rate.runs, "fails": rate.fails});
    let versions: Vec<Value> = confidence.versions.iter().map(of_version).collect();
    json!({"reached": confidence.probability, "runs": confidence.runs, "versions": versions})
}

/// The object of a check.
pub fn of_verification(verification: &Verification, session: &Path, output: &Path) -> Value {
    let mut value = json!({
        "schema": SCHEMA,
        "command": "verify",
        "session": path_text(session),
        "output": path_text(output),
        "minimality": verification.claim.as_ref().map(Certificate::claim),
        "confirmed": verification.refutation.is_none(),
        "tests": {"executed": verification.tests},
        "counterexample": verification.counterexample.as_deref().map(path_text),
        "digest": verification.digest.to_string(),
        "seconds": seconds(verification.elapsed),
    });
    add_support(&mut value, verification.claim.as_ref());
    value
}

/// The object of an error: there is no result.
pub fn of_error(error: &Error, command: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "command": command,
        "status": "error",
        "exit": Code::from(error.kind) as u8,
        "message": error.message,
        "details": error.details,
        "hints": error.hints,
        "next_command": error.next_command.clone().unwrap_or_else(|| next_command(error, command)),
    })
}

/// The command that helps with an error of which none is known: the help of the command.
fn next_command(error: &Error, command: &str) -> String {
    match error.kind {
        ErrorKind::Interrupted => "wynot resume".to_owned(),
        _ => format!("wynot {command} --help"),
    }
}

/// The object of the event with which a search begins.
pub(super) fn of_beginning(start: &SearchStart<'_>) -> Value {
    let plan = start.plan;
    json!({
        "event": "begin",
        "command": plan.verb.name(),
        "decision": start.judge,
        "deltas": plan.subject().deltas(),
        "bytes": plan.subject().size(),
        "output": path_text(&plan.outputs.failing),
        "session": path_text(&plan.session),
    })
}

/// The object of an event; `None` if the event is not part of the contract.
pub fn of_event(event: &Event<'_>) -> serde_json::Result<Option<Value>> {
    let value = match event {
        Event::Level { unit, deltas, .. } => {
            json!({"event": "level", "unit": unit, "deltas": deltas})
        }
        Event::Tested { question, configuration, version, size, label, outcome, repeated } => {
            let mut value = Map::new();
            value.insert("event".to_owned(), json!("tested"));
            if let Some(question) = question {
                value.insert("place".to_owned(), json!(question));
            }
            value.insert("outcome".to_owned(), json!(outcome.to_string()));
            value.insert("part".to_owned(), json!(label.to_string()));
            value.insert("deltas".to_owned(), json!(configuration.map(|c| c.len())));
            let bytes = (configuration.is_none() && version.is_none()).then_some(size);
            value.insert("bytes".to_owned(), json!(bytes));
            if let Some(version) = version {
                value.insert("version".to_owned(), json!(version));
            }
            value.insert("cached".to_owned(), json!(repeated));
            Value::Object(value)
        }
        Event::Place(text) => json!({"event": "place", "text": text}),
        Event::Remark(text) => json!({"event": "remark", "text": text}),
        Event::Step { step, .. } => {
            let mut value = serde_json::to_value(step)?;
            value["event"] = json!("step");
            value
        }
        _ => return Ok(None),
    };
    Ok(Some(value))
}

/// A duration in seconds, rounded to milliseconds.
pub(super) fn seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}
