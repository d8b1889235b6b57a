//! What the two sides of a search are called in messages.

use crate::plan::Plan;
use wynot_exec::VariantForm;
use wynot_session::judge::FirstRunsError;
use wynot_subjects::Subject;

/// The names of the original and of the passing side.
pub(super) fn side_names(plan: &Plan) -> [&'static str; 2] {
    match plan.subject() {
        _ if plan.version_names().is_some() => ["bad version", "good version"],
        Subject::Options(_) => ["with all options", "without options"],
        Subject::Environment(_) => ["with this environment", "with the clean one"],
        _ => ["original", passing_input(plan)],
    }
}

/// What the passing side of one or several files is called.
pub(super) fn passing_input(plan: &Plan) -> &'static str {
    let is_folder = plan.input.form == VariantForm::Folder;
    match plan.input.is_compared {
        true => "passing input",
        false if is_folder && plan.results.places.len() < 2 => "empty directory",
        false if plan.subject().baseline().is_empty() => "empty input",
        // Of JSON, brackets are left.
        false => "emptied input",
    }
}

/// Why a search cannot start, in the words of what varies.
pub(super) fn reason_of_sides(plan: &Plan, reason: &FirstRunsError) -> String {
    let (original, passing) = match plan.subject() {
        Subject::Options(_) => ("with all options".to_owned(), "without them".to_owned()),
        Subject::Environment(_) => {
            ("in this environment".to_owned(), "in the clean one".to_owned())
        }
        _ => ("on the original".to_owned(), format!("on the {}", passing_input(plan))),
    };
    match reason {
        FirstRunsError::BothSucceed => {
            format!("the test succeeds {original} and {passing}, so it does not tell them apart")
        }
        FirstRunsError::PassingSideFails => format!(
            "the test ends {passing} as it does {original}, so it is not clear what the failure is"
        ),
        other => other.to_string(),
    }
}
