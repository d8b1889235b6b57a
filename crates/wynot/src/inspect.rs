//! Looking at a state, or at what differs between two.

use crate::explain::rules;
use crate::explaining::{Drawn, StateArgs, StateVerb};
use crate::failure::{Code, Failure};
use crate::places;
use crate::runs::{PATIENCE, Runs, invocation, program_of};
use serde_json::json;
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use wynot_report::number::{count, grouped};
use wynot_state::dwarf::Program;
use wynot_state::process::{InferiorLimits, Invocation};
use wynot_state::{
    CommonPlace, DescribedDelta, DumpedObject, DumpedPointer, RunPair, StateDiff, StateDump,
    TypeRules,
};

/// One look at a state is soon over.
static NEVER: AtomicBool = AtomicBool::new(false);

/// How many parts of an object are drawn.
const SHOWN: usize = 8;

/// Shows a state or a difference.
pub fn run(args: &StateArgs) -> Result<ExitCode, Failure> {
    match &args.verb {
        StateVerb::Dump { command, at, hints, form } => {
            let command = invocation("the command", command)?;
            let program = program_of(&command)?;
            let read = Program::read(&program).map_err(Failure::usage)?;
            let command = Invocation { program, ..command };
            let rules = rules(hints.as_deref(), &read)?;
            let case = case(&read, command.clone(), command, rules);
            let dump = case
                .dump(site(&case, at)?)
                .map_err(|error| Failure::new(Code::Unexpected, error))?;
            show_dump(&dump.ok_or_else(|| unreached(at))?, *form);
        }
        StateVerb::Diff { pass, fail, at, hints, form } => {
            let runs = Runs::of(pass, fail, PATIENCE)?;
            let read = Program::read(&runs.program).map_err(Failure::usage)?;
            let rules = rules(hints.as_deref(), &read)?;
            let case = case(&read, runs.passing, runs.failing, rules);
            let found = case
                .diff(site(&case, at)?)
                .map_err(|error| Failure::new(Code::Unexpected, error))?;
            show_diff(&found.ok_or_else(|| unreached(at))?, *form);
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn case(
    program: &Program,
    passing: Invocation,
    failing: Invocation,
    rules: TypeRules,
) -> RunPair<'_> {
    RunPair {
        program,
        passing,
        failing,
        limits: InferiorLimits::default(),
        experiment_timeout: PATIENCE,
        rules,
        stop: &NEVER,
    }
}

fn site(case: &RunPair<'_>, at: &str) -> Result<CommonPlace, Failure> {
    let sites = places::read(case, std::slice::from_ref(&at.to_owned()))?;
    sites.into_iter().next().ok_or_else(|| Failure::usage(format!("there is no place {at}")))
}

fn unreached(at: &str) -> Failure {
    Failure::new(Code::NoFailure, format!("the run ends before it comes to {at}"))
}

fn show_dump(dump: &StateDump, form: Drawn) {
    match form {
        Drawn::Text => {
            for (name, value) in dump.objects.iter().flat_map(|vertex| &vertex.parts) {
                printed!("{name} = {value}");
            }
        }
        Drawn::Json => printed!(
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
        Drawn::Dot => {
            let mut text = String::from("digraph state {\n  rankdir=LR; node [shape=box];\n");
            for (index, DumpedObject { parts, .. }) in dump.objects.iter().enumerate() {
                let shown =
                    parts.iter().take(SHOWN).map(|(name, value)| format!("{name} = {value}"));
                let label: Vec<String> = shown.collect();
                let _ = writeln!(text, "  v{index} [label={:?}];", label.join("\n"));
            }
            for DumpedPointer { from, to, name } in &dump.pointers {
                let _ = writeln!(text, "  v{from} -> v{to} [label={name:?}];");
            }
            text.push('}');
            printed!("{text}");
        }
    }
}

fn show_diff(found: &StateDiff, form: Drawn) {
    match form {
        Drawn::Text => {
            for DescribedDelta { expression, passing, failing, .. } in &found.deltas {
                printed!("{expression}: {failing} (instead of {passing})");
            }
            let deltas = count(found.deltas.len() as u64, "difference");
            let (passing, failing) = found.vertices;
            told!("wynot: {deltas} among {} and {} vertices", grouped(passing), grouped(failing));
        }
        Drawn::Json => printed!(
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
        Drawn::Dot => {
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
            printed!("{text}");
        }
    }
}
