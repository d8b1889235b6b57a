//! The judge of ordinary tests, determined by the first runs and by the criteria of the user.

use super::condition::Condition;
use super::exit_meaning::{Abort, ExitMeaning};
use super::first_runs_error::FirstRunsError;
use super::judge_trait::Judge;
use super::limits_between::limits_between;
use super::measured_limit::Truth;
use super::same_failure::{FailureSignature, ObservedFailure, OutputDigest};
use crate::diagnostics::{complaint, mentioned};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;
use wynot_core::Outcome;
use wynot_crash::{ErrorSet, Identity, InputWords, SymptomPattern, VariantFiles};
use wynot_supervisor::{BUILD_FAILED, Ending, Observation};

/// The criteria for outcomes that the user has given.
#[derive(Clone, Debug, Default)]
pub struct FailureCriteria {
    /// The meaning of exit codes, instead of the one that the first runs suggest.
    pub exit_meaning: Option<ExitMeaning>,
    /// Conditions that must all hold for Fail.
    pub fail_when: Vec<Condition>,
    /// Conditions that must all hold for Pass.
    pub pass_when: Vec<Condition>,
    /// Whether Fail requires the output of the original.
    pub same_output: bool,
    /// If set, Fail requires the crash of the original, compared by this many innermost functions.
    pub same_crash: Option<u8>,
    /// Whether to search for what prevents the failure, which exchanges the two sides.
    pub prevent: bool,
    /// Whether Fail requires the failure of the original, recognised by its report or complaint.
    pub same_failure: bool,
    /// Whether Fail requires that there are no errors which the original does not have.
    pub no_new_errors: bool,
    /// The files that vary. What a report says about them does not count.
    pub variant_files: VariantFiles,
    /// Whether the program under test varies, so that lines of it do not count.
    pub program_varies: bool,
}

/// The judge of ordinary tests.
#[derive(Clone, Debug)]
pub struct TestJudge {
    exit_meaning: ExitMeaning,
    fail_when: Vec<Condition>,
    /// The limits of these that follow from the first runs.
    limits: Vec<Option<u64>>,
    pass_when: Vec<Condition>,
    same_output: Option<OutputDigest>,
    same_crash: Option<Identity>,
    prevent: bool,
    /// Whether the failure of the original is required.
    same_failure: bool,
    original: Option<FailureSignature>,
    /// The errors of the original, if there may be no others.
    known_errors: Option<ErrorSet>,
    variant_files: VariantFiles,
    program_varies: bool,
    /// The words of the original input, from which messages may take names.
    input: Arc<InputWords>,
}

/// The results of the first runs that a later process needs to judge in the same way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JudgeRecord {
    /// The meaning of exit codes.
    pub exit_meaning: ExitMeaning,
    /// The output of the original, if outputs are compared.
    pub same_output: Option<OutputDigest>,
    /// The crash of the original, if crashes are compared.
    #[serde(default)]
    pub same_crash: Option<Identity>,
    /// The failure of the original.
    pub original: Option<FailureSignature>,
    /// The errors of the original, if there may be no others.
    #[serde(default)]
    pub known_errors: Option<ErrorSet>,
    /// The limits between the two sides, one for each condition of the failure that has no number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub limits: Vec<Option<u64>>,
}

impl TestJudge {
    /// Creates a judge whose meaning of exit codes distinguishes the original from the passing side, if there is one.
    /// Messages of the original may take names from the words of its input.
    pub fn from_first_runs(
        original: &Observation,
        passing: Option<&Observation>,
        criteria: &FailureCriteria,
        input: Arc<InputWords>,
    ) -> Result<Self, FirstRunsError> {
        let (original, passing) = match (criteria.prevent, passing) {
            (true, Some(passing)) => (passing, Some(original)),
            _ => (original, passing),
        };
        let same_crash = match (criteria.same_crash, &original.crash) {
            (None, _) => None,
            (Some(_), None) => return Err(FirstRunsError::NoCrash),
            (Some(functions), Some(crash)) => Some(Identity::of(crash, functions)?),
        };
        let exit_meaning = match criteria.exit_meaning {
            // An original that dies by a signal fails in this way; it does not request the end of the search.
            Some(ExitMeaning::Bisect)
                if criteria.program_varies && matches!(original.ending, Ending::Signal(_)) =>
            {
                ExitMeaning::Failure(original.ending)
            }
            Some(exit_meaning) => exit_meaning,
            None if criteria.fail_when.is_empty() => {
                let passing = passing.map_or(Ending::Exit(0), |passing| passing.ending);
                ExitMeaning::guess(original.ending, passing).ok_or(FirstRunsError::BothSucceed)?
            }
            None => ExitMeaning::Failure(original.ending),
        };
        let same_output = criteria.same_output.then(|| OutputDigest::of(original));
        let original_failure = Some(FailureSignature::of(
            original,
            &criteria.variant_files,
            &input,
            !criteria.program_varies,
        ));
        let known_errors = criteria.no_new_errors.then(|| {
            let complaints = original.symptom(&criteria.variant_files).complaints;
            ErrorSet::of(&complaints, &input)
        });
        let limits = limits_between(&criteria.fail_when, original, passing)?;
        let record = JudgeRecord {
            limits,
            exit_meaning,
            same_output,
            same_crash,
            original: original_failure,
            known_errors,
        };
        let judge = Self::from_record(&record, criteria, input);
        match judge.plain_outcome(original)? {
            Outcome::Fail => {}
            seen => {
                return Err(judge
                    .near_limit(original)
                    .unwrap_or(FirstRunsError::OriginalDoesNotFail { seen }));
            }
        }
        let Some(passing) = passing else { return Ok(judge) };
        match judge.plain_outcome(passing)? {
            Outcome::Fail => Err(FirstRunsError::PassingSideFails),
            Outcome::Unresolved if criteria.prevent => Err(FirstRunsError::NothingPrevents),
            _ => Ok(judge),
        }
    }

