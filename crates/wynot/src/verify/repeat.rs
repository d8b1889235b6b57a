//! Verification of what was found between versions: the search is repeated without known outcomes, and has to find the same.

use super::refute::Refutation;
use super::{CHECK_DIRECTORY, Verification, plan_of_session};
use crate::control::Control;
use crate::error::Error;
use crate::observer::Observer;
use crate::request::Request;
use crate::search::search_with;
use crate::sessions;
use crate::test_executor::CacheUse;
use std::path::Path;
use wynot_session::{Digest, EndRecord, Record};

/// The file name of the patch that a repeated search writes.
const PATCH_NAME: &str = "repeated.patch";

/// Repeats the search of a session in a directory of its own, and compares what it finds with the recorded end.
pub(super) fn repeat(
    request: &Request,
    session: &Path,
    records: &[Record],
    end: &EndRecord,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<Verification, Error> {
    plan_of_session(session, request, records, observer)?;
    let directory = session.join(CHECK_DIRECTORY);
    let mut request = request.clone();
    request.output = Some(directory.join(PATCH_NAME));
    request.run.session = Some(directory.clone());
    (request.run.fresh, request.resumed) = (true, false);
    if let Some(history) = &mut request.history {
        history.branch = None;
    }
    let report = search_with(&request, CacheUse::OnlyNew, observer, control)?;
    let repeated = sessions::records(&directory)?;
    let mut ends = repeated.iter().rev().filter_map(|record| match record {
        Record::End(end) => Some(end),
        _ => None,
    });
    let is_same = ends.next().is_some_and(|other| answer(other) == answer(end));
    Ok(Verification {
        claim: end.certificate.clone(),
        refutation: (!is_same).then_some(Refutation::OtherAnswer),
        counterexample: (!is_same).then(|| directory.join(PATCH_NAME)),
        tests: report.causes.counts().executed,
        elapsed: report.elapsed,
        digest: Digest::of(&report.causes.found[0].failing),
    })
}

/// What a search has found, without what differs from run to run.
fn answer(end: &EndRecord) -> impl PartialEq {
    let history = end.history.as_ref();
    let versions = history
        .map(|history| (history.failing.clone(), history.passing.clone(), history.verdict.clone()));
    (end.status, end.result.clone(), end.changes.clone(), versions)
}
