//! What came of a search: for people, for scripts, and as a page.

use crate::args::SearchArgs;
use crate::difference;
use crate::failure::{Code, Failure};
use crate::look::stopped;
use crate::plan::{Algorithm, Plan, Verb};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;
use wynot_core::Isolated;
use wynot_report::Story;
use wynot_report::number::{count, gone, grouped, time};
use wynot_run::{Counts, End, Journal, Record, Side, Stop};

/// How much of a text the journal keeps for the report.
const EXCERPT: usize = 20_000;

/// How long a result may be to be printed whole.
const PRINTED_BYTES: usize = 2_000;
const PRINTED_LINES: usize = 30;

/// How a search ended.
#[derive(Debug)]
pub enum Status {
    Minimal,
    /// The test changed its mind about the result.
    Indeterminate,
    Stopped(Stop),
}

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
            Self::Stopped(Stop::MaxTests(_) | Stop::MaxTime) => Code::Limit,
            Self::Stopped(Stop::Interrupted) => Code::Interrupted,
            Self::Stopped(_) => Code::Unexpected,
        }
    }
}

/// A search that has ended.
pub struct Finish<'a> {
    pub plan: &'a Plan,
    pub args: &'a SearchArgs,
    pub sides: Isolated,
    pub status: Status,
    pub counts: Counts,
    pub seconds: Duration,
    /// Processor time that wynot itself has used.
    pub own_cpu: Duration,
}

