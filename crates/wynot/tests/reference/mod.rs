//! Reference cases of explanations: a program, two runs of it, and the chain between them, replayed in GDB.

use crate::support::{Place, ran};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// A program, a passing and a failing run of it, and the chain that leads from one to the other.
pub struct Reference {
    pub source: &'static str,
    pub pass: &'static str,
    pub fail: &'static str,
    pub options: &'static [&'static str],
    /// The variable that decides, its failing value, and the line where that is so first.
    pub chain: &'static [(&'static str, &'static str, u64)],
    /// What GDB prints when a step is replayed.
    pub confirmed: &'static str,
}

pub fn compile(place: &Place, source: &str) {
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/state").join(source);
    let name = source.split('.').next().unwrap();
    let mut command = match source.rsplit('.').next().unwrap() {
        "c" => Command::new("gcc"),
        "cpp" => Command::new("g++"),
        _ => Command::new("rustc"),
    };
    // The backtrace of a panic is longer than the program.
    place.prepare(command.env("RUST_BACKTRACE", "0"));
    let done = ran(command.arg("-g").arg(from).args(["-o", name]));
    assert_eq!(done.code, Some(0), "{done:?}");
}

pub fn explain(place: &Place, reference: &Reference, more: &[&str]) -> Value {
    let mut args = vec![
        "explain",
        "-q",
        "--fresh",
        "--json",
        "--pass",
        reference.pass,
        "--fail",
        reference.fail,
    ];
    args.extend(reference.options);
    args.extend(more);
    let done = place.run(args);
    assert_eq!(done.code, Some(0), "{done:?}");
    serde_json::from_str(&done.stdout).unwrap()
}

/// Whether GDB can call functions of a program. Before version 14 it cannot do so on processors with large registers
/// (AMX), where it reports that it cannot write the extended state.
fn gdb_calls_functions(place: &Place, program: &str) -> bool {
    let mut gdb = Command::new("gdb");
    place.prepare(&mut gdb);
    let commands = ["set language c", "break main", "run", "print ((int (*)(int))abs)(-23)"];
    let commands = commands.iter().flat_map(|command| ["-ex", command]);
    let printed = ran(gdb.args(["-batch", "-nx"]).args(commands).arg(program));
    let works = printed.stdout.contains("= 23");
    assert!(works || printed.stderr.contains("Couldn't write extended state"), "{printed:?}");
    works
}

pub fn holds(reference: &Reference) {
    let place = Place::new();
    compile(&place, reference.source);
    let (program, _) = reference.pass.split_once(' ').unwrap();
    let calls_functions = gdb_calls_functions(&place, program);
    let told = explain(&place, reference, &["--gdb", "steps"]);
    let steps = told["chain"].as_array().unwrap();
    let found: Vec<(&str, &str, u64)> = steps
        .iter()
        .map(|step| {
            let cause = &step["causes"][0];
            let text = |name: &str| cause[name].as_str().unwrap();
            (text("variable"), text("failing"), step["place"]["line"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(found, reference.chain, "{told:#}");
    let mut last_group = (0, 0);
    for step in steps {
        // The numbers are those of the terminal; steps that are one there have a second number.
        let group = step["group"].as_u64().unwrap();
        last_group = (group, if group == last_group.0 { last_group.1 + 1 } else { 0 });
        let number = match last_group.1 {
            0 => format!("{group}"),
            similar => format!("{group}.{similar}"),
        };
        assert!(step["causes"].as_array().unwrap().len() <= 2, "{step:#}");
        assert_eq!(step["context"], 0, "{step:#}");
        assert_eq!(step["verified"], true, "{step:#}");
        assert!(step["tests"].as_u64().unwrap() <= 50, "{step:#}");
        let script = place.text(format!("steps/{number}.gdb"));
        assert_eq!(step["gdb"], script);
        if (script.contains("malloc") || script.contains("call ")) && !calls_functions {
            eprintln!("step {number} is not replayed: this GDB cannot call functions here");
            continue;
        }
        let mut gdb = Command::new("gdb");
        place.prepare(&mut gdb);
        let replayed = ran(gdb.args(["-batch", "-nx", "-x", &format!("steps/{number}.gdb")]));
        let said = format!("{}{}", replayed.stdout, replayed.stderr);
        assert!(said.contains(reference.confirmed), "step {number}: {said}");
    }
}
