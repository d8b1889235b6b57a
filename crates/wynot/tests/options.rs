//! Options and environments: which one causes a failure, which one prevents it.

mod support;

use std::process::Command;
use support::{Place, ran};

/// A mean of readings in which NaN does not count, unless the compiler is told that there is none.
const MEAN: &str = include_str!("../../../examples/options/mean.c");

/// One per line.
const OPTIONS: &str = include_str!("../../../examples/options/options.txt");

/// 31 options of gcc, of which two, each by itself, tell the compiler about NaN.
fn options(finite: &str, fast: &str) -> String {
    assert_eq!(OPTIONS.lines().count(), 31);
    let named = OPTIONS.replace("-ffinite-math-only", finite).replace("-ffast-math", fast);
    named.lines().collect::<Vec<_>>().join(" ")
}

fn place(level: &str) -> Place {
    let place = Place::new();
    place.write("mean.c", MEAN);
    let build = format!("source=$1; shift; gcc {level} \"$@\" \"$source\" -o prog -lm && ./prog");
    place.script("t", &build);
    place
}

/// Runs a line that wynot printed.
fn exit_of(place: &Place, line: &str) -> Option<i32> {
    let mut shell = Command::new("sh");
    place.prepare(&mut shell);
    ran(shell.arg("-c").arg(line)).code
}

fn json(place: &Place, args: &[&str]) -> serde_json::Value {
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    serde_json::from_str(&ran.stdout).unwrap()
}

#[test]
fn causes_among_31_options_of_gcc_are_found_in_seven_tests_each() {
    let place = place("-O1");
    let vary = options("-ffinite-math-only", "-ffast-math");
    let args = ["options", "--all", "--json", "--vary", &vary, "--", "./t", "mean.c", "{options}"];
    let found = json(&place, &args);
    assert_eq!(found["causes"][0]["deltas"][0], "-ffinite-math-only");
    assert_eq!(found["causes"][1]["deltas"][0], "-ffast-math");
    assert_eq!(found["complete"], true);
    assert_eq!(found["causes"].as_array().unwrap().len(), 2);
    for cause in found["causes"].as_array().unwrap() {
        assert!(cause["tests"]["executed"].as_u64() <= Some(7), "{found}");
        assert_eq!(exit_of(&place, cause["line"].as_str().unwrap()), Some(1));
    }
    assert_eq!(exit_of(&place, "./t mean.c"), Some(0));
    assert_eq!(place.wynot("verify").code, Some(0));
}

#[test]
fn what_prevents_a_failure_is_found_as_well() {
    let place = place("-Ofast");
    let vary = options("-fno-finite-math-only", "-fno-fast-math");
    let args =
        ["options", "--prevent", "--all", "--vary", &vary, "--", "./t", "mean.c", "{options}"];
    let ran = place.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("1. 1 option of 31 prevents the failure"), "{ran:?}");
    assert!(ran.stdout.contains("passes: ./t mean.c -fno-finite-math-only\n"), "{ran:?}");
    assert!(ran.stdout.contains("passes: ./t mean.c -fno-fast-math\n"), "{ran:?}");
    assert!(ran.stdout.contains("no other option prevents the failure; 14 tests"), "{ran:?}");
    assert_eq!(exit_of(&place, "./t mean.c -fno-fast-math"), Some(0));
    assert_eq!(exit_of(&place, "./t mean.c"), Some(1));
}

