//! The report of a search: its result, its counts, and the records and files that are written from them.

use super::causes::Causes;
use super::changes::ChangesFound;
use super::found::{Found, Status};
use super::history::{self, HistoryFound};
use super::versions_found::{RowConfidence, VersionsFound};
use crate::describe::{describe_difference, recorded_answer};
use crate::error::Error;
use crate::plan::Plan;
use crate::request::{Request, Verb};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use wynot_core::{Configuration, Isolated};
use wynot_remote::RemoteCounts;
use wynot_session::files::{Durability, sync_tree};
use wynot_session::judge::{ObservedFailure, Rate};
use wynot_session::{
    Counts, Digest, EndRecord, Journal, OtherCrash, Record, RunSummary, Side, Stop,
};
use wynot_subjects::Variant;

/// The number of bytes of a variant that the journal keeps for pages.
const EXCERPT_BYTES: usize = 20_000;

/// The report of a search that has ended.
#[derive(Debug)]
pub struct SearchReport {
    /// The plan of the search.
    pub plan: Plan,
    /// The causes that were found, the first of which is the result.
    pub causes: Causes,
    /// The change that was found, if versions were compared.
    pub changes: Option<ChangesFound>,
    /// The versions that were found, if a row of versions was searched.
    pub versions: Option<VersionsFound>,
    /// The result of a walk back through a history.
    pub history: Option<HistoryFound>,
    /// The path of the patch as the user wrote it, if versions were compared.
    pub patch: Option<PathBuf>,
    /// Other crashes that were observed.
    pub crashes: Vec<OtherCrash>,
    /// The run of the original.
    pub original: RunSummary,
    /// What was decided on: the meaning of endings, and the failure that was asked for.
    pub decision: String,
    /// The failure that the result shows, if it is known.
    pub failure: Option<ObservedFailure>,
    /// The reasons why tests were unresolved, with the number of tests for each.
    pub unresolved: BTreeMap<String, u64>,
    /// How often the original fails, if that was measured.
    pub rate: Option<Rate>,
    /// Whether an earlier run of this session may have left results.
    pub resumed: bool,
    /// The runs of all tests, if a test is more than one run; otherwise 0.
    pub runs: u64,
    /// How long the search took.
    pub elapsed: Duration,
    /// The processor time that wynot itself has used, without that of tests.
    pub own_cpu: Duration,
    /// The tests at the service whose workers or results were used, if there was one.
    pub remote: Option<RemoteCounts>,
}

impl SearchReport {
    /// The first cause, which is the result.
    pub fn found(&self) -> &Found {
        &self.causes.found[0]
    }

    /// How the search ended, which is how the search for its last cause ended.
    pub fn status(&self) -> &Status {
        let last = self.causes.found.last();
        last.map_or(&self.found().status, |found| &found.status)
    }

    /// The counts of all tests of the search.
    pub fn counts(&self) -> Counts {
        Counts { runs: self.runs, ..self.causes.counts() }
    }

    /// Both sides, if the algorithm isolates a difference.
    pub fn isolated(&self) -> Option<&Isolated> {
        let is_difference = self.plan.algorithm.isolates() && self.versions.is_none();
        self.found().sides.as_ref().filter(|_| is_difference)
    }

    /// How sure the answer about a row of versions or commits is, if the test fails only sometimes.
    pub fn confidence(&self) -> Option<&RowConfidence> {
        let of_versions = self.versions.as_ref().and_then(|versions| versions.confidence.as_ref());
        of_versions.or_else(|| self.changes.as_ref()?.confidence.as_ref())
    }

    /// The changes of the result in words, if the search isolates, varies a call or compares versions.
    pub fn changes_in_words(&self) -> Vec<String> {
        if let Some(changes) = self.change() {
            return changes.lines();
        }
        let is_difference = self.isolated().is_some() || self.plan.verb == Verb::Options;
        let sides = self.found().sides.as_ref().filter(|_| is_difference);
        sides.map(|sides| describe_difference(self.plan.subject(), sides)).unwrap_or_default()
    }

    /// The size of the result without the files that do not vary.
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

    /// The path of the patch that fixes the version that fails today.
    pub fn fix_patch(&self) -> PathBuf {
        self.plan.session.join("fix.patch")
    }

    /// The change that was found, between two versions or in a history.
    pub fn change(&self) -> Option<&ChangesFound> {
        self.changes.as_ref().or_else(|| self.history.as_ref()?.changes.as_ref())
    }

    /// The path of the patch that takes the change out of the bad version.
    pub fn revert_patch(&self) -> PathBuf {
        self.plan.session.join("revert.patch")
    }

    /// A remark if the result shows another failure than the original, and the user has not said what the failure is.
    pub fn other_failure(&self) -> Option<String> {
        let is_determinate = !matches!(self.status(), Status::Indeterminate);
        let is_crash_compared = self.plan.criteria.same_crash.is_some();
        let original = self.original.failure.as_ref()?;
        let result = self.failure.as_ref().filter(|_| is_determinate && !is_crash_compared)?;
        // What prevents a failure ends in a run without it.
        if result.same || self.plan.criteria.prevent {
            return None;
        }
        if result.ending != original.ending {
            return Some(format!(
                "the original ended with {}, the result ends with {}; --fail-when can ask for both",
                original.ending, result.ending
            ));
        }
        let criteria = &self.plan.criteria;
        let is_script =
            criteria.same_failure || (criteria.exit_meaning.is_some() && !criteria.program_varies);
        let advice = match criteria.fail_when.is_empty() && !is_script {
            true => "without --any-failure, only the failure of the original counts",
            false => "to keep the failure, say what it is with --fail-when 'stderr~TEXT'",
        };
        Some(format!("the original showed {original}; the result shows {result}; {advice}"))
    }