    /// Recreates the judge of an earlier process.
    pub fn from_record(
        record: &JudgeRecord,
        criteria: &FailureCriteria,
        input: Arc<InputWords>,
    ) -> Self {
        let limits = record.limits.iter().copied().chain(std::iter::repeat(None));
        let fail_when = criteria.fail_when.iter().zip(limits.clone());
        Self {
            exit_meaning: record.exit_meaning,
            fail_when: fail_when.map(|(condition, limit)| condition.with_limit(limit)).collect(),
            limits: record.limits.clone(),
            pass_when: criteria.pass_when.clone(),
            same_output: record.same_output.clone(),
            same_crash: record.same_crash.clone(),
            prevent: criteria.prevent,
            same_failure: criteria.same_failure,
            original: record.original.clone(),
            known_errors: record.known_errors.clone(),
            variant_files: criteria.variant_files.clone(),
            program_varies: criteria.program_varies,
            input,
        }
    }

    /// The record from which a later process recreates this judge.
    pub fn record(&self) -> JudgeRecord {
        JudgeRecord {
            exit_meaning: self.exit_meaning,
            same_output: self.same_output.clone(),
            same_crash: self.same_crash.clone(),
            original: self.original.clone(),
            known_errors: self.known_errors.clone(),
            limits: self.limits.clone(),
        }
    }

    /// The error about an original that is too near to a limit, if it is.
    fn near_limit(&self, original: &Observation) -> Option<FirstRunsError> {
        let is_open = |condition: &&Condition| condition.truth(original) == Truth::Open;
        let condition = self.fail_when.iter().find(is_open)?;
        let measured = condition.measurement(original)?;
        Some(FirstRunsError::NearLimit { measured, condition: condition.to_string() })
    }

    /// Whether a measurement is too near to its limit.
    fn is_near_limit(&self, observation: &Observation) -> bool {
        let conditions = self.fail_when.iter().chain(&self.pass_when);
        conditions.into_iter().any(|condition| condition.truth(observation) == Truth::Open)
    }

    /// Whether a run has errors that the original does not have, if there may be none.
    fn has_new_errors(&self, observation: &Observation) -> bool {
        self.known_errors.as_ref().is_some_and(|known| {
            let complaints = observation.symptom(&self.variant_files).complaints;
            !known.contains_all(&complaints, &self.input)
        })
    }

    /// The failure that is required, if the failure of the original is. An interestingness script decides itself, and the
    /// output of a test that timed out depends on the time.
    fn required_failure(&self) -> Option<&FailureSignature> {
        let is_comparable = match self.exit_meaning {
            ExitMeaning::Interesting => false,
            ExitMeaning::Failure(ending) => ending != Ending::Timeout,
            ExitMeaning::Bisect => true,
        };
        self.original.as_ref().filter(|_| self.same_failure && is_comparable)
    }

    /// The outcome of a run before the sides are exchanged for `prevent`.
    fn plain_outcome(&self, observation: &Observation) -> Result<Outcome, Abort> {
        let by_ending = match (self.exit_meaning.outcome(observation.ending), observation.ending) {
            // A mixture of two versions may die in any way; that is no request to end the search.
            (Err(_), Ending::Signal(_)) if self.program_varies => Outcome::Unresolved,
            (outcome, _) => outcome?,
        };
        let all_hold = |conditions: &[Condition]| conditions.iter().all(|c| c.holds(observation));
        let fails = match self.fail_when.as_slice() {
            [] => by_ending == Outcome::Fail,
            conditions => all_hold(conditions),
        };
        let same_output =
            self.same_output.as_ref().is_none_or(|seen| *seen == OutputDigest::of(observation));
        // Reading the output takes longer than everything else here.
        let same_failure = || {
            let required = self.required_failure();
            required.is_none_or(|failure| failure.is(observation, &self.variant_files, &self.input))
        };
        let no_new_errors = || !self.has_new_errors(observation);
        // Another crash, or one with an incomplete backtrace, is neither the failure nor its absence.
        let same_crash = self.same_crash.as_ref().is_none_or(|original| {
            observation.crash.as_ref().is_some_and(|crash| original.matches(crash))
        });
        let passes = match self.pass_when.as_slice() {
            [] if self.fail_when.is_empty() => by_ending == Outcome::Pass,
            [] => {
                let is_open = self.is_near_limit(observation);
                !fails && !is_open && observation.ending == Ending::Exit(0)
            }
            conditions => all_hold(conditions),
        };
        Ok(match () {
            () if fails && same_output && same_crash && same_failure() && no_new_errors() => {
                Outcome::Fail
            }
            () if passes && !fails => Outcome::Pass,
            () => Outcome::Unresolved,
        })
    }
}

