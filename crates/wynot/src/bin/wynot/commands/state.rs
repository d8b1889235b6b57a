//! `wynot state`: show the state of a running program, or what differs between two runs.

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use serde_json::json;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use wynot::explain::{ComparedRuns, MAX_RUN, executable, find_places, invocation, type_rules};
use wynot::{Error, ErrorKind};
use wynot_report::number::{count, grouped};
use wynot_state::dwarf::Program;
use wynot_state::process::{InferiorLimits, Invocation};
use wynot_state::{
    CommonPlace, DescribedDelta, DumpedObject, DumpedPointer, RunPair, StateDiff, StateDump,
    TypeRules,
};

/// The arguments of `wynot state`.
#[derive(Debug, Args)]
pub struct StateArgs {
    #[command(subcommand)]
    pub verb: StateVerb,
}

/// The commands below `wynot state`.
#[derive(Debug, Subcommand)]
pub enum StateVerb {
    /// Show all objects that can be reached from the variables of a stopped program
    Dump {
        /// The program and its arguments, < FILE for its input
        #[arg(value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        command: String,
        /// Where to stop: FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT
        #[arg(long, value_name = "PLACE", default_value = "main")]
        at: String,
        /// A file about unions and lengths, as for explain
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        hints: Option<PathBuf>,
        /// How to show it
        #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = StateForm::Text)]
        form: StateForm,
    },
    /// Show what differs between two runs of a program at one place
    Diff {
        /// A run that passes
        #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        pass: String,
        /// A run of the same program that fails
        #[arg(long, value_name = "COMMAND", value_hint = ValueHint::CommandString)]
        fail: String,
        /// Where to stop: FUNCTION, FUNCTION:HIT, FILE:LINE or FILE:LINE:HIT
        #[arg(long, value_name = "PLACE", default_value = "main")]
        at: String,
        /// A file about unions and lengths, as for explain
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        hints: Option<PathBuf>,
        /// How to show it
        #[arg(long = "as", value_enum, value_name = "FORM", default_value_t = StateForm::Text)]
        form: StateForm,
    },
}

/// Forms of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum StateForm {
    /// A line for each variable or object
    Text,
    /// One JSON object
    Json,
    /// A graph for Graphviz
    Dot,
}

/// The stop flag of a single capture, which is short and is never stopped.
static NEVER_STOPPED: AtomicBool = AtomicBool::new(false);

/// The maximum number of parts of an object that are drawn.
const MAX_PARTS_DRAWN: usize = 8;

/// How long the failing run is traced after the passing one in search of a place.
const TIME_FOR_PLACES: Duration = Duration::from_millis(200);

/// How long the failing run is traced in search of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TraceTime {
    /// As long as it comes to further places in about the time of the passing run.
    LikePassing,
    /// To its end, or to the limit of all runs.
    UntilEnd,
}

