//! The chain of an explanation as a record of the journal, from which reports are made.

use super::chain_words::{noun_and_name, open_questions, transition};
use super::ending_words::both_in_words;
use super::explain_report::ExplainReport;
use super::function_names::readable;
use super::gdb_script::gdb_script;
use super::place_names::{name, source};
use wynot_session::{ChainCause, ChainPlace, ChainRecord, ChainStep};
use wynot_state::{CauseStep, PlaceCause, group_steps};

/// The record of a chain.
pub fn chain_record(report: &ExplainReport, steps: &[CauseStep<'_>]) -> ChainRecord {
    let of_step =
        |cause: &PlaceCause| steps.iter().position(|step| step.first.is_same_cause(cause));
    let places = report.chain.places.iter().map(|examined| ChainPlace {
        name: name(&report.program, examined.place),
        step: examined.cause().and_then(of_step),
    });
    let ends = both_in_words(&report.passing, &report.failing);
    let last = steps.last().map(|step| source(&report.program, step.last.place.address));
    let (last_source, last_line) = last.unwrap_or_default();
    ChainRecord {
        last_source,
        last_line,
        passing_command: report.runs.command_lines.0.clone(),
        failing_command: report.runs.command_lines.1.clone(),
        passing_ending: ends.0,
        failing_ending: ends.1,
        steps: page_steps(report, steps),
        places: places.collect(),
        tests: report.tests,
        seconds: report.elapsed.as_secs_f64(),
        stopped: report.chain.stopped.as_ref().map(ToString::to_string),
        open_questions: open_questions(report),
    }
}

/// All steps; those that people read as one with the step before are marked.
fn page_steps(report: &ExplainReport, steps: &[CauseStep<'_>]) -> Vec<ChainStep> {
    let page_step = |number: usize, is_similar: bool| ChainStep {
        is_similar,
        ..page_step(report, steps, number)
    };
    let groups = group_steps(steps).into_iter();
    groups
        .flat_map(|group| group.clone().map(move |number| (number, number > group.start)))
        .map(|(number, is_similar)| page_step(number, is_similar))
        .collect()
}

fn page_step(report: &ExplainReport, steps: &[CauseStep<'_>], number: usize) -> ChainStep {
    let cause = steps[number].first;
    let before = number.checked_sub(1).map(|before| steps[before].last);
    // One of these lines has made this cause of the one before.
    let responsible = report.chain.lines_before(cause.place);
    let line_of = |address: &u64| Some(report.program.line_of(*address)?.line);
    let lines: Vec<u32> = responsible.iter().filter_map(line_of).collect();
    let earlier = before.map_or(cause.place, |before| before.place).address;
    let (source, _) = source(&report.program, responsible.last().copied().unwrap_or(earlier));
    let causes = cause.deciding.iter().map(|delta| {
        let (noun, variable) = noun_and_name(delta);
        ChainCause {
            noun: noun.to_owned(),
            variable: variable.to_owned(),
            owner: delta.scope.outer_function().map(readable),
            passing: delta.passing.clone(),
            failing: delta.failing.clone(),
            access_path: delta.path.clone(),
        }
    });
    ChainStep {
        is_similar: false,
        place: name(&report.program, cause.place),
        source,
        lines,
        causes: causes.collect(),
        transition: before.map(|before| transition(report, before, cause)),
        deltas: cause.deltas,
        vertices: cause.vertices.0,
        tests: cause.tests,
        verified: cause.verified,
        script: gdb_script(&report.runs, &report.program, cause),
    }
}
