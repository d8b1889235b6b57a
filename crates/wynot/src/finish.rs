//! What came of a search: for people, for scripts, and as a page.

use crate::call;
use crate::causes::{self, Causes};
use crate::difference;
use crate::failure::{Code, Failure};
use crate::look::stopped;
use crate::plan::{Algorithm, Plan, Verb};
use crate::results::numbered;
use crate::sessions::Typed;
use crate::strategy::{Found, Status};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wynot_core::{Configuration, Isolated};
use wynot_report::Story;
use wynot_report::number::{count, gone, grouped, time};
use wynot_run::{Counts, Digest, End, Journal, Met, Rate, Record, Seen, Side, Stop};
use wynot_subjects::{Artefact, Circumstances};

/// How much of a text the journal keeps for the report.
const EXCERPT: usize = 20_000;

/// How long a result may be to be printed whole.
const PRINTED_BYTES: usize = 2_000;
const PRINTED_LINES: usize = 30;

impl Status {
    fn name(&self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Indeterminate => "indeterminate",
            Self::Stopped(_) => "stopped",
        }
    }

    fn code(&self) -> Code {
        match self {
            Self::Minimal => Code::Found,
            Self::Indeterminate => Code::Indeterminate,
            Self::Stopped(
                Stop::MaxTests(_) | Stop::MaxTime | Stop::SmallEnough(_) | Stop::Skipped,
            ) => Code::Limit,
            Self::Stopped(Stop::Interrupted) => Code::Interrupted,
            Self::Stopped(_) => Code::Unexpected,
        }
    }
}

/// A search that has ended.
pub struct Finish<'a> {
    pub plan: &'a Plan,
    pub typed: &'a Typed,
    pub causes: Causes,
    /// Other crashes that were met.
    pub crashes: &'a [Met],
    /// The run of the original.
    pub original: Seen,
    /// How often it fails, if that was measured.
    pub rate: Option<Rate>,
    /// Whether an earlier run of this session may have left results.
    pub resumed: bool,
    pub seconds: Duration,
    /// Processor time that wynot itself has used.
    pub own_cpu: Duration,
}

