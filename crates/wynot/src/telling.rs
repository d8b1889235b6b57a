//! A result in words: for people, and as an object for scripts.

use crate::audit::Audit;
use crate::call;
use crate::changes::Investigation;
use crate::difference;
use crate::finish::Finish;
use crate::plan::{Algorithm, Plan, Verb};
use crate::results::numbered;
use crate::strategy::{Found, Status};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;
use wynot_report::number::{count, gone, grouped, time};
use wynot_run::{Commit, Counts, Journal, Met, Rate, Record, TestRecord};
use wynot_subjects::{Subject, Variant};

/// How long a result may be to be printed whole.
const PRINTED_BYTES: usize = 2_000;
const PRINTED_LINES: usize = 30;

impl Finish<'_> {
    /// The object for scripts.
    pub fn json(&self) -> Value {
        let (plan, found, subject) = (self.plan, self.found(), self.plan.subject());
        let lossy = |path: &Path| path.to_string_lossy().into_owned();
        let mut value = json!({
            "schema": 1,
            "command": plan.verb.name(),
            "status": self.status().name(),
            "minimality": found.proved,
            "algorithm": plan.algorithm.name(),
            "unit": plan.units(),
            "tests": self.counts(),
            "deltas": {"before": subject.deltas(), "after": found.deltas},
            "bytes": {"before": subject.size(), "after": found.failing.size()},
            "output": lossy(&match &self.investigation {
                Some(_) => self.patch(),
                None => plan.keeper.failing.clone(),
            }),
            "seconds": (self.seconds.as_secs_f64() * 1000.0).round() / 1000.0,
            "own_cpu_seconds": (self.own_cpu.as_secs_f64() * 1000.0).round() / 1000.0,
            "jobs": plan.jobs,
            "session": lossy(&plan.session),
        });
        if plan.algorithm == Algorithm::Smart {
            value["passes"] = json!(found.passes);
        }
        match (&found.failing, &self.plan.matter) {
            (Variant::Folder(after), matter) => {
                let before = matter.varied.file_count();
                let after = after.select(&plan.keeper.places).file_count();
                value["files"] = json!({"before": before, "after": after});
            }
            (Variant::Bytes(_), matter) if plan.algorithm == Algorithm::Smart => {
                value["language"] = json!(matter.language.name);
            }
            _ => {}
        }
        if self.typed.input.all_causes {
            let cause = |(index, found): (usize, &Found)| {
                let path = numbered(&plan.keeper.failing, index + 1);
                let (bytes, tests) = (found.failing.size(), found.counts);
                json!({"output": lossy(&path), "bytes": bytes, "minimality": found.proved, "tests": tests})
            };
            value["causes"] = self.causes.found.iter().enumerate().map(cause).collect();
            value["complete"] = json!(self.causes.complete);
            value["crashes"] = json!(self.crashes);
        }
        if let Some(about) = &self.investigation {
            let commit = |commit: &Commit| {
                let Commit { id, author, date, subject, .. } = commit;
                json!({"id": id, "author": author, "date": date, "subject": subject})
            };
            value["commits"] = about.commits.iter().map(commit).collect();
            value["difference"] = json!({
                "deltas": about.sides.difference().len(),
                "of": about.subject.deltas(),
                "changes": self.changes(),
            });
            value["complete"] = json!(about.complete);
            value["patch"] = json!(lossy(&self.patch()));
            value["bisect_log"] = json!((!about.bisected.is_empty()).then(|| lossy(&self.log())));
            value["audit"] = json!(about.audit.as_ref().map(Audit::json));
            value["reasons"] = json!(reasons(plan));
        }
        if let Some(rate) = self.rate {
            value["rate"] = json!({"original": rate, "result": found.rate});
        }
        if let Some(sides) = self.isolated() {
            value["difference"] = json!({
                "deltas": sides.difference().len(),
                "bytes": difference::bytes(subject, sides),
                "changes": self.changes(),
            });
            value["passing"] = json!(plan.keeper.passing.as_deref().map(lossy));
            value["failing"] = json!(lossy(&plan.keeper.failing));
        }
        if plan.verb == Verb::Options {
            let cause = |found: &Found| {
                let sides = found.sides.as_ref();
                json!({
                    "deltas": sides.map(|sides| difference::describe(subject, sides)),
                    "line": call::line(self.typed, &found.failing),
                    "tests": found.counts,
                })
            };
            value["causes"] = self.causes.found.iter().map(cause).collect();
            value["complete"] = json!(self.causes.complete);
        }
        value
    }

    /// What people read.
    pub fn print(&self) {
        let (plan, found) = (self.plan, self.found());
        let name = plan.matter.name.to_string_lossy();
        let proved = found.proved.clone().unwrap_or_else(|| self.status().name().to_owned());
        let spent = spent(&self.counts(), self.seconds);
        if let Some(about) = &self.investigation {
            self.print_changes(about, &proved, &spent);
        } else if plan.verb == Verb::Options {
            call::print(plan, self.typed, &self.causes, self.seconds);
        } else if let Some(sides) = self.isolated() {
            let apart = sides.difference().len() as u64;
            let noun = noun(plan.subject());
            let decided = match (&found.status, apart) {
                (Status::Stopped(_), _) => "left to search",
                (_, 1) => "decides",
                _ => "decide together",
            };
            printed!(
                "{name}: {} of {} {decided}, {proved}, {spent}",
                count(apart, &format!("changed {noun}")),
                grouped(u64::from(plan.subject().deltas())),
            );
            for line in self.changes() {
                printed!("  {line}");
            }
            if let Some(passing) = &plan.keeper.passing {
                printed!("passing: {}", passing.display());
            }
            printed!("failing: {}", plan.keeper.failing.display());
        } else {
            let before =
                plan.matter.varied.size().max(plan.subject().size() - plan.matter.fixed.size());
            let after = self.kept_size();
            let files = match &found.failing {
                Variant::Folder(folder) => {
                    let kept = folder.select(&plan.keeper.places);
                    let files = count(plan.matter.varied.file_count(), "file");
                    format!("{files} → {}, ", grouped(kept.file_count()))
                }
                _ => String::new(),
            };
            printed!(
                "{name}: {files}{} → {} ({} gone), {proved}, {spent}",
                grouped(before),
                count(after, "byte"),
                gone(before, after)
            );
            printed!("result: {}", plan.keeper.failing.display());
            print_short(&match &found.failing {
                Variant::Folder(folder) => {
                    Variant::Folder(folder.select(&plan.keeper.places)).beginning(PRINTED_BYTES + 1)
                }
                other => other.beginning(PRINTED_BYTES + 1),
            });
            self.print_others();
        }
    }

    fn print_changes(&self, about: &Investigation, proved: &str, spent: &str) {
        let apart = about.sides.difference().len() as u64;
        let verb = match (&self.found().status, apart) {
            (Status::Stopped(_), _) => "left to search",
            (_, 1) => "breaks it",
            _ => "break it together",
        };
        let proved = if about.complete { proved } else { "parts of them cannot be tested" };
        printed!(
            "{} of {} {verb}, {proved}, {spent}",
            count(apart, &format!("changed {}", noun(&about.subject))),
            grouped(u64::from(about.subject.deltas())),
        );
        for line in about.story() {
            let indent = if line.starts_with("commit ") { "" } else { "  " };
            printed!("{indent}{line}");
        }
        if let Some(audit) = &about.audit {
            printed!("audit: {}", audit.told());
        }
        let reasons = reasons(self.plan);
        if !reasons.is_empty() {
            let told: Vec<String> =
                reasons.iter().map(|(reason, count)| format!("{count} {reason}")).collect();
            printed!("unresolved: {}", told.join(", "));
        }
        printed!("patch: {}", self.patch().display());
        print_short(&about.patch);
    }

    /// The causes besides the first one, and other crashes.
    fn print_others(&self) {
        for (index, found) in self.causes.found.iter().enumerate().skip(1) {
            let number = index + 1;
            let path = numbered(&self.plan.keeper.failing, number);
            let proved = found.proved.clone().unwrap_or_else(|| found.status.name().to_owned());
            let (bytes, tests) = (found.failing.size(), found.counts.executed);
            printed!(
                "cause {number}: {}, {proved}, {}",
                count(bytes, "byte"),
                count(tests, "test")
            );
            printed!("result: {}", path.display());
            print_short(&found.failing.beginning(PRINTED_BYTES + 1));
        }
        match (self.causes.complete, self.causes.found.len()) {
            (true, 1) => printed!("no other cause: without it, the rest does not fail"),
            (true, number) => {
                printed!("no other cause: without these {number}, the rest does not fail")
            }
            (false, _) => {}
        }
        for Met { crash, bytes, path } in self.crashes {
            printed!("another crash: {crash}; {}, {}", count(*bytes, "byte"), path.display());
        }
    }
}

