//! What came of a search: for people, for scripts, and as a page.

use crate::args::SearchArgs;
use crate::difference;
use crate::failure::{Code, Failure};
use crate::look::stopped;
use crate::plan::{Algorithm, Plan, Verb};
use crate::strategy::{Found, Status};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wynot_core::{Configuration, Isolated};
use wynot_report::Story;
use wynot_report::number::{count, gone, grouped, time};
use wynot_run::{Digest, End, Journal, Record, Seen, Side, Stop};

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
            Self::Stopped(Stop::MaxTests(_) | Stop::MaxTime | Stop::Skipped) => Code::Limit,
            Self::Stopped(Stop::Interrupted) => Code::Interrupted,
            Self::Stopped(_) => Code::Unexpected,
        }
    }
}

/// A search that has ended.
pub struct Finish<'a> {
    pub plan: &'a Plan,
    pub args: &'a SearchArgs,
    pub found: Found,
    /// The run of the original.
    pub original: Seen,
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
            self.plan.keeper.save(Side::Failing, &self.found.failing).map_err(kept)?;
            self.plan.keeper.save(Side::Passing, &self.found.passing).map_err(kept)?;
        }
        if matches!(self.found.status, Status::Stopped(Stop::Write { .. })) {
            // The journal may be what cannot be written; nothing is lost without an end record.
            let _ = journal.append(&Record::End(self.end()));
        } else {
            journal
                .append(&Record::End(self.end()))
                .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
        }
        if let Some(path) = &self.args.output.report {
            self.report(path)?;
        }
        if self.args.output.json {
            printed!("{}", self.json());
        } else {
            self.print();
        }
        self.advise()
    }

    /// Whether an earlier run of this session has got further than this one, which was stopped.
    fn is_behind(&self) -> bool {
        let there = std::fs::metadata(&self.plan.keeper.failing).map_or(u64::MAX, |m| m.len());
        let stopped = matches!(self.found.status, Status::Stopped(_));
        self.resumed && stopped && there < self.found.failing.len() as u64
    }

    /// What those should know whose result fails in other words than the original.
    fn other_failure(&self) -> Option<String> {
        let seen = self.found.seen.as_ref()?;
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
        let found = &self.found;
        End {
            status: found.status.name().to_owned(),
            minimality: found.proved.clone(),
            tests: found.counts,
            bytes: found.failing.len() as u64,
            deltas: found.deltas,
            difference: self.isolated().map(|sides| sides.difference().len() as u64),
            seconds: self.seconds.as_secs_f64(),
            failing: excerpt(&found.failing),
            passing: self.isolated().map(|_| excerpt(&found.passing)),
            changes: self.changes(),
            result: Digest::of_bytes(&found.failing).to_string(),
            sides: found.sides.as_ref().map(|sides| [runs(&sides.failing), runs(&sides.passing)]),
            passes: found.passes.clone(),
        }
    }

    /// Both sides, when isolating.
    fn isolated(&self) -> Option<&Isolated> {
        self.found.sides.as_ref().filter(|_| self.plan.algorithm.isolates())
    }

    /// The changes that decide, in words, when isolating.
    fn changes(&self) -> Vec<String> {
        self.isolated()
            .map(|sides| difference::describe(&self.plan.subject, sides))
            .unwrap_or_default()
    }

    fn json(&self) -> Value {
        let (plan, found) = (self.plan, &self.found);
        let lossy = |path: &Path| path.to_string_lossy().into_owned();
        let mut value = json!({
            "schema": 1,
            "command": plan.verb.name(),
            "status": found.status.name(),
            "minimality": found.proved,
            "algorithm": plan.algorithm.name(),
            "unit": plan.units(),
            "tests": found.counts,
            "deltas": {"before": plan.subject.deltas(), "after": found.deltas},
            "bytes": {"before": plan.subject.original().len(), "after": found.failing.len()},
            "output": lossy(&plan.keeper.failing),
            "seconds": (self.seconds.as_secs_f64() * 1000.0).round() / 1000.0,
            "own_cpu_seconds": (self.own_cpu.as_secs_f64() * 1000.0).round() / 1000.0,
            "jobs": plan.jobs,
            "session": lossy(&plan.session),
        });
        if plan.algorithm == Algorithm::Smart {
            value["language"] = json!(plan.language.name);
            value["passes"] = json!(found.passes);
        }
        if let Some(sides) = self.isolated() {
            value["difference"] = json!({
                "deltas": sides.difference().len(),
                "bytes": difference::bytes(&plan.subject, sides),
                "changes": self.changes(),
            });
            value["passing"] = json!(plan.keeper.passing.as_deref().map(lossy));
            value["failing"] = json!(lossy(&plan.keeper.failing));
        }
        value
    }

    fn print(&self) {
        let (plan, found) = (self.plan, &self.found);
        let name = plan.name.to_string_lossy();
        let proved = found.proved.clone().unwrap_or_else(|| found.status.name().to_owned());
        let known = match found.counts.replayed {
            0 => String::new(),
            known => format!(" ({} known from before)", grouped(known)),
        };
        let tests = count(found.counts.executed, "test");
        let spent = format!("{tests}{known} in {}", time(self.seconds));
        if let Some(sides) = self.isolated() {
            let apart = sides.difference().len() as u64;
            let noun = match plan.subject.units().finest() {
                wynot_subjects::Unit::Char => "character".to_owned(),
                wynot_subjects::Unit::Json => "element".to_owned(),
                unit => unit.to_string(),
            };
            let decided = match (&found.status, apart) {
                (Status::Stopped(_), _) => "left to search",
                (_, 1) => "decides",
                _ => "decide together",
            };
            printed!(
                "{name}: {} of {} {decided}, {proved}, {spent}",
                count(apart, &format!("changed {noun}")),
                grouped(u64::from(plan.subject.deltas())),
            );
            for line in self.changes() {
                printed!("  {line}");
            }
            if let Some(passing) = &plan.keeper.passing {
                printed!("passing: {}", passing.display());
            }
            printed!("failing: {}", plan.keeper.failing.display());
        } else {
            let (before, after) =
                (plan.subject.original().len() as u64, found.failing.len() as u64);
            printed!(
                "{name}: {} → {} ({} gone), {proved}, {spent}",
                grouped(before),
                count(after, "byte"),
                gone(before, after)
            );
            printed!("result: {}", plan.keeper.failing.display());
            print_short(&found.failing);
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
        if let (Some(note), false) = (self.other_failure(), self.args.output.quiet) {
            told!("note: {note}");
        }
        match &self.found.status {
            Status::Minimal => {}
            Status::Indeterminate => {
                told!(
                    "wynot: the test changed its mind: asked again, it says something else about the result"
                );
                told!(
                    "{}",
                    match self.found.counts.replayed {
                        0 =>
                            "hint: it is flaky; try --repeat 5 --quorum 3 --fresh, or make it deterministic",
                        _ =>
                            "hint: outcomes of an earlier run were used; if something that the test \
                          depends on has changed since, use --fresh; else it is flaky, try --repeat 5",
                    }
                );
            }
            Status::Stopped(
                stop @ (Stop::MaxTests(_) | Stop::MaxTime | Stop::Skipped | Stop::Interrupted),
            ) => {
                told!("wynot: {stop}; the best so far is in {best}");
                told!(
                    "hint: run the same command again{} to go on from here",
                    match stop {
                        Stop::Interrupted | Stop::Skipped => "",
                        _ => " with a higher limit",
                    }
                );
            }
            Status::Stopped(stop) => {
                let verb = match self.plan.verb {
                    Verb::Reduce => "reducing",
                    Verb::Isolate => "isolating",
                };
                return Err(stopped(stop).hint(format!(
                    "the best so far is in {best}; run the same command again to go on {verb}"
                )));
            }
        }
        Ok(self.found.status.code().into())
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

/// The beginning of a text, for the report.
pub fn excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]).into_owned()
}
