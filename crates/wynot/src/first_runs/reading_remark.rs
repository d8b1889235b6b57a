//! A remark on how exit codes are read, where another reading is likely.

use super::side_names::passing_input;
use crate::plan::Plan;
use wynot_session::judge::{ExitMeaning, TestJudge};
use wynot_session::{Observation, RunSummary};

/// A remark if the test was taken for an interestingness script although it may be a program that was to fail on the original:
/// a script is silent about a passing side, and two inputs may have been exchanged.
pub(super) fn remark_on_reading(
    plan: &Plan,
    judge: &TestJudge,
    passing: &Observation,
) -> Option<String> {
    let is_guess = plan.criteria.exit_meaning.is_none();
    if !is_guess || judge.record().exit_meaning != ExitMeaning::Interesting {
        return None;
    }
    let name = plan.input.name.to_string_lossy();
    let (side, ending) = (passing_input(plan), passing.ending);
    let seen = format!("the test succeeds on {name}, and ends with {ending} on the {side}");
    if plan.input.is_compared {
        return Some(format!(
            "{seen}; if it was to fail on {name}, the two are the other way round"
        ));
    }
    let complains = !RunSummary::from(passing).stderr.is_empty();
    complains.then(|| format!("{seen}; if it was to fail on {name}, it does not"))
}