/// Why tests were unresolved, and how often.
fn reasons(plan: &Plan) -> BTreeMap<String, u64> {
    let mut reasons = BTreeMap::new();
    for record in Journal::read(&plan.session).unwrap_or_default() {
        if let Record::Test(TestRecord { reason: Some(reason), .. }) = record {
            *reasons.entry(reason).or_default() += 1;
        }
    }
    reasons
}

/// Shows a result that fits on a screen.
fn print_short(result: &[u8]) {
    let text = String::from_utf8_lossy(result);
    let printable = text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t' || c == '\r');
    if result.len() <= PRINTED_BYTES && text.lines().count() <= PRINTED_LINES && printable {
        printed!("{}", "─".repeat(40));
        printed!("{}", text.trim_end_matches('\n'));
        printed!("{}", "─".repeat(40));
    }
}

/// How often something fails, for people.
pub fn rate_in_words(rate: Rate) -> String {
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let (low, high) = rate.interval();
    format!(
        "in {} of {} runs ({} %, between {} and {} %)",
        rate.fails,
        rate.runs,
        percent(rate.share()),
        percent(low),
        percent(high)
    )
}

/// What a delta is called.
pub fn noun(subject: &Subject) -> String {
    match subject.level_names().last() {
        // A variable, or an entry of a list.
        Some(&"entry") => "setting".to_owned(),
        Some(&"char") => "character".to_owned(),
        Some(&"json") => "element".to_owned(),
        Some(name) => (*name).to_owned(),
        None => "delta".to_owned(),
    }
}

/// How many tests there were, and how long it all took.
pub fn spent(counts: &Counts, seconds: Duration) -> String {
    let known = match counts.replayed {
        0 => String::new(),
        known => format!(" ({} known from before)", grouped(known)),
    };
    format!("{}{known} in {}", count(counts.executed, "test"), time(seconds))
}
