//! The JSON contract of explanations; see [`json`](super::json) for the rest.

use super::json::{SCHEMA, seconds};
use crate::exit_code::Code;
use serde_json::{Value, json};
use wynot::ExplainReport;
use wynot::explain::{both_in_words, function, gdb_script};
use wynot_state::{
    CauseStep, CommonPlace, DescribedDelta, PlaceCause, PlaceResult, VariableScope, group_steps,
};

/// The number of lines that only one of the runs executes which are listed for a step.
const MAX_OWN_LINES: usize = 20;

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
            let (ending, is_shared) = match &examined.result {
                PlaceResult::Incomplete(state) => (state.ending.as_ref(), state.is_shared),
                _ => (None, false),
            };
            let place = place_object(report, examined.place);
            json!({"place": place, "ends": ending, "shared": is_shared})
        })
        .collect();
    let before = |index: usize| index.checked_sub(1).map(|index| &steps[index]);
    let mut chain: Vec<Value> =
        (0..).zip(steps).map(|(index, step)| step_object(report, step, before(index))).collect();
    for (number, group) in group_steps(steps).into_iter().enumerate() {
        for step in &mut chain[group] {
            step["group"] = json!(number + 1);
        }
    }
    let undecided = report.chain.undecided(steps.last().map(|step| step.last.place), None).len();
    let limit = (report.chain.unnarrowed > 0).then(
        || json!({"transitions": report.chain.unnarrowed, "places": report.chain.places.len()}),
    );
    let ends = both_in_words(&report.passing, &report.failing);
    json!({
        "schema": SCHEMA,
        "command": "explain",
        "status": status,
        "passing": report.runs.command_lines.0,
        "also_passing": report.runs.other_lines,
        "failing": report.runs.command_lines.1,
        "chain": chain,
        "ends": {"passing": ends.0, "failing": ends.1},
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
        same_calls,
        context,
        deltas,
        shared,
        other_runs,
        vertices,
        tests,
        verified,
        missing,
        obstacle,
        ..
    } = step.first;
    let from = before.map(|before| before.last.place);
    let undecided = report.chain.undecided(from, Some(*place)).len();
    let equal: Vec<Value> = step
        .last
        .equal
        .iter()
        .map(|(name, value)| json!({"variable": name, "value": value}))
        .collect();
    let causes: Vec<Value> = deciding.iter().map(delta_object).collect();
    json!({
        "place": place_object(report, *place),
        "until": place_object(report, step.last.place),
        "causes": causes,
        "same_calls": same_calls,
        "context": context,
        "deltas": deltas,
        "shared": shared,
        "other_runs": other_runs,
        "vertices": {"passing": vertices.0, "failing": vertices.1},
        "tests": tests,
        "verified": verified,
        "missing": missing.len(),
        "undecided": undecided,
        "equal": equal,
        "own_lines": own_lines(report, step.last.place),
        "rerun": obstacle,
        "gdb": gdb_script(&report.runs, &report.program, step.first),
    })
}

/// The first lines after a place that only one of the runs executes.
fn own_lines(report: &ExplainReport, after: CommonPlace) -> Value {
    let line = |address: &u64| {
        let place = place_object(report, CommonPlace { address: *address, hits: (1, 1) });
        json!({"function": place["function"], "file": place["file"], "line": place["line"]})
    };
    let lines = |addresses: &[u64]| -> Vec<Value> {
        addresses.iter().take(MAX_OWN_LINES).map(line).collect()
    };
    let own = report.chain.own_lines_after(after).cloned().unwrap_or_default();
    json!({"failing": lines(&own.failing), "passing": lines(&own.passing)})
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
        VariableScope::Global | VariableScope::Process => None,
    };
    json!({
        "variable": expression, "passing": passing, "failing": failing, "function": function,
        "changes": more_changes + 1,
    })
}
