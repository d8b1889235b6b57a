//! The JSON of a walk back through a history.

use super::json_changes::{add_changes, of_commit, path_text};
use serde_json::{Value, json};
use wynot::SearchReport;
use wynot::search::{Blocker, Derivation, Fix, HistoryFound, Verdict, Visit};

/// Adds the result of a walk back through a history.
pub(super) fn add_history(value: &mut Value, report: &SearchReport, history: &HistoryFound) {
    if let Some(changes) = &history.changes {
        add_changes(value, report, changes);
    } else {
        // What fails may have come with a commit before which it cannot be tested.
        let came_with = (history.verdict == Verdict::Regression).then_some(&history.oldest_failing);
        value["commits"] = came_with.into_iter().map(of_commit).collect();
        value["patch"] = Value::Null;
    }
    let _ = value.as_object_mut().and_then(|object| object.remove("revert"));
    value["verdict"] = json!(history.verdict.name());
    value["passing"] = json!(history.passing.as_ref().map(of_commit));
    value["oldest_failing"] = of_commit(&history.oldest_failing);
    value["blockers"] = history.blockers.iter().map(of_blocker).collect();
    let has_fix = history.fix.as_ref().is_some_and(|fix| fix.patch.is_some());
    value["fix"] = json!(has_fix.then(|| path_text(&report.fix_patch())));
    value["ported"] = json!(history.fix.as_ref().map(of_fix));
    value["runs"] = json!(report.unresolved);
    value["versions_in_history"] = json!(history.versions);
    value["visits"] = history.visits.iter().map(of_visit).collect();
    value["derivations"] = history.derivations.iter().map(of_derivation).collect();
    let parts = history.parts.named().map(|(part, tests)| (part.to_owned(), json!(tests)));
    value["tests_by_part"] = Value::Object(parts.into_iter().collect());
    value["remark"] = json!(history.remark);
}

fn of_blocker(blocker: &Blocker) -> Value {
    json!({
        "name": blocker.name,
        "reason": blocker.reason,
        "from": blocker.from,
        "to": blocker.to,
        "lines": blocker.lines,
        "lines_before": blocker.lines_before,
        "tests": blocker.tests,
        "patch": String::from_utf8_lossy(&blocker.patch),
    })
}

fn of_fix(fix: &Fix) -> Value {
    json!({
        "lines": fix.lines,
        "derived_at": fix.derived_at,
        "reached": fix.reached,
        "commit": fix.commit,
    })
}

fn of_visit(visit: &Visit) -> Value {
    json!({
        "version": visit.id,
        "index": visit.index,
        "outcome": visit.outcome.to_string(),
        "reason": visit.reason,
        "patch_lines": visit.patch_lines,
        "conflicts": visit.conflicts,
    })
}

fn of_derivation(derivation: &Derivation) -> Value {
    json!({
        "version": derivation.id,
        "index": derivation.index,
        "for": if derivation.is_fix { "fix" } else { "blocker" },
        "lines": {"before": derivation.lines[0], "after": derivation.lines[1]},
        "tests": derivation.tests,
        "reasons": derivation.reasons,
    })
}