    /// Writes the results, the last record of the journal, and the patch and bisect log of compared versions.
    pub(super) fn write(&self, journal: &mut Journal, request: &Request) -> Result<(), Error> {
        let directory = &request.directory;
        if !self.is_behind() {
            for (side, variant) in
                [(Side::Failing, &self.found().failing), (Side::Passing, &self.found().passing)]
            {
                let saved = self.plan.results.save(side, variant, Durability::Buffered);
                saved.map_err(|stop| Error::from(&stop))?;
            }
        }
        self.plan.results.sync().map_err(|stop| Error::from(&stop))?;
        let recorded = journal.append(&Record::End(self.end_record(request)));
        // If the search stopped because files cannot be written, that error is reported, not this one.
        if !matches!(self.status(), Status::Stopped(Stop::Write { .. })) {
            recorded.map_err(|error| write_error(journal.path(), &error))?;
        }
        if let (Some(changes), Some(patch)) = (self.change(), &self.patch) {
            let revert = changes.revert.as_ref().and_then(|revert| revert.patch.clone());
            let fix = self.history.as_ref().and_then(|history| history.fix.as_ref());
            let fix = fix.and_then(|fix| fix.patch.clone());
            let written = [
                (directory.join(patch), changes.patch.clone()),
                (self.revert_patch(), revert.unwrap_or_default()),
                (self.fix_patch(), fix.unwrap_or_default()),
                (self.bisect_log(), changes.bisect_log()),
            ];
            for (path, bytes) in written.into_iter().filter(|(_, bytes)| !bytes.is_empty()) {
                std::fs::write(&path, bytes)
                    .and_then(|()| sync_tree(&path))
                    .map_err(|error| write_error(&path, &error))?;
            }
        }
        Ok(())
    }

    /// Whether this run was stopped before it came to the smaller result of an earlier run of the session.
    fn is_behind(&self) -> bool {
        let earlier_size = self.plan.results.size(Side::Failing).unwrap_or(u64::MAX);
        let is_stopped = matches!(self.found().status, Status::Stopped(_));
        self.resumed && is_stopped && earlier_size < self.varied_size()
    }

    /// The last record of a run.
    fn end_record(&self, request: &Request) -> EndRecord {
        let found = self.found();
        let patch = self.change().map(|changes| &changes.patch);
        EndRecord {
            status: self.status().kind(),
            certificate: found.certificate.clone(),
            tests: self.counts(),
            bytes: match patch {
                Some(patch) => patch.len() as u64,
                None if self.history.is_some() => 0,
                None => found.failing.size(),
            },
            deltas: found.deltas,
            difference: self.deciding_deltas(),
            seconds: self.elapsed.as_secs_f64(),
            failing: match patch {
                Some(patch) => excerpt(&Variant::Bytes(patch.clone())),
                None if self.history.is_some() => String::new(),
                None => excerpt(&found.failing),
            },
            passing: (self.isolated().is_some() || self.versions.is_some())
                .then(|| excerpt(&found.passing)),
            changes: match (self.change(), &self.versions) {
                (Some(changes), _) => [changes.summary(), changes.evidence()].concat(),
                (None, Some(versions)) => {
                    std::iter::once(versions.headline()).chain(versions.details()).collect()
                }
                (None, None) => self.changes_in_words(),
            },
            result: Digest::of(&found.failing).to_string(),
            sides: found.sides.as_ref().map(|sides| [&sides.failing, &sides.passing].map(ranges)),
            passes: found.passes.clone(),
            rate: found.rate,
            failure: self.failure.clone(),
            unresolved: self.unresolved.clone(),
            history: self.history.as_ref().map(|found| Box::new(history::record(found))),
            answer: Some(recorded_answer(self, request)),
        }
    }

    /// The number of deltas of the difference, unless an input was simplified.
    fn deciding_deltas(&self) -> Option<u64> {
        if let Some(changes) = self.change() {
            return Some(changes.changes.len() as u64);
        }
        if self.versions.is_some() {
            return Some(self.found().deltas);
        }
        let call = self.found().sides.as_ref().filter(|_| self.plan.verb == Verb::Options);
        call.or(self.isolated()).map(|sides| sides.difference().len() as u64)
    }
}

/// The ranges of deltas of a configuration, for the journal.
fn ranges(configuration: &Configuration) -> Vec<(u32, u32)> {
    configuration.ranges().iter().map(|range| (range.start, range.end)).collect()
}

/// The beginning of a variant, for pages.
pub(super) fn excerpt(variant: &Variant) -> String {
    String::from_utf8_lossy(&variant.beginning(EXCERPT_BYTES)).into_owned()
}

/// The error of a result that cannot be written. The outcomes of its tests are in the journal.
fn write_error(path: &Path, error: &std::io::Error) -> Error {
    Error::cannot_write(path, error)
        .hint("nothing is lost: run the same command again when it can be written")
}