impl Finish<'_> {
    /// Writes the results down and tells about them.
    pub fn tell(&self, journal: &mut Journal) -> Result<ExitCode, Failure> {
        let kept = |stop: Stop| stopped(&stop);
        if !self.is_behind() {
            self.plan.keeper.save(Side::Failing, &self.found().failing).map_err(kept)?;
            self.plan.keeper.save(Side::Passing, &self.found().passing).map_err(kept)?;
        }
        if matches!(self.status(), Status::Stopped(Stop::Write { .. })) {
            // The journal may be what cannot be written; nothing is lost without an end record.
            let _ = journal.append(&Record::End(self.end()));
        } else {
            journal
                .append(&Record::End(self.end()))
                .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
        }
        if let Some(path) = &self.typed.args.output.report {
            self.report(path)?;
        }
        if self.typed.args.output.json {
            printed!("{}", self.json());
        } else {
            self.print();
        }
        self.advise()
    }

    /// The first cause, which is the result.
    fn found(&self) -> &Found {
        &self.causes.found[0]
    }

    /// How the search ended: as its last part did.
    fn status(&self) -> &Status {
        let last = self.causes.found.last();
        last.map_or(&self.found().status, |found| &found.status)
    }

    fn counts(&self) -> Counts {
        causes::counts(&self.causes)
    }

    /// Whether an earlier run of this session has got further than this one, which was stopped.
    fn is_behind(&self) -> bool {
        let there = self.plan.keeper.size(Side::Failing).unwrap_or(u64::MAX);
        let stopped = matches!(self.found().status, Status::Stopped(_));
        self.resumed && stopped && there < self.kept_size()
    }

    /// The size of the result, without what does not vary.
    fn kept_size(&self) -> u64 {
        match &self.found().failing {
            Artefact::Folder(folder) => folder.among(&self.plan.keeper.places).size(),
            other => other.size(),
        }
    }

    /// What those should know whose result fails in other words than the original.
    fn other_failure(&self) -> Option<String> {
        let seen = self.found().seen.as_ref()?;
        if seen.ending != self.original.ending {
            return Some(format!(
                "the original ended with {}, the result ends with {}; --fail-when can ask for both",
                self.original.ending, seen.ending
            ));
        }
        let (was, now) = (self.original.gist.as_ref()?, seen.gist());
        let is = now.first()?;
        (!now.contains(was)).then(|| {
            format!(
                "the original said \"{was}\", the result says \"{is}\"; if that matters, add \
                 --same-output or --fail-when 'stderr~TEXT'"
            )
        })
    }

    fn end(&self) -> End {
        let found = self.found();
        End {
            status: self.status().name().to_owned(),
            minimality: found.proved.clone(),
            tests: self.counts(),
            bytes: found.failing.size(),
            deltas: found.deltas,
            difference: self.isolated().map(|sides| sides.difference().len() as u64),
            seconds: self.seconds.as_secs_f64(),
            failing: excerpt(&found.failing),
            passing: self.isolated().map(|_| excerpt(&found.passing)),
            changes: self.changes(),
            result: Digest::of(&found.failing).to_string(),
            sides: found.sides.as_ref().map(|sides| [runs(&sides.failing), runs(&sides.passing)]),
            passes: found.passes.clone(),
            rate: found.rate,
        }
    }

    /// Both sides, when isolating.
    fn isolated(&self) -> Option<&Isolated> {
        self.found().sides.as_ref().filter(|_| self.plan.algorithm.isolates())
    }

    /// The changes that decide, in words, when isolating or varying a call.
    fn changes(&self) -> Vec<String> {
        let told = self.isolated().is_some() || self.plan.verb == Verb::Options;
        let sides = self.found().sides.as_ref().filter(|_| told);
        sides.map(|sides| difference::describe(self.plan.subject(), sides)).unwrap_or_default()
    }

    fn json(&self) -> Value {
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
            "output": lossy(&plan.keeper.failing),
            "seconds": (self.seconds.as_secs_f64() * 1000.0).round() / 1000.0,
            "own_cpu_seconds": (self.own_cpu.as_secs_f64() * 1000.0).round() / 1000.0,
            "jobs": plan.jobs,
            "session": lossy(&plan.session),
        });
        if plan.algorithm == Algorithm::Smart {
            value["passes"] = json!(found.passes);
        }
        match (&found.failing, &self.plan.matter) {
            (Artefact::Folder(after), matter) => {
                let before = matter.varied.files();
                let after = after.among(&plan.keeper.places).files();
                value["files"] = json!({"before": before, "after": after});
            }
            (Artefact::Bytes(_), matter) if plan.algorithm == Algorithm::Smart => {
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

    fn print(&self) {
        let (plan, found) = (self.plan, self.found());
        let name = plan.matter.name.to_string_lossy();
        let proved = found.proved.clone().unwrap_or_else(|| self.status().name().to_owned());
        let spent = spent(&self.counts(), self.seconds);
        if plan.verb == Verb::Options {
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
                Artefact::Folder(folder) => {
                    let kept = folder.among(&plan.keeper.places);
                    let files = count(plan.matter.varied.files(), "file");
                    format!("{files} → {}, ", grouped(kept.files()))
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
                Artefact::Folder(folder) => {
                    Artefact::Folder(folder.among(&plan.keeper.places)).beginning(PRINTED_BYTES + 1)
                }
                other => other.beginning(PRINTED_BYTES + 1),
            });
            self.print_others();
        }
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

    fn report(&self, path: &Path) -> Result<(), Failure> {
        let records =
            Journal::read(&self.plan.session).map_err(|error| Failure::unexpected(&error))?;
        let Some(story) = Story::from_records(&records) else { return Ok(()) };
        std::fs::write(path, wynot_report::html(&story))
            .map_err(|error| Failure::cannot_write(path, &error))
    }

    /// What to do next, where something is left to do; and the exit code.
    fn advise(&self) -> Result<ExitCode, Failure> {
        let best = self.plan.keeper.failing.display();
        if let (Some(before), Some(after)) = (self.rate, self.found().rate)
            && !self.typed.args.output.json
        {
            let (before, after) = (rate_in_words(before), rate_in_words(after));
            printed!("fails {after}; the original {before}");
        }
        if let (Some(note), false) = (self.other_failure(), self.typed.args.output.quiet) {
            told!("note: {note}");
        }
        match self.status() {
            Status::Minimal => {}
            Status::Indeterminate => {
                told!(
                    "wynot: the test changed its mind: asked again, it says something else about the result"
                );
                told!(
                    "{}",
                    match self.counts().replayed {
                        0 => "hint: it is flaky; try --flaky --fresh, or make it deterministic",
                        _ =>
                            "hint: outcomes of an earlier run were used; if something that the test \
                          depends on has changed since, use --fresh; else it is flaky, try --flaky",
                    }
                );
            }
            Status::Stopped(
                stop @ (Stop::MaxTests(_)
                | Stop::MaxTime
                | Stop::SmallEnough(_)
                | Stop::Skipped
                | Stop::Interrupted),
            ) => {
                told!("wynot: {stop}; the best so far is in {best}");
                told!(
                    "hint: run the same command again{} to go on from here",
                    match stop {
                        Stop::Interrupted | Stop::Skipped => "",
                        Stop::SmallEnough(_) => " without --until-size",
                        _ => " with a higher limit",
                    }
                );
            }
            Status::Stopped(stop) => {
                let verb = match self.plan.verb {
                    Verb::Reduce => "reducing",
                    Verb::Isolate => "isolating",
                    Verb::Options => "searching",
                };
                return Err(stopped(stop).hint(format!(
                    "the best so far is in {best}; run the same command again to go on {verb}"
                )));
            }
        }
        Ok(self.status().code().into())
    }
}

/// The runs of a configuration, for the journal.
fn runs(configuration: &Configuration) -> Vec<(u32, u32)> {
    configuration.runs().iter().map(|run| (run.start, run.end)).collect()
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

/// The beginning of a variant, for the report.
pub fn excerpt(variant: &Artefact) -> String {
    String::from_utf8_lossy(&variant.beginning(EXCERPT)).into_owned()
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
pub fn noun(subject: &Circumstances) -> String {
    match subject.names().last() {
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
