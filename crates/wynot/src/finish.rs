//! What came of a search: for people, for scripts, and as a page.

use crate::causes::{self, Causes};
use crate::changes::Investigation;
use crate::difference;
use crate::failure::{Code, Failure};
use crate::look::stopped;
use crate::plan::{Plan, Verb};
use crate::sessions::Typed;
use crate::strategy::{Found, Status};
use crate::telling::rate_in_words;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use wynot_core::{Configuration, Isolated};
use wynot_report::SessionSummary;
use wynot_run::{Counts, Digest, End, Journal, Met, Rate, Record, Seen, Side, Stop};
use wynot_subjects::Artefact;

/// How much of a text the journal keeps for the report.
const EXCERPT: usize = 20_000;

impl Status {
    pub fn name(&self) -> &'static str {
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
    /// What was found out about versions.
    pub investigation: Option<Investigation>,
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
                .map_err(|error| unwritten(journal.path(), &error))?;
        }
        if let Some(about) = &self.investigation {
            let written = [(self.patch(), about.patch.clone()), (self.log(), about.log())];
            for (path, bytes) in written.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
                std::fs::write(&path, bytes).map_err(|error| unwritten(&path, &error))?;
            }
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

    /// Where the patch goes.
    pub fn patch(&self) -> PathBuf {
        let wanted = self.typed.args.output.output.clone();
        wanted.unwrap_or_else(|| self.plan.session.join("changes.patch"))
    }

    /// Where the log for `git bisect replay` goes.
    pub fn log(&self) -> PathBuf {
        self.plan.session.join("bisect.log")
    }

    /// The first cause, which is the result.
    pub fn found(&self) -> &Found {
        &self.causes.found[0]
    }

    /// How the search ended: as its last part did.
    pub fn status(&self) -> &Status {
        let last = self.causes.found.last();
        last.map_or(&self.found().status, |found| &found.status)
    }

    pub fn counts(&self) -> Counts {
        causes::counts(&self.causes)
    }

    /// Whether an earlier run of this session has got further than this one, which was stopped.
    fn is_behind(&self) -> bool {
        let there = self.plan.keeper.size(Side::Failing).unwrap_or(u64::MAX);
        let stopped = matches!(self.found().status, Status::Stopped(_));
        self.resumed && stopped && there < self.kept_size()
    }

    /// The size of the result, without what does not vary.
    pub fn kept_size(&self) -> u64 {
        match &self.found().failing {
            Artefact::Folder(folder) => folder.among(&self.plan.keeper.places).size(),
            other => other.size(),
        }
    }

    /// What those should know whose result fails in other words than the original.
    fn other_failure(&self) -> Option<String> {
        let settled = !matches!(self.status(), Status::Indeterminate);
        let seen = self.found().seen.as_ref().filter(|_| settled)?;
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
            bytes: match &self.investigation {
                Some(about) => about.patch.len() as u64,
                None => found.failing.size(),
            },
            deltas: found.deltas,
            difference: self.deciding(),
            seconds: self.seconds.as_secs_f64(),
            failing: match &self.investigation {
                Some(about) => excerpt(&Artefact::Bytes(about.patch.clone())),
                None => excerpt(&found.failing),
            },
            passing: self.isolated().map(|_| excerpt(&found.passing)),
            changes: match &self.investigation {
                Some(about) => about.story(),
                None => self.changes(),
            },
            result: Digest::of(&found.failing).to_string(),
            sides: found.sides.as_ref().map(|sides| [runs(&sides.failing), runs(&sides.passing)]),
            passes: found.passes.clone(),
            rate: found.rate,
        }
    }

    /// How many deltas decide, unless an input was simplified.
    fn deciding(&self) -> Option<u64> {
        let about = self.investigation.as_ref().map(|about| &about.sides);
        let call = self.found().sides.as_ref().filter(|_| self.plan.verb == Verb::Options);
        let sides = about.or(call).or(self.isolated());
        sides.map(|sides| sides.difference().len() as u64)
    }

    /// Both sides, when isolating.
    pub fn isolated(&self) -> Option<&Isolated> {
        self.found().sides.as_ref().filter(|_| self.plan.algorithm.isolates())
    }

    /// The changes that decide, in words, when isolating or varying a call.
    pub fn changes(&self) -> Vec<String> {
        if let Some(about) = &self.investigation {
            return about.lines();
        }
        let told = self.isolated().is_some() || self.plan.verb == Verb::Options;
        let sides = self.found().sides.as_ref().filter(|_| told);
        sides.map(|sides| difference::describe(self.plan.subject(), sides)).unwrap_or_default()
    }

    fn report(&self, path: &Path) -> Result<(), Failure> {
        let records =
            Journal::read(&self.plan.session).map_err(|error| Failure::unexpected(&error))?;
        let Some(summary) = SessionSummary::from_records(&records) else { return Ok(()) };
        std::fs::write(path, wynot_report::session_page(&summary))
            .map_err(|error| Failure::cannot_write(path, &error))
    }

    /// What to do next, where something is left to do; and the exit code.
    fn advise(&self) -> Result<ExitCode, Failure> {
        let patch = self.investigation.as_ref().map(|_| self.patch());
        let best = patch.as_ref().unwrap_or(&self.plan.keeper.failing).display();
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
                    Verb::Options | Verb::Changes => "searching",
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

/// The beginning of a variant, for the report.
pub fn excerpt(variant: &Artefact) -> String {
    String::from_utf8_lossy(&variant.beginning(EXCERPT)).into_owned()
}

/// What came of a search cannot be written; its outcomes have been.
fn unwritten(path: &Path, error: &std::io::Error) -> Failure {
    Failure::cannot_write(path, error)
        .hint("nothing is lost: run the same command again when it can be written")
}