impl Finish<'_> {
    /// Writes the results down and tells about them.
    pub fn tell(&self, journal: &mut Journal) -> Result<ExitCode, Failure> {
        let subject = &self.plan.subject;
        let (mut failing, mut passing) = (Vec::new(), Vec::new());
        subject.compose(&self.sides.failing, &mut failing);
        subject.compose(&self.sides.passing, &mut passing);
        let kept = |stop: Stop| stopped(&stop);
        self.plan.keeper.save(Side::Failing, &failing).map_err(kept)?;
        self.plan.keeper.save(Side::Passing, &passing).map_err(kept)?;
        if matches!(self.status, Status::Stopped(Stop::Write { .. })) {
            // The journal may be what cannot be written; nothing is lost without an end record.
            let _ = journal.append(&Record::End(self.end(&failing, &passing)));
        } else {
            journal
                .append(&Record::End(self.end(&failing, &passing)))
                .map_err(|error| Failure::cannot_write(journal.path(), &error))?;
        }
        if let Some(path) = &self.args.output.report {
            self.report(path)?;
        }
        if self.args.output.json {
            println!("{}", self.json(failing.len() as u64));
        } else {
            self.print(&failing);
        }
        self.advise()
    }

    fn isolates(&self) -> bool {
        self.plan.algorithm.isolates()
    }

    /// What is proved about the result.
    fn minimality(&self) -> Option<String> {
        matches!(self.status, Status::Minimal).then(|| {
            let proved = self.args.algorithm.minimality;
            let what = match self.plan.algorithm {
                Algorithm::Ddmin | Algorithm::Dd => "minimal",
                Algorithm::Ddmax => "maximal",
            };
            format!("{proved}-{what} ({})", self.plan.subject.units().finest())
        })
    }

    fn end(&self, failing: &[u8], passing: &[u8]) -> End {
        let isolates = self.isolates();
        End {
            status: self.status.name().to_owned(),
            minimality: self.minimality(),
            tests: self.counts,
            bytes: failing.len() as u64,
            deltas: self.sides.failing.len() as u64,
            difference: isolates.then(|| self.sides.difference().len() as u64),
            seconds: self.seconds.as_secs_f64(),
            failing: excerpt(failing),
            passing: isolates.then(|| excerpt(passing)),
        }
    }

    fn json(&self, bytes: u64) -> Value {
        let plan = self.plan;
        let lossy = |path: &Path| path.to_string_lossy().into_owned();
        let mut value = json!({
            "schema": 1,
            "command": plan.verb.name(),
            "status": self.status.name(),
            "minimality": self.minimality(),
            "algorithm": plan.algorithm.name(),
            "unit": plan.subject.units().to_string(),
            "tests": self.counts,
            "deltas": {"before": plan.subject.deltas(), "after": self.sides.failing.len()},
            "bytes": {"before": plan.subject.original().len(), "after": bytes},
            "output": lossy(&plan.keeper.failing),
            "seconds": (self.seconds.as_secs_f64() * 1000.0).round() / 1000.0,
            "own_cpu_seconds": (self.own_cpu.as_secs_f64() * 1000.0).round() / 1000.0,
            "jobs": plan.jobs,
            "session": lossy(&plan.session),
        });
        if self.isolates() {
            value["difference"] = json!({
                "deltas": self.sides.difference().len(),
                "bytes": difference::bytes(&plan.subject, &self.sides),
            });
            value["passing"] = json!(plan.keeper.passing.as_deref().map(lossy));
            value["failing"] = json!(lossy(&plan.keeper.failing));
        }
        value
    }

    fn print(&self, failing: &[u8]) {
        let plan = self.plan;
        let name = plan.name.to_string_lossy();
        let proved = self.minimality().unwrap_or_else(|| self.status.name().to_owned());
        let spent = format!("{} in {}", count(self.counts.executed, "test"), time(self.seconds));
        if self.isolates() {
            let apart = self.sides.difference().len() as u64;
            let noun = match plan.subject.units().finest() {
                wynot_subjects::Unit::Char => "character".to_owned(),
                unit => unit.to_string(),
            };
            println!(
                "{name}: {} of {} {}, {proved}, {spent}",
                count(apart, &format!("changed {noun}")),
                grouped(u64::from(plan.subject.deltas())),
                if apart == 1 { "decides" } else { "decide together" }
            );
            for line in difference::describe(&plan.subject, &self.sides) {
                println!("  {line}");
            }
            if let Some(passing) = &plan.keeper.passing {
                println!("passing: {}", passing.display());
            }
            println!("failing: {}", plan.keeper.failing.display());
        } else {
            let (before, after) = (plan.subject.original().len() as u64, failing.len() as u64);
            println!(
                "{name}: {} → {} ({} gone), {proved}, {spent}",
                grouped(before),
                count(after, "byte"),
                gone(before, after)
            );
            println!("result: {}", plan.keeper.failing.display());
            print_short(failing);
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
        match &self.status {
            Status::Minimal => {}
            Status::Indeterminate => {
                eprintln!(
                    "wynot: the test changed its mind: asked again, it says something else about the result"
                );
                eprintln!(
                    "hint: it is flaky; try --repeat 5 --quorum 3 --fresh, or make it deterministic"
                );
            }
            Status::Stopped(stop @ (Stop::MaxTests(_) | Stop::MaxTime | Stop::Interrupted)) => {
                eprintln!("wynot: {stop}; the best so far is in {best}");
                eprintln!(
                    "hint: run the same command again{} to go on from here",
                    match stop {
                        Stop::Interrupted => "",
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
        Ok(self.status.code().into())
    }
}

/// Shows a result that fits on a screen.
fn print_short(result: &[u8]) {
    let text = String::from_utf8_lossy(result);
    let printable = text.chars().all(|c| !c.is_control() || c == '\n' || c == '\t' || c == '\r');
    if result.len() <= PRINTED_BYTES && text.lines().count() <= PRINTED_LINES && printable {
        println!("{}", "─".repeat(40));
        println!("{}", text.trim_end_matches('\n'));
        println!("{}", "─".repeat(40));
    }
}

/// The beginning of a text, for the report.
pub fn excerpt(bytes: &[u8]) -> String {
    String::from_utf8_lossy(&bytes[..bytes.len().min(EXCERPT)]).into_owned()
}

/// Processor time this process has used.
pub fn own_cpu() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec as u64, used.tv_nsec as u32)
}
