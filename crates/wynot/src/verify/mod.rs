//! Verification: checking what a session has proved about its result, with new tests.
//!
//! Here: finding the claim of a session, and trying to refute it; what was found between versions is searched again (`repeat`). Known outcomes are not used; the tests of a check have a
//! journal of their own. Not here: searching for results, which belongs to `search`, and printing the answer, which
//! belongs to the binary.

mod refute;
mod repeat;

use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::first_runs::{FirstRunWatch, first_runs};
use crate::observer::{Forward, Observer, SearchStart};
use crate::plan::{Plan, tag_file_name};
use crate::request::Request;
use crate::search::Engine;
use crate::test_executor::{CacheUse, TestExecutor};
use refute::{configuration_of, refute};
use repeat::repeat;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use wynot_exec::VariantForm;
use wynot_session::files::{read_file, read_tree, remove};
use wynot_session::{
    Budget, Certificate, Compose, CrashCollection, Digest, EndRecord, Journal, Lab, LabParts,
    Record, ResultFiles, Side, plain,
};
use wynot_subjects::Variant;

pub use refute::{Claim, Refutation};

/// The directory in a session for the journal of the check and for counterexamples.
pub const CHECK_DIRECTORY: &str = "verification";

/// The result of a check.
#[derive(Debug)]
pub struct Verification {
    /// What the session claims about its result, resting on the tests of the check.
    pub claim: Option<Certificate>,
    /// Why the claim does not hold; `None` if it holds.
    pub refutation: Option<Refutation>,
    /// The path of a counterexample, if there is one.
    pub counterexample: Option<PathBuf>,
    /// The number of tests of the check.
    pub tests: u64,
    /// How long the check took.
    pub elapsed: Duration,
    /// The digest of the bytes that were checked.
    pub digest: Digest,
}

/// Tries to refute what a session has proved about the result at `output`; `request` is the search of the session.
pub fn verify(
    request: &Request,
    session: &Path,
    records: &[Record],
    end: &EndRecord,
    output: &Path,
    observer: &mut dyn Observer,
    control: &Control,
) -> Result<Verification, Error> {
    let started = Instant::now();
    if request.versions.is_some() || request.history.is_some() {
        return repeat(request, session, records, end, observer, control);
    }
    let mut plan = plan_of_session(session, request, records, observer)?;
    let result = read_result(&plan, output, end)?;
    let claim = Claim { result: &result, end, minimality: request.algorithm.minimality.into() };
    let directory = plan.session.join(CHECK_DIRECTORY);
    let (mut journal, _) =
        Journal::open(&directory, plan.key, true).map_err(|error| Error::unexpected(&error))?;
    plan.results = counterexample_files(&directory, &plan);
    for old in [Some(&plan.results.failing), plan.results.passing.as_ref()].into_iter().flatten() {
        // The file of an earlier check, if there was one.
        let _ = remove(old);
    }
    let specs = plan.specs(false);
    let mut executor = TestExecutor::new(&plan, request, &specs, CacheUse::OnlyNew, observer)?;
    let stop = control.stop_flag();
    let watch = FirstRunWatch::new(stop, observer);
    let first = first_runs(&plan, records, &mut journal, &mut executor, specs, &watch)
        .inspect_err(|_| control.end())?;
    let quorum = first.quorum(&plan);
    observer.begin(&SearchStart {
        plan: &plan,
        judge: first.judge.to_string(),
        timeout: first.timeout,
        rate: first.rate,
        max_runs_per_variant: quorum.most(),
        known_outcomes: 0,
        limits: (None, None),
        external_tool: None,
    });
    let lab = Lab::new(LabParts {
        judge: &first.judge,
        journal,
        past: &[],
        budget: Budget::default(),
        listener: Box::new(Forward(&mut *observer)),
        stop: Arc::clone(stop),
        crashes: CrashCollection::default(),
        timeout: first.timeout,
        quorum,
    });
    let mut engine = Engine::new(lab, executor, &first);
    let checked = refute(&plan, &claim, &mut engine).map_err(|stop| {
        Error::from(&stop).hint("nothing is refuted so far; verify again to be sure")
    });
    control.end();
    drop(engine);
    observer.end();
    let checked = checked?;
    let counterexample = match checked.refutation {
        Some(Refutation::NotMinimal(Side::Failing)) => Some(plan.results.failing.clone()),
        Some(Refutation::NotMinimal(Side::Passing)) => plan.results.passing.clone(),
        _ => None,
    };
    Ok(Verification {
        claim: end.certificate.clone().map(|claim| claim.resting_on(checked.timeouts)),
        refutation: checked.refutation,
        counterexample,
        tests: checked.tests,
        elapsed: started.elapsed(),
        digest: Digest::of(&result),
    })
}

/// The plan of a session, if everything that outcomes depend on is unchanged.
fn plan_of_session(
    session: &Path,
    request: &Request,
    records: &[Record],
    observer: &mut dyn Observer,
) -> Result<Plan, Error> {
    let plan = Plan::new(request, observer)?;
    let key = plan.key.to_string();
    match records.first() {
        Some(Record::Session { key: known, .. }) if *known == key => Ok(plan),
        _ => {
            let message = format!(
                "the input or the test has changed since the session in {}",
                session.display()
            );
            Err(Error::new(ErrorKind::Indeterminate, message)
                .hint("what was proved does not hold for the present test; search again"))
        }
    }
}

/// The result on disk, if it is the one that the session has recorded.
fn read_result(plan: &Plan, output: &Path, end: &EndRecord) -> Result<Variant, Error> {
    let changed = || {
        let message = format!("{} is not what the session has ended with", output.display());
        Error::new(ErrorKind::Indeterminate, message)
            .hint("it was changed since; wynot resume writes the result again")
    };
    let is_recorded = |variant: &Variant| Digest::of(variant).to_string() == end.result;
    let sides = end.sides.clone();
    let recorded = sides.map(|[failing, _]| plan.subject().variant(&configuration_of(failing)));
    match (plan.input.form, recorded) {
        // The result of varying a call is in no file, and a folder result may be only a part of the variant.
        (VariantForm::Call | VariantForm::Folder, Some(variant)) => Ok(variant),
        (VariantForm::Folder, None) => {
            let places = plan.input.places.as_slice();
            let place = if let [place] = places { place.as_path() } else { Path::new("") };
            let folder = read_tree(output, place, &[]).map_err(Error::usage)?;
            let whole = Variant::Folder(plan.input.fixed.overlay(&folder));
            // The digest is that of the whole folder; the claim is about the files that vary.
            if is_recorded(&whole) { Ok(Variant::Folder(folder)) } else { Err(changed()) }
        }
        _ => {
            let bytes = read_file(output).map_err(|error| {
                Error::usage(format!("cannot read {}: {}", output.display(), plain(&error)))
            })?;
            let variant = Variant::Bytes(bytes);
            if is_recorded(&variant) { Ok(variant) } else { Err(changed()) }
        }
    }
}

/// The files of counterexamples, which are beside the journal of the check.
fn counterexample_files(directory: &Path, plan: &Plan) -> ResultFiles {
    let path = |tag: &str| directory.join(tag_file_name(&plan.input.name, tag));
    ResultFiles {
        failing: path("smaller"),
        passing: plan.results.passing.as_ref().map(|_| path("passing")),
        ..plan.results.clone()
    }
}
