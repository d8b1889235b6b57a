//! The judge of experiments: an experiment that ends like the failing run fails, one that ends like the passing run passes.

use super::ending_words::in_words;
use super::explain_request::ExplainRequest;
use super::run_observation::{observation, run_end};
use crate::error::{Error, ErrorKind};
use wynot_core::Outcome;
use wynot_session::judge::{Abort, Condition};
use wynot_session::{Judge, Observation};
use wynot_state::EndingComparison;
use wynot_state::process::{ExitStatus, RunEnd};

/// Judges runs by conditions, or by comparison with the passing and the failing run.
#[derive(Debug)]
pub struct RunJudge {
    fail_when: Vec<Condition>,
    pass_when: Vec<Condition>,
    /// The exit status of the passing run.
    passing: ExitStatus,
    /// The comparison with both runs; `None` if these end alike.
    by_comparison: Option<EndingComparison>,
}

impl RunJudge {
    /// A judge by the conditions of a request, or else by comparison with the two runs. It is an error if the passing run
    /// does not pass or the failing run does not fail.
    pub fn new(
        request: &ExplainRequest,
        passing: &RunEnd,
        failing: &RunEnd,
    ) -> Result<Self, Error> {
        let by_comparison =
            EndingComparison::new(passing.clone(), failing.clone(), request.same_output).ok();
        let (fail_when, pass_when) = (request.fail_when.clone(), request.pass_when.clone());
        if by_comparison.is_none() && fail_when.is_empty() {
            let message = "both runs end in the same way and print the same";
            let hint = match passing.asked_for_terminal || failing.asked_for_terminal {
                true => "the program asks for a terminal, and there is none here",
                false => "is --fail really a run that fails? Input comes from < FILE only",
            };
            return Err(Error::new(ErrorKind::NoFailure, message)
                .detail(format!("passing: {}", in_words(passing)))
                .detail(format!("failing: {}", in_words(failing)))
                .hint(hint));
        }
        if passing.status == ExitStatus::TimedOut && pass_when.is_empty() {
            return Err(Error::new(ErrorKind::NoFailure, "the run of --pass does not end in time")
                .hint("--timeout TIME gives it more time"));
        }
        let crashes = |ending: &RunEnd| matches!(ending.status, ExitStatus::Signal(_));
        if fail_when.is_empty() && pass_when.is_empty() && crashes(passing) && !crashes(failing) {
            return Err(Error::new(
                ErrorKind::NoFailure,
                "the run of --pass crashes, that of --fail does not",
            )
            .detail(format!("passing: {}", in_words(passing)))
            .detail(format!("failing: {}", in_words(failing)))
            .hint("are they the other way round? --fail-when says what counts otherwise"));
        }
        let judge = Self { fail_when, pass_when, passing: passing.status, by_comparison };
        let expected = [(passing, Outcome::Pass, "--pass"), (failing, Outcome::Fail, "--fail")];
        for (ending, expected, option) in expected {
            if judge.of(ending) != expected {
                let verb = if expected == Outcome::Pass { "pass" } else { "fail" };
                let message = format!("the run of {option} does not {verb}");
                return Err(Error::new(ErrorKind::NoFailure, message)
                    .detail(in_words(ending))
                    .hint("--fail-when and --pass-when say what counts"));
            }
        }
        Ok(judge)
    }

    /// Refuses a further run of `--pass` that does not pass. What it prints may be other than what the first one prints.
    pub fn refuse_other(&self, line: &str, ending: &RunEnd) -> Result<(), Error> {
        let outcome = self.of(ending);
        let ends_alike = ending.status == self.passing && outcome != Outcome::Fail;
        if outcome == Outcome::Pass || ends_alike {
            return Ok(());
        }
        let verb = if outcome == Outcome::Fail { "fails" } else { "does not pass" };
        Err(Error::new(ErrorKind::NoFailure, format!("a further run of --pass {verb}: {line}"))
            .detail(in_words(ending))
            .hint("it must end like the first run of --pass, or as --pass-when says"))
    }

    /// The outcome of a run.
    pub fn of(&self, ending: &RunEnd) -> Outcome {
        let observation = observation(ending.clone());
        let all_hold = |conditions: &[Condition]| {
            conditions.iter().all(|condition| condition.holds(&observation))
        };
        let compare = || {
            let comparison = self.by_comparison.as_ref();
            comparison.map_or(Outcome::Unresolved, |comparison| comparison.outcome(ending))
        };
        match (self.fail_when.is_empty(), self.pass_when.is_empty()) {
            (true, true) => compare(),
            (false, _) if all_hold(&self.fail_when) => Outcome::Fail,
            (false, true) if ending.status == self.passing => Outcome::Pass,
            (_, false) if all_hold(&self.pass_when) => Outcome::Pass,
            (true, false) if compare() == Outcome::Fail => Outcome::Fail,
            _ => Outcome::Unresolved,
        }
    }
}

impl Judge for RunJudge {
    fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort> {
        Ok(run_end(observation).map_or(Outcome::Unresolved, |ending| self.of(&ending)))
    }

    fn summary(&self, observation: &Observation) -> Option<String> {
        run_end(observation).map(|ending| in_words(&ending))
    }
}
