//! The JSON contract of explanations; see [`json`](super::json) for the rest.

use super::gdb_script::gdb_script;
use super::json::{SCHEMA, seconds};
use crate::exit_code::Code;
use serde_json::{Value, json};
use wynot::ExplainReport;
use wynot::explain::{function, in_words};
use wynot_state::{CauseStep, CommonPlace, DescribedDelta, PlaceCause, PlaceResult, VariableScope};

/// The object of an explanation.
pub fn of_explanation(report: &ExplainReport, steps: &[CauseStep<'_>]) -> Value {
    let status = match Code::of_chain(&report.chain) {
        Code::Found => "found",
        Code::Interrupted | Code::Limit => "stopped",
        _ => "indeterminate",
    };
    let incomplete: Vec<Value> = report
        .chain
        .places_without_cause()
        .map(|examined| {
            let ending = match &examined.result {
                PlaceResult::Incomplete(state) => state.ending.as_ref(),
                _ => None,
            };
            json!({"place": place_object(report, examined.place), "ends": ending})
        })
        .collect();
    let before = |index: usize| index.checked_sub(1).map(|index| &steps[index]);
    let chain: Vec<Value> =
        (0..).zip(steps).map(|(index, step)| step_object(report, step, before(index))).collect();
    let undecided = report.chain.undecided(steps.last().map(|step| step.last.place), None).len();
    let limit = (report.chain.unnarrowed > 0).then(
        || json!({"transitions": report.chain.unnarrowed, "places": report.chain.places.len()}),
    );
    json!({
        "schema": SCHEMA,
        "command": "explain",
        "status": status,
        "passing": report.runs.command_lines.0,
        "failing": report.runs.command_lines.1,
        "chain": chain,
        "ends": {"passing": in_words(&report.passing), "failing": in_words(&report.failing)},
        "incomplete": incomplete,
        "undecided": undecided,
        "limit": limit,
        "tests": {"executed": report.tests},
        "places": report.chain.places.len(),
        "seconds": seconds(report.elapsed),
    })
}

fn step_object(
    report: &ExplainReport,
    step: &CauseStep<'_>,
    before: Option<&CauseStep<'_>>,
) -> Value {
    let PlaceCause {
        place,
        deciding,
        context,
        deltas,
        vertices,
        tests,
        verified,
        missing,
        obstacle,
        ..
    } = step.first;
    let from = before.map(|before| before.last.place);
    let undecided = report.chain.undecided(from, Some(*place)).len();
    let causes: Vec<Value> = deciding.iter().map(delta_object).collect();
    json!({
        "place": place_object(report, *place),
        "until": place_object(report, step.last.place),
        "causes": causes,
        "context": context,
        "deltas": deltas,
        "vertices": {"passing": vertices.0, "failing": vertices.1},
        "tests": tests,
        "verified": verified,
        "missing": missing.len(),
        "undecided": undecided,
        "rerun": obstacle,
        "gdb": gdb_script(&report.runs, &report.program, step.first),
    })
}

fn place_object(report: &ExplainReport, place: CommonPlace) -> Value {
    let line = report.program.line_of(place.address);
    json!({
        "function": function(&report.program, place),
        "file": line.as_ref().map(|line| line.file.to_string()),
        "line": line.as_ref().map(|line| line.line),
        "hits": {"passing": place.hits.0, "failing": place.hits.1},
    })
}

fn delta_object(
    DescribedDelta { expression, scope, passing, failing, more_changes, .. }: &DescribedDelta,
) -> Value {
    let function = match scope {
        VariableScope::Frame { function, .. } => Some(function),
        VariableScope::Global => None,
    };
    json!({
        "variable": expression, "passing": passing, "failing": failing, "function": function,
        "changes": more_changes + 1,
    })
}
