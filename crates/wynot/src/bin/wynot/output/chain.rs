//! The chain of an explanation in words.

use wynot::ExplainReport;
use wynot::explain::{
    SHARED_VALUES, both_in_words, facts, function, last_stretch, name, open_questions, own_line,
    reasons, source_line, transition,
};
use wynot_core::Outcome;
use wynot_report::number::count;
use wynot_state::{CauseStep, PlaceCause, PlaceResult, group_steps};

/// The number of functions between two steps that are named.
const MAX_FUNCTIONS_BETWEEN: usize = 4;

/// The number of lines inside of a group of steps that are quoted because only one of the runs executes them.
const MAX_OWN_LINES: usize = 2;

/// The chain in the words of the paper on cause-effect chains. Steps that people read as one are one, unless `all_steps`
/// are wanted.
pub fn chain_in_words(
    report: &ExplainReport,
    steps: &[CauseStep<'_>],
    all_steps: bool,
) -> Vec<String> {
    let (passing, failing) = &report.runs.command_lines;
    if steps.is_empty() {
        return no_chain(report);
    }
    let groups = match all_steps {
        true => (0..steps.len()).map(|index| index..index + 1).collect(),
        false => group_steps(steps),
    };
    let mut lines =
        vec![format!("This is what happens when you run {failing} instead of {passing}:")];
    let mut reason = format!("the program was invoked as {failing}");
    for (number, group) in (1_usize..).zip(&groups) {
        let before = group.start.checked_sub(1).map(|index| &steps[index]);
        lines.push(String::new());
        lines.extend(group_in_words(report, number, &reason, before, &steps[group.clone()]));
        reason = reasons(&steps[group.end - 1].last.deciding);
    }
    lines.push(String::new());
    lines.push(format!("{}. Execution ends.", groups.len() + 1));
    lines.push(format!("   Since {reason},"));
    let (passing, failing) = both_in_words(&report.passing, &report.failing);
    lines.push(format!("   the program ends with {failing}"));
    lines.push(format!("   (instead of {passing})."));
    let last = steps.last().map(|step| step.last);
    lines.extend(last.map(|last| format!("   [{}]", last_stretch(report, last))));
    let quoted = last.and_then(|last| source_line(&report.program, last.place.address));
    lines.extend(quoted.map(|text| format!("   | {text}")));
    lines.extend(last.and_then(equal_in_words));
    let questions = open_questions(report);
    lines.extend((!questions.is_empty()).then(String::new));
    lines.extend(questions);
    lines
}

/// The variables that are equal in both runs at the last place: if one of them is wrong, no difference shows it.
fn equal_in_words(last: &PlaceCause) -> Option<String> {
    let equal: Vec<String> =
        last.equal.iter().map(|(name, value)| format!("{name} = {value}")).collect();
    (!equal.is_empty()).then(|| format!("   (Equal in both runs there: {}.)", equal.join(", ")))
}

/// The lines of a group of steps: the first one, and where the others lead.
fn group_in_words(
    report: &ExplainReport,
    number: usize,
    reason: &str,
    before: Option<&CauseStep<'_>>,
    steps: &[CauseStep<'_>],
) -> Vec<String> {
    let Some((first, others)) = steps.split_first() else { return Vec::new() };
    let place = name(&report.program, first.first.place);
    let mut lines =
        vec![format!("{number}. Execution reaches {place}."), format!("   Since {reason},")];
    lines.extend(facts(&first.first.deciding));
    if first.first.context > 0 {
        let others = count(first.first.context as u64, "other difference");
        lines.push(format!("   (Together with {others}, or some of them.)"));
    }
    if !first.first.same_calls {
        lines.push("   (Other calls lead here in the passing run.)".to_owned());
    }
    if let Some(before) = before {
        lines.push(format!("   [{}]", transition(report, before.last, first.first)));
        let places = report.chain.lines_before(first.first.place).iter();
        let quoted = places.filter_map(|address| source_line(&report.program, *address));
        lines.extend(quoted.map(|text| format!("   | {text}")));
    }
    if let Some(last) = others.last() {
        let place = name(&report.program, last.first.place);
        let more = count(others.len() as u64, "similar step");
        let by_way_of = by_way_of(report, steps);
        lines.push(format!("   {more} on{by_way_of}, at {place},"));
        lines.extend(facts(&last.first.deciding));
        let inside = &steps[..steps.len() - 1];
        let own = inside.iter().filter_map(|step| own_line(report, step.last));
        lines.extend(own.take(MAX_OWN_LINES).map(|own| format!("   [between; {own}]")));
    }
    lines
}

/// The functions that the steps of a group pass through between the first and the last one.
fn by_way_of(report: &ExplainReport, steps: &[CauseStep<'_>]) -> String {
    let function_of = |step: &CauseStep<'_>| function(&report.program, step.first.place);
    let ends = [steps.first(), steps.last()].map(|step| step.map(function_of));
    let mut functions: Vec<String> = Vec::new();
    for function in steps.iter().map(function_of) {
        if !functions.contains(&function) && !ends.contains(&Some(function.clone())) {
            functions.push(function);
        }
    }
    match functions.len() {
        0 => String::new(),
        1..=MAX_FUNCTIONS_BETWEEN => format!(" by way of {}", functions.join(", ")),
        more => {
            let shown = functions[..MAX_FUNCTIONS_BETWEEN].join(", ");
            let others = count((more - MAX_FUNCTIONS_BETWEEN) as u64, "other function");
            format!(" by way of {shown} and {others}")
        }
    }
}

/// The lines for a chain without steps: what happened at each place, and what to try.
fn no_chain(report: &ExplainReport) -> Vec<String> {
    let mut lines = vec!["No chain: what was captured does not decide in any place.".to_owned()];
    for examined in &report.chain.places {
        let place = name(&report.program, examined.place);
        match &examined.result {
            PlaceResult::Incomplete(state) if state.without_differences != Outcome::Pass => {
                lines.push(format!(
                    "- {place}: the passing run does not pass if it is stopped there and goes on"
                ));
            }
            PlaceResult::Incomplete(state) if state.is_shared => {
                lines.push(format!("- {place}: {SHARED_VALUES}"));
            }
            PlaceResult::Incomplete(state) => {
                let differences = count(state.deltas.len() as u64, "difference");
                let end = match &state.ending {
                    Some(ending) => format!("ends with {ending}"),
                    None => "does not fail".to_owned(),
                };
                lines.push(format!(
                    "- {place}: {differences}; with all of them the passing run {end}"
                ));
            }
            PlaceResult::Cause(_) => lines
                .push(format!("- {place}: runs from the beginning did not confirm what was found")),
            PlaceResult::Unreached => lines.push(format!("- {place}: not reached")),
        }
    }
    lines.push(
        "The failure may depend on what is not in variables: files, other processes, the"
            .to_owned(),
    );
    lines.push(
        "allocator's own data, memory that nothing points to. --at compares another place,"
            .to_owned(),
    );
    lines.push("--places more of them, and --hints says what unions hold.".to_owned());
    lines
}