impl Judge for TestJudge {
    fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort> {
        let outcome = self.plain_outcome(observation)?;
        Ok(if self.prevent { outcome.opposite() } else { outcome })
    }

    fn reason(&self, observation: &Observation) -> &'static str {
        let fails = self.exit_meaning.outcome(observation.ending) == Ok(Outcome::Fail);
        if fails && self.has_new_errors(observation) {
            "had new errors"
        } else if self.is_near_limit(observation) {
            "too near to the limit"
        } else {
            observation.reason()
        }
    }

    /// The message of a run that is unresolved, by which the reason can be named.
    fn summary(&self, observation: &Observation) -> Option<String> {
        let is_named = self.program_varies && self.outcome(observation) == Ok(Outcome::Unresolved);
        let message = || {
            let symptom = observation.symptom(&self.variant_files);
            let message =
                symptom.message().filter(|text| !BUILD_FAILED.starts_with(text.as_bytes()));
            message.map(ToOwned::to_owned)
        };
        is_named.then(|| complaint(observation).or_else(message))?
    }

    fn depends_on_load(&self, observation: &Observation) -> bool {
        let mut conditions = self.fail_when.iter().chain(&self.pass_when);
        conditions.any(|condition| condition.depends_on_load(observation))
    }

    fn mentioned(&self, observation: &Observation) -> BTreeSet<String> {
        match self.program_varies {
            true => mentioned(observation),
            false => BTreeSet::new(),
        }
    }

    fn failure(&self, observation: &Observation) -> Option<ObservedFailure> {
        let original = self.original.as_ref();
        Some(ObservedFailure::of(observation, &self.variant_files, original, &self.input))
    }
}

impl fmt::Display for TestJudge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let join = |conditions: &[Condition]| {
            let all: Vec<String> = conditions.iter().map(ToString::to_string).collect();
            all.join(" and ")
        };
        let crash = self.same_crash.as_ref();
        // The crash fully describes the failure of a program that dies by a signal.
        let failure = match (self.exit_meaning, crash, self.required_failure()) {
            (ExitMeaning::Failure(Ending::Signal(_)), Some(crash), _) => Some(crash.to_string()),
            (ExitMeaning::Failure(ending), Some(crash), _) => {
                Some(format!("{ending} after {crash}"))
            }
            (ExitMeaning::Failure(_), None, Some(failure)) => Some(described(failure, &self.input)),
            _ => None,
        };
        let described_failure = failure.filter(|_| self.fail_when.is_empty());
        let is_described = described_failure.is_some();
        match (self.fail_when.as_slice(), self.pass_when.as_slice(), described_failure) {
            ([], [], Some(failure)) => {
                write!(f, "{failure} is the failure, exit 0 passes, anything else is unresolved")?
            }
            ([], pass, Some(failure)) => write!(
                f,
                "{failure} is the failure, {} passes, anything else is unresolved",
                join(pass)
            )?,
            ([], [], None) => write!(f, "{}", self.exit_meaning)?,
            ([], pass, None) => write!(f, "{}; passes when {}", self.exit_meaning, join(pass))?,
            (fail, [], _) => write!(
                f,
                "{} is the failure, exit 0 without it passes, anything else is unresolved",
                join(fail)
            )?,
            (fail, pass, _) => write!(
                f,
                "{} is the failure, {} passes, anything else is unresolved",
                join(fail),
                join(pass)
            )?,
        }
        if self.same_output.is_some() {
            f.write_str("; the output must stay the same")?;
        }
        if let Some(crash) = crash.filter(|_| !is_described) {
            write!(f, "; the crash must stay the same: {crash}")?;
        }
        if let Some(failure) = self.required_failure().filter(|_| !is_described) {
            write!(f, "; only {} is the same failure", described(failure, &self.input))?;
        }
        if self.known_errors.is_some() {
            f.write_str("; there may be no new errors")?;
        }
        match self.prevent {
            true => f.write_str("; searching for what prevents it"),
            false => Ok(()),
        }
    }
}

/// A failure in words, with what may differ in it.
fn described(failure: &FailureSignature, input: &InputWords) -> String {
    match (&failure.pattern, input.keeps_quotations()) {
        (SymptomPattern::Complaint { .. }, true) => format!("{failure} (numbers may differ)"),
        (SymptomPattern::Complaint { .. }, false) => {
            format!("{failure} (names and numbers may differ)")
        }
        _ => failure.to_string(),
    }
}

#[cfg(test)]
#[path = "test_judge_tests.rs"]
mod tests;
