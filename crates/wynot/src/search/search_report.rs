//! The report of a search that has ended: what was found, and what is written down about it.

use super::causes::Causes;
use super::changes::ChangesFound;
use super::found::{Found, Status};
use crate::describe::describe_difference;
use crate::error::Error;
use crate::plan::Plan;
use crate::request::Verb;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_core::{Configuration, Isolated};
use wynot_session::judge::Rate;
use wynot_session::{
    Counts, Digest, EndRecord, Journal, OtherCrash, Record, RunSummary, Side, Stop, TestRecord,
};
use wynot_subjects::Variant;

/// How many bytes of a text the journal keeps for pages.
const EXCERPT_BYTES: usize = 20_000;

/// Everything that is known about a search when it has ended.
#[derive(Debug)]
pub struct SearchReport {
    /// The plan that was carried out.
    pub plan: Plan,
    /// The causes that were found, the first of which is the result.
    pub causes: Causes,
    /// What was found about versions.
    pub changes: Option<ChangesFound>,
    /// Where the patch goes, as the user wrote it, if versions were searched.
    pub patch: Option<PathBuf>,
    /// Other crashes that were seen.
    pub crashes: Vec<OtherCrash>,
    /// The run of the original.
    pub original: RunSummary,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
    /// Whether an earlier run of this session may have left results.
    pub resumed: bool,
    /// How long the search took.
    pub elapsed: Duration,
    /// Processor time that wynot itself has used.
    pub own_cpu: Duration,
}

impl SearchReport {
    /// The first cause, which is the result.
    pub fn found(&self) -> &Found {
        &self.causes.found[0]
    }

    /// How the search ended: as its last part did.
    pub fn status(&self) -> &Status {
        let last = self.causes.found.last();
        last.map_or(&self.found().status, |found| &found.status)
    }

    /// All tests of all parts.
    pub fn counts(&self) -> Counts {
        self.causes.counts()
    }

    /// Both sides, when isolating.
    pub fn isolated(&self) -> Option<&Isolated> {
        self.found().sides.as_ref().filter(|_| self.plan.algorithm.isolates())
    }

    /// The changes that decide, in words, when isolating or varying a call.
    pub fn changes_in_words(&self) -> Vec<String> {
        if let Some(changes) = &self.changes {
            return changes.lines();
        }
        let is_difference = self.isolated().is_some() || self.plan.verb == Verb::Options;
        let sides = self.found().sides.as_ref().filter(|_| is_difference);
        sides.map(|sides| describe_difference(self.plan.subject(), sides)).unwrap_or_default()
    }

    /// The size of the result, without what does not vary.
    pub fn varied_size(&self) -> u64 {
        match &self.found().failing {
            Variant::Folder(folder) => folder.select(&self.plan.results.places).size(),
            other => other.size(),
        }
    }

    /// The path of the log for `git bisect replay`.
    pub fn bisect_log(&self) -> PathBuf {
        self.plan.session.join("bisect.log")
    }

    /// Why tests were unresolved, and how often.
    pub fn unresolved_reasons(&self) -> BTreeMap<String, u64> {
        let mut reasons = BTreeMap::new();
        for record in Journal::read(&self.plan.session).unwrap_or_default() {
            if let Record::Test(TestRecord { reason: Some(reason), .. }) = record {
                *reasons.entry(reason).or_default() += 1;
            }
        }
        reasons
    }

    /// A remark, if the result fails in other words than the original.
    pub fn other_failure(&self) -> Option<String> {
        let is_settled = !matches!(self.status(), Status::Indeterminate);
        let run = self.found().last_run.as_ref().filter(|_| is_settled)?;
        if run.ending != self.original.ending {
            return Some(format!(
                "the original ended with {}, the result ends with {}; --fail-when can ask for both",
                self.original.ending, run.ending
            ));
        }
        let (was, now) = (self.original.gist.as_ref()?, run.gist());
        let is = now.first()?;
        (!now.contains(was)).then(|| {
            format!(
                "the original said \"{was}\", the result says \"{is}\"; if that matters, add \
                 --same-output or --fail-when 'stderr~TEXT'"
            )
        })
    }

    /// Writes the results, the last record of the journal, and what was found about versions.
    pub(super) fn write(&self, journal: &mut Journal, directory: &Path) -> Result<(), Error> {
        if !self.is_behind() {
            for (side, variant) in
                [(Side::Failing, &self.found().failing), (Side::Passing, &self.found().passing)]
            {
                self.plan.results.save(side, variant).map_err(|stop| Error::from(&stop))?;
            }
        }
        let recorded = journal.append(&Record::End(self.end_record()));
        // The journal may be what cannot be written; nothing is lost without the last record.
        if !matches!(self.status(), Status::Stopped(Stop::Write { .. })) {
            recorded.map_err(|error| unwritten(journal.path(), &error))?;
        }
        if let (Some(changes), Some(patch)) = (&self.changes, &self.patch) {
            let written = [
                (directory.join(patch), changes.patch.clone()),
                (self.bisect_log(), changes.bisect_log()),
            ];
            for (path, bytes) in written.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
                std::fs::write(&path, bytes).map_err(|error| unwritten(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Whether an earlier run of this session has got further than this one, which was stopped.
    fn is_behind(&self) -> bool {
        let there = self.plan.results.size(Side::Failing).unwrap_or(u64::MAX);
        let stopped = matches!(self.found().status, Status::Stopped(_));
        self.resumed && stopped && there < self.varied_size()
    }

    fn end_record(&self) -> EndRecord {
        let found = self.found();
        let patch = self.changes.as_ref().map(|changes| &changes.patch);
        EndRecord {
            status: self.status().kind(),
            certificate: found.certificate.clone(),
            tests: self.counts(),
            bytes: patch.map_or_else(|| found.failing.size(), |patch| patch.len() as u64),
            deltas: found.deltas,
            difference: self.deciding_deltas(),
            seconds: self.elapsed.as_secs_f64(),
            failing: match patch {
                Some(patch) => excerpt(&Variant::Bytes(patch.clone())),
                None => excerpt(&found.failing),
            },
            passing: self.isolated().map(|_| excerpt(&found.passing)),
            changes: match &self.changes {
                Some(changes) => changes.summary(),
                None => self.changes_in_words(),
            },
            result: Digest::of(&found.failing).to_string(),
            sides: found.sides.as_ref().map(|sides| [runs(&sides.failing), runs(&sides.passing)]),
            passes: found.passes.clone(),
            rate: found.rate,
        }
    }

    /// How many deltas decide, unless an input was simplified.
    fn deciding_deltas(&self) -> Option<u64> {
        let changes = self.changes.as_ref().map(|changes| &changes.sides);
        let call = self.found().sides.as_ref().filter(|_| self.plan.verb == Verb::Options);
        let sides = changes.or(call).or(self.isolated());
        sides.map(|sides| sides.difference().len() as u64)
    }
}

/// The runs of a configuration, for the journal.
fn runs(configuration: &Configuration) -> Vec<(u32, u32)> {
    configuration.ranges().iter().map(|run| (run.start, run.end)).collect()
}

/// The beginning of a variant, for pages.
pub(super) fn excerpt(variant: &Variant) -> String {
    String::from_utf8_lossy(&variant.beginning(EXCERPT_BYTES)).into_owned()
}

/// A result cannot be written; the outcomes of its tests have been.
fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    Error::cannot_write(path, error)
        .hint("nothing is lost: run the same command again when it can be written")
}