/// Shows a state or a difference.
pub fn run(args: &StateArgs, here: &Path) -> Result<ExitCode, Error> {
    match &args.verb {
        StateVerb::Dump { command, at, hints, form } => {
            let command = invocation("the command", command, here)?;
            let program = executable(&command.program, here)?;
            let read = Program::read(&program).map_err(Error::usage)?;
            let command = Invocation { program, ..command };
            let rules = type_rules(hints.as_deref(), here, &read)?;
            let pair = run_pair(&read, command.clone(), command, rules, TraceTime::UntilEnd);
            let dump = pair
                .dump(find_place(&pair, at)?)
                .map_err(|error| Error::new(ErrorKind::Unexpected, error))?;
            show_dump(&dump.ok_or_else(|| unreached_error(at))?, *form);
        }
        StateVerb::Diff { pass, fail, at, hints, form } => {
            let runs = ComparedRuns::parse((pass, &[]), fail, here, MAX_RUN)?;
            let read = Program::read(&runs.program).map_err(Error::usage)?;
            let rules = type_rules(hints.as_deref(), here, &read)?;
            let diff = |time| {
                let (passing, failing) = (runs.passing.clone(), runs.failing.clone());
                let pair = run_pair(&read, passing, failing, rules.clone(), time);
                pair.diff(find_place(&pair, at)?)
                    .map_err(|error| Error::new(ErrorKind::Unexpected, error))
            };
            // The failing run may not end, and mostly the place comes soon.
            let found = match diff(TraceTime::LikePassing)? {
                Some(found) => Some(found),
                None => diff(TraceTime::UntilEnd)?,
            };
            show_diff(&found.ok_or_else(|| unreached_error(at))?, *form);
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Two runs of a program, for captures at single places.
fn run_pair(
    program: &Program,
    passing: Invocation,
    failing: Invocation,
    rules: TypeRules,
    time: TraceTime,
) -> RunPair<'_> {
    RunPair {
        program,
        passing,
        failing,
        others: Vec::new(),
        limits: InferiorLimits::default(),
        experiment_timeout: TIME_FOR_PLACES,
        hangs: time == TraceTime::LikePassing,
        endless_functions: Vec::new(),
        rules,
        stop: &NEVER_STOPPED,
        deadline: None,
    }
}

/// The place that the user has named.
fn find_place(runs: &RunPair<'_>, at: &str) -> Result<CommonPlace, Error> {
    let places = find_places(runs, std::slice::from_ref(&at.to_owned()))?.0;
    places.into_iter().next().ok_or_else(|| Error::usage(format!("there is no place {at}")))
}

/// The error of a place that the run does not reach.
fn unreached_error(at: &str) -> Error {
    Error::new(ErrorKind::NoFailure, format!("the run ends before it comes to {at}"))
}

fn show_dump(dump: &StateDump, form: StateForm) {
    match form {
        StateForm::Text => {
            for (name, value) in dump.objects.iter().flat_map(|vertex| &vertex.parts) {
                print_line!("{name} = {value}");
            }
        }
        StateForm::Json => print_line!(
            "{}",
            json!({
                "schema": 1,
                "command": "state dump",
                "backtrace": dump.backtrace,
                "vertices": dump.objects.iter().map(|vertex| json!({
                    "name": vertex.name, "type": vertex.type_name, "address": format!("{:#x}", vertex.address),
                    "parts": vertex.parts.iter().map(|(name, value)| json!([name, value])).collect::<Vec<_>>(),
                })).collect::<Vec<_>>(),
                "edges": dump.pointers.iter().map(|edge| json!([edge.from, edge.to])).collect::<Vec<_>>(),
            })
        ),
        StateForm::Dot => {
            let mut text = String::from("digraph state {\n  rankdir=LR; node [shape=box];\n");
            for (index, DumpedObject { parts, .. }) in dump.objects.iter().enumerate() {
                let shown = parts
                    .iter()
                    .take(MAX_PARTS_DRAWN)
                    .map(|(name, value)| format!("{name} = {value}"));
                let label: Vec<String> = shown.collect();
                let _ = writeln!(text, "  v{index} [label={:?}];", label.join("\n"));
            }
            for DumpedPointer { from, to, name } in &dump.pointers {
                let _ = writeln!(text, "  v{from} -> v{to} [label={name:?}];");
            }
            text.push('}');
            print_line!("{text}");
        }
    }
}

fn show_diff(found: &StateDiff, form: StateForm) {
    match form {
        StateForm::Text => {
            for DescribedDelta { expression, passing, failing, .. } in &found.deltas {
                print_line!("{expression}: {failing} (instead of {passing})");
            }
            let deltas = count(found.deltas.len() as u64, "difference");
            let (passing, failing) = found.vertices;
            print_error_line!(
                "wynot: {deltas} among {} and {} vertices",
                grouped(passing),
                grouped(failing)
            );
        }
        StateForm::Json => print_line!(
            "{}",
            json!({
                "schema": 1,
                "command": "state diff",
                "vertices": {"passing": found.vertices.0, "failing": found.vertices.1},
                "differences": found.deltas.iter().map(|delta| json!({
                    "variable": delta.expression, "passing": delta.passing, "failing": delta.failing,
                })).collect::<Vec<_>>(),
            })
        ),
        StateForm::Dot => {
            let mut text = String::from("digraph difference {\n  rankdir=LR; node [shape=box];\n");
            for (index, DescribedDelta { path, expression, passing, failing, .. }) in
                found.deltas.iter().enumerate()
            {
                for (step, (name, holds)) in path.iter().enumerate() {
                    let _ = writeln!(
                        text,
                        "  d{index}_{step} [label={:?}];",
                        format!("{name}\n{holds}")
                    );
                    if step > 0 {
                        let _ = writeln!(text, "  d{index}_{} -> d{index}_{step};", step - 1);
                    }
                }
                let last = path.len().saturating_sub(1);
                for (side, colour, value) in [("p", "green", passing), ("f", "red", failing)] {
                    let label = format!("{expression}\n{value}");
                    let _ = writeln!(text, "  d{index}{side} [label={label:?}, color={colour}];");
                    let _ = writeln!(text, "  d{index}_{last} -> d{index}{side} [color={colour}];");
                }
            }
            text.push('}');
            print_line!("{text}");
        }
    }
}
