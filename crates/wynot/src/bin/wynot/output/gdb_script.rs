//! A step of a chain as a script for GDB.

use super::chain::facts;
use wynot::explain::{ComparedRuns, name};
use wynot_state::PlaceCause;
use wynot_state::dwarf::Program;
use wynot_state::process::Invocation;
use wynot_subjects::quote::quoted;

/// A script that replays a cause: it stops the passing run at the place of the cause and alters its state, so that the run
/// fails.
pub fn gdb_script(runs: &ComparedRuns, program: &Program, cause: &PlaceCause) -> String {
    let Invocation { arguments, input, directory, .. } = &runs.passing;
    let words = arguments.iter().map(|word| quoted(&word.to_string_lossy()));
    let mut words: Vec<String> = words.collect();
    words.extend(input.as_ref().map(|input| format!("< {}", quoted(&input.to_string_lossy()))));
    let facts = facts(&cause.deciding).join("\n").replace('\n', "\n#");
    let place = name(program, cause.place);
    let main = program.symbol("main").unwrap_or_default();
    let mut script = vec![
        format!("# The passing run, stopped in {place}, fails if"),
        format!("#{facts}"),
        "# Run it with: gdb -batch -x THIS-FILE".to_owned(),
        "set confirm off".to_owned(),
        "set pagination off".to_owned(),
        "set language c".to_owned(),
        format!("file {:?}", runs.program.display().to_string()),
        format!("set cwd {}", directory.display()),
        format!("set args {}", words.join(" ")),
        "starti".to_owned(),
        format!("set $base = (unsigned long)&main - {main:#x}"),
        format!("break *($base + {:#x})", cause.place.address),
        format!("ignore $bpnum {}", cause.place.hits.0.saturating_sub(1)),
        "continue".to_owned(),
        "delete".to_owned(),
    ];
    script.extend(cause.gdb_commands.iter().cloned());
    script.push("continue".to_owned());
    script.push(String::new());
    script.join("\n")
}
