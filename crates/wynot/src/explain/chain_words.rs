//! What an explanation says about its causes, in words: the same on the terminal, on pages and in scripts.

use super::explain_report::ExplainReport;
use super::function_names::readable;
use super::place_names::{function, line, name, source_line};
use wynot_core::Outcome;
use wynot_report::number::count;
use wynot_state::dwarf::without_type_arguments;
use wynot_state::{
    CommonPlace, DescribedDelta, ExaminedPlace, PlaceCause, PlaceResult, VariableScope,
};

/// Why a place does not decide if it does only with values of other passing runs.
pub const SHARED_VALUES: &str = "it fails only with values that other passing runs have as well";

/// What says that a line is one of the failing run alone, or of the passing run.
const ONLY_FAILING: &str = "only the failing run executes";
const ONLY_PASSING: &str = "only the passing run executes";

/// The number of functions that are named in which only one of the runs executes lines.
const MAX_OWN_FUNCTIONS: usize = 5;

/// What the descriptions of differences outside of memory begin with, and what these are.
const OUTSIDE_NOUNS: [(&str, &str); 3] = [
    ("file ", "the content of the input file"),
    ("register ", "register"),
    ("descriptor ", "file descriptor"),
];

/// What a difference is in, and its name: a variable, a register, an input file.
pub fn noun_and_name(delta: &DescribedDelta) -> (&'static str, &str) {
    let expression = delta.expression.as_str();
    match delta.scope {
        VariableScope::Frame { .. } => ("variable", expression),
        VariableScope::Global => ("global variable", expression),
        VariableScope::Process => {
            let mut nouns = OUTSIDE_NOUNS.into_iter();
            let found =
                nouns.find_map(|(start, noun)| Some((noun, expression.strip_prefix(start)?)));
            found.unwrap_or(("", expression))
        }
    }
}

/// A line for each deciding variable: its value, and the one in the passing run.
pub fn facts(deltas: &[DescribedDelta]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, delta) in deltas.iter().enumerate() {
        let DescribedDelta { passing, failing, scope, .. } = delta;
        let (noun, variable) = noun_and_name(delta);
        let (gap, owner) = (if noun.is_empty() { "" } else { " " }, owner(scope));
        let end = if index + 1 == deltas.len() { "." } else { ", and" };
        lines.push(format!(
            "   {noun}{gap}{variable}{owner} is now {failing} (instead of {passing}){end}"
        ));
    }
    lines
}

/// The function whose variable it is, unless it is the innermost one.
fn owner(scope: &VariableScope) -> String {
    scope.outer_function().map_or_else(String::new, |outer| format!(" of {}", readable(outer)))
}

/// The deciding variables as the reason for the next step.
pub fn reasons(deltas: &[DescribedDelta]) -> String {
    let reasons: Vec<String> = deltas
        .iter()
        .map(|delta| {
            let (noun, variable) = noun_and_name(delta);
            let DescribedDelta { failing, scope, .. } = delta;
            let owner = owner(scope);
            match scope {
                VariableScope::Process if !noun.is_empty() => {
                    format!("{noun} {variable} was {failing}")
                }
                _ => format!("{variable}{owner} was {failing}"),
            }
        })
        .collect();
    reasons.join(" and ")
}

/// The stretch of the program in which one cause becomes another.
pub fn transition(report: &ExplainReport, before: &PlaceCause, after: &PlaceCause) -> String {
    let place = |place: CommonPlace| line(&report.program, place).unwrap_or_else(|| "?".to_owned());
    let stretch = match (place(before.place), place(after.place)) {
        (from, to) if from == to => format!("in {from}"),
        (from, to) => format!("between {from} and {to}"),
    };
    let undecided = report.chain.undecided(Some(before.place), Some(after.place));
    let notes = [own_line(report, before), undecided_in_words(&undecided)];
    with_notes(stretch, notes)
}

/// The stretch from the last cause to the end.
pub fn last_stretch(report: &ExplainReport, last: &PlaceCause) -> String {
    let from = line(&report.program, last.place).unwrap_or_else(|| "?".to_owned());
    let undecided = report.chain.undecided(Some(last.place), None);
    // After the failure only the passing run goes on: that says nothing.
    let own = own_line(report, last).filter(|own| own.starts_with(ONLY_FAILING));
    let notes = [own, undecided_in_words(&undecided)];
    with_notes(format!("between {from} and the end"), notes)
}

/// A stretch, and what is to be said about it.
fn with_notes(stretch: String, notes: [Option<String>; 2]) -> String {
    let parts: Vec<String> = [Some(stretch)].into_iter().chain(notes).flatten().collect();
    parts.join("; ")
}