#[test]
fn options_that_act_together_are_found_by_every_algorithm_and_number_of_jobs() {
    let place = Place::new();
    place.script("t", "case \" $* \" in *' -a 1 '*'--flag '*) exit 1;; esac");
    let vary = "-x -y 2 -a 1 -b -c -d '-e f' --other=3 --flag -z";
    for algorithm in ["gather", "ddmin"] {
        for jobs in ["1", "2", "8"] {
            let args = [
                "options",
                "--fresh",
                "--json",
                "-j",
                jobs,
                "--algorithm",
                algorithm,
                "--vary",
                vary,
                "--",
                "./t",
                "{options}",
            ];
            let found = json(&place, &args);
            let expected = serde_json::json!(["-a 1", "--flag"]);
            assert_eq!(found["causes"][0]["deltas"], expected, "{algorithm} {jobs}");
            assert_eq!(found["causes"][0]["line"], "./t -a 1 --flag");
        }
    }
    place.write("options.txt", "-x\n-a 1\n--flag\n");
    let from_file = place.wynot("options --vary-file options.txt -- ./t {options}");
    assert!(
        from_file.stdout.contains("2 options of 3 cause the failure together"),
        "{from_file:?}"
    );
}

#[test]
fn one_entry_of_one_of_200_variables_is_found_in_20_tests() {
    let place = Place::new();
    place.script("t", "case \":$TOOLS:\" in *:/opt/broken:*) exit 1;; esac; test -n \"$PATH\"");
    let mut command = place.command();
    command.env_clear();
    place.prepare(&mut command);
    command
        .env("PATH", "/extra:/usr/bin:/bin")
        .env("TOOLS", "/a:/b:/opt/good:/opt/broken:/c:/d:/e");
    for number in 0..198 {
        command.env(format!("VARIABLE_{number}"), format!("value {number}"));
    }
    let ran = ran(command.args(["options", "--env", "--json", "--", "./t"]));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let found: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["causes"][0]["deltas"], serde_json::json!(["/opt/broken in TOOLS"]));
    assert!(found["tests"]["executed"].as_u64() <= Some(20), "{found}");
    let line = found["causes"][0]["line"].as_str().unwrap();
    assert!(line.starts_with("env -i ") && line.contains("TOOLS=/opt/broken"), "{line}");
    assert_eq!(exit_of(&place, line), Some(1));
}

#[test]
fn environments_can_come_from_dumps() {
    let place = Place::new();
    place.script("t", "test \"$MODE\" != fast");
    place.write("good.env", "A=1\0MODE=slow\0PATH=/bin\0");
    place.write("bad.env", "A=2\0MODE=fast\0PATH=/bin\0B=3\0");
    let found = place.wynot("options --env --passing-env good.env --failing-env bad.env -- ./t");
    assert!(found.stdout.contains("  MODE=fast\n"), "{found:?}");
    assert!(found.stdout.contains("fails: env -i A=1 MODE=fast PATH=/bin ./t"), "{found:?}");
    place.write("odd.env", "no assignment");
    place
        .wynot("options --env --failing-env odd.env -- ./t")
        .ends(2, "odd.env: 'no assignment' is not of the form NAME=value");
}

#[test]
fn what_cannot_be_searched_is_refused() {
    let place = Place::new();
    place.script("t", "exit 0");
    place
        .wynot("options --vary -x -- ./t")
        .ends(2, "write {options} among its arguments: -- ./t {options}");
    place.wynot("options -- ./t {options}").ends(2, "--vary");
    place.wynot("options --vary -x -- ./t {options}").ends(3, "does not tell them apart");
    let unclosed = place.run(["options", "--vary", "-D'x", "--", "./t", "{options}"]);
    unclosed.ends(2, "a quotation mark is not closed");
    place.script("t", "exit 1");
    place.wynot("options --prevent --vary -x -- ./t {options}").ends(
        3,
        "the test ends without them as it does with all options, so it is not clear what the failure is",
    );
}

#[test]
fn options_with_which_a_program_dies_without_a_report_are_compared_by_backtraces() {
    let place = Place::new();
    let source =
        "int *nothing; int main(int argc, char **argv) { return argc > 1 ? *nothing : 0; }";
    support::gcc(&place, "crash", &["-g"], source);
    let found = place.json("options --vary -x -- ./crash {options}");
    assert_eq!(found["result_failure"]["functions"][0], "main", "{found}");
}
