//! The JSON of a change that was found between two versions.

use serde_json::{Value, json};
use std::path::Path;
use wynot::SearchReport;
use wynot::search::{Audit, ChangesFound};
use wynot_exec::sources::Commit;
use wynot_subjects::Upgrade;

/// A commit.
pub(super) fn of_commit(commit: &Commit) -> Value {
    let Commit { id, author, date, subject, .. } = commit;
    json!({"id": id, "author": author, "date": date, "subject": subject})
}

/// Adds the change that was found between two versions.
pub(super) fn add_changes(value: &mut Value, report: &SearchReport, changes: &ChangesFound) {
    value["commits"] = changes.commits.iter().map(of_commit).collect();
    value["difference"] = json!({
        "deltas": changes.changes.len(),
        "of": changes.subject.deltas(),
        "changes": changes.lines(),
    });
    let (needed, _) = changes.needed_lines();
    if !needed.is_empty() {
        value["difference"]["needed"] = json!(needed);
    }
    if let Some([found, needed]) = changes.upgrades() {
        let of_upgrade = |upgrade: &Upgrade| {
            let Upgrade { package, from, to } = upgrade;
            json!({"package": package, "from": from, "to": to})
        };
        let list =
            |upgrades: Vec<&Upgrade>| upgrades.into_iter().map(of_upgrade).collect::<Value>();
        value["upgrades"] = list(found);
        value["upgraded_with"] = list(needed);
        let sources = changes.sources.as_ref();
        value["sources"] = json!(sources.map(|dirs| [0, 1].map(|side| path_text(&dirs[side]))));
    }
    if !changes.also.is_empty() {
        value["other_places"] = json!(changes.other_places());
    }
    value["complete"] = json!(changes.complete);
    value["applies_to"] = json!(changes.applies_to);
    value["patch"] = json!(report.patch.as_deref().map(path_text));
    let has_log = !changes.bisected.is_empty();
    value["bisect_log"] = json!(has_log.then(|| path_text(&report.bisect_log())));
    value["audit"] = json!(changes.audit.as_ref().map(of_audit));
    value["other_causes"] = json!(changes.is_widened);
    value["revert"] = json!(changes.revert.as_ref().map(|revert| {
        let patch = revert.patch.as_ref().map(|_| path_text(&report.revert_patch()));
        json!({"version": revert.version, "patch": patch, "outcome": revert.outcome.to_string()})
    }));
}

fn of_audit(audit: &Audit) -> Value {
    let Audit { alone, needed, needs_are_least, without, dependents } = audit;
    let mut value = json!({"alone": alone.to_string(), "without": without.to_string()});
    for (name, others) in [("needed", needed), ("dependents", dependents)] {
        if *others > 0 {
            value[name] = json!(others);
        }
    }
    if *needed > 0 && !needs_are_least {
        value["needs_are_least"] = json!(false);
    }
    value
}

/// A path as text.
pub(super) fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