/// The first line after a cause that only the failing run executes, or else only the passing run.
pub fn own_line(report: &ExplainReport, before: &PlaceCause) -> Option<String> {
    let own = report.chain.own_lines_after(before.place)?;
    let (run, lines) = match own.failing.is_empty() {
        false => (ONLY_FAILING, &own.failing),
        true => (ONLY_PASSING, &own.passing),
    };
    let (first, others) = lines.split_first()?;
    let place = CommonPlace { address: *first, hits: (1, 1) };
    let function = function(&report.program, place);
    let function = without_type_arguments(&function);
    let at = format!("{} in {function}", line(&report.program, place)?);
    let code = source_line(&report.program, *first);
    let code = code.map_or_else(|| at.clone(), |code| format!("`{code}` ({at})"));
    let more = match others.len() {
        0 => String::new(),
        more => format!(", then {}{}", count(more as u64, "other line"), also_in(report, lines)),
    };
    Some(format!("{run} {code}{more}"))
}

/// How many places do not decide, and how the passing run ends there with all differences.
pub fn undecided_in_words(places: &[&ExaminedPlace]) -> Option<String> {
    let mut ends: Vec<String> = Vec::new();
    for place in places {
        let end = match &place.result {
            PlaceResult::Incomplete(state) if state.without_differences != Outcome::Pass => {
                "the passing run does not pass if it is stopped".to_owned()
            }
            PlaceResult::Incomplete(state) if state.is_shared => SHARED_VALUES.to_owned(),
            PlaceResult::Incomplete(state) => match &state.ending {
                Some(ending) => format!("with all differences, it ends with {ending}"),
                None => "with all differences, it does not fail".to_owned(),
            },
            PlaceResult::Cause(_) => "runs from the beginning did not confirm it".to_owned(),
            PlaceResult::Unreached => "not reached".to_owned(),
        };
        if !ends.contains(&end) {
            ends.push(end);
        }
    }
    let how = match &ends[..] {
        [] => return None,
        [one] => one.clone(),
        [one, rest @ ..] => format!("{one}, and {}", count(rest.len() as u64, "other way")),
    };
    Some(match places.len() {
        1 => format!("in a place between, what was captured does not decide ({how})"),
        many => format!("in {many} places between, what was captured does not decide ({how})"),
    })
}

/// The functions of lines besides that of the first one, in the order of execution.
fn also_in(report: &ExplainReport, lines: &[u64]) -> String {
    let mut functions: Vec<String> = Vec::new();
    for address in lines {
        let function = function(&report.program, CommonPlace { address: *address, hits: (1, 1) });
        let function = without_type_arguments(&function);
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    let shown = functions.get(1..functions.len().min(MAX_OWN_FUNCTIONS)).unwrap_or_default();
    match (shown, functions.len().checked_sub(MAX_OWN_FUNCTIONS)) {
        ([], _) => String::new(),
        (shown, None | Some(0)) => format!(", also in {}", shown.join(", ")),
        (shown, Some(more)) => {
            format!(", also in {} and {}", shown.join(", "), count(more as u64, "other function"))
        }
    }
}

/// What the explanation leaves open, and why.
pub fn open_questions(report: &ExplainReport) -> Vec<String> {
    let causes: Vec<&PlaceCause> =
        report.chain.places.iter().filter_map(|examined| examined.cause()).collect();
    let mut questions = Vec::new();
    if let Some(words) = &report.uncontrolled {
        questions.push(format!("Note: {words}. The chain is about the latter."));
    }
    let unconfirmed = report.chain.places.iter().filter(
        |examined| matches!(&examined.result, PlaceResult::Cause(cause) if !cause.verified),
    );
    for examined in unconfirmed {
        let place = name(&report.program, examined.place);
        questions.push(format!(
            "What was found at {place} was not confirmed by runs from the beginning, and is left out."
        ));
    }
    if let Some(reason) = causes.iter().find_map(|cause| cause.obstacle.as_ref()) {
        questions.push(format!(
            "Experiments were run from the beginning, as the program cannot be copied: {reason}."
        ));
    }
    let first = report.chain.places.first().filter(|examined| examined.cause().is_none());
    if let (Some(examined), Some(found)) = (first, causes.first()) {
        let place = name(&report.program, examined.place);
        let begin = name(&report.program, found.place);
        questions.push(format!(
            "From {place} to {begin}, nothing that was captured decides: the failure depends on \
             something else there, such as files that are read later."
        ));
    }
    let steps = report.chain.steps();
    let missing = steps.iter().map(|step| step.first.missing.len()).max().unwrap_or(0);
    if missing > 0 {
        let variables = count(missing as u64, "variable");
        questions.push(format!(
            "Up to {variables} in a place could not be captured: the compiler keeps them nowhere, or elsewhere."
        ));
    }
    questions
}
