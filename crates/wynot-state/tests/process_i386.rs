//! Programs for 32-bit machines give the same chains as those for 64-bit machines.

mod memo_oracle;
mod programs;

use memo_oracle::MemoOracles;
use programs::{MACHINES, Program, SOON};
use std::sync::atomic::AtomicBool;
use wynot_crash::Cause;
use wynot_state::process::{InferiorLimits, pad_environments};
use wynot_state::{
    EndingComparison, Libraries, Machine, PlaceResult, ProgramState, RunPair, TypeRules, dwarf,
    examine_place, find_common_calls,
};
use wynot_test_support::{Tool, require};

/// The deltas that decide at the common places of two runs, in the order of execution.
fn causes(source: &str, flags: &[&str], passing: &[&str], failing: &[&str]) -> Vec<String> {
    let built = Program::built(source, flags);
    let program = dwarf::Program::read(&built.path).unwrap();
    let (mut passing, mut failing) = (built.invocation(passing), built.invocation(failing));
    pad_environments([&mut passing, &mut failing]);
    let runs = RunPair {
        program: &program,
        passing,
        failing,
        others: Vec::new(),
        limits: InferiorLimits::default(),
        experiment_timeout: SOON,
        hangs: false,
        endless_functions: Vec::new(),
        rules: TypeRules::default(),
        stop: &NEVER,
        deadline: None,
    };
    let common = find_common_calls(&runs).unwrap();
    let (passing, failing) = (common.passing.clone(), common.failing.clone());
    let comparison = EndingComparison::new(passing, failing, false).unwrap();
    let oracles = MemoOracles::new(comparison, u64::MAX);
    let mut causes = Vec::new();
    for place in &common.places {
        if let PlaceResult::Cause(cause) = examine_place(&runs, *place, &[], &[], &oracles).unwrap()
        {
            assert!(cause.verified, "{flags:?}");
            assert_eq!(cause.obstacle, None);
            let deciding = cause.deciding.iter();
            causes.extend(deciding.map(|delta| {
                format!("{} is {} instead of {}", delta.expression, delta.failing, delta.passing)
            }));
        }
    }
    causes.dedup();
    causes
}

static NEVER: AtomicBool = AtomicBool::new(false);

const LIST: &str = include_str!("../../wynot/tests/state/list.c");
const FLAG: &str = include_str!("../../wynot/tests/state/flag.c");

#[test]
fn a_list_gets_the_same_chain() {
    let of = |flags| causes(LIST, flags, &["14", "18", "20", "22"], &["14", "15", "18", "22"]);
    require!(Tool::Gcc32);
    let [long, short] = MACHINES.map(of);
    assert_eq!(long, short);
    assert!(short.len() >= 3, "{short:?}");
    assert!(short.contains(&"value is 15 instead of 18".to_owned()), "{short:?}");
}

#[test]
fn a_flag_gets_the_same_chain() {
    let of = |flags| causes(FLAG, flags, &["a", "b"], &["-c", "b"]);
    require!(Tool::Gcc32);
    let [long, short] = MACHINES.map(of);
    assert_eq!(long[..2], short[..2]);
    assert_eq!(short[1], "options.compact is 1 instead of 0");
    // The allocator has other sizes.
    assert!(short[2].starts_with("table is NULL instead of int["), "{short:?}");
}

#[test]
fn stacks_that_are_used_up_are_told_from_other_crashes() {
    require!(Tool::Gcc32);
    let source =
        "int deeper(int n) { volatile char room[1000]; return deeper(n + 1) + room[n % 1000]; }
        int main(void) { return deeper(0); }";
    for flags in MACHINES {
        let ending = Program::built(source, flags).start(&[]).finish(SOON).unwrap();
        let crash = ending.crash.unwrap();
        assert_eq!(crash.cause, Cause::StackOverflow, "{flags:?}");
        assert!(crash.frames.iter().all(|name| name == "deeper"), "{:?}", crash.frames);
    }
}

#[test]
fn crashes_in_libraries_have_the_functions_of_the_program() {
    require!(Tool::Gcc32);
    let source = r#"
        #include <stdlib.h>
        #include <string.h>
        int compare(const void *a, const void *b) { abort(); }
        void sort(int *numbers) { qsort(numbers, 2, sizeof *numbers, compare); }
        int main(int argc, char **argv) { int numbers[] = {2, 1}; sort(numbers); }"#;
    let [long, short] = MACHINES.map(|flags| {
        let ending = Program::built(source, flags).start(&[]).finish(SOON).unwrap();
        let crash = ending.crash.unwrap();
        assert_eq!((crash.cause, crash.complete), (Cause::Signal(libc::SIGABRT), true));
        let own = |name: &String| ["compare", "sort", "main"].contains(&name.as_str());
        crash.frames.into_iter().filter(own).collect::<Vec<_>>()
    });
    assert_eq!(long, ["compare", "sort", "main"]);
    assert_eq!(short, long);
}

#[test]
fn states_say_that_thread_locals_are_missing() {
    require!(Tool::Gcc32);
    let source = "__thread int one = 1, two = 2; void here(void) { one += two; }
        int main(void) { here(); return one; }";
    for (flags, machine) in MACHINES.into_iter().zip([Machine::X86_64, Machine::I386]) {
        let built = Program::built(source, flags);
        let program = dwarf::Program::read(&built.path).unwrap();
        assert_eq!(program.machine(), machine);
        let inferior = built.started_at("here", &[]);
        assert_eq!(inferior.machine(), machine);
        let state =
            ProgramState::of(&program, &TypeRules::default(), &mut Libraries::default(), &inferior)
                .unwrap();
        assert_eq!(state.missing, ["2 thread-local variables"]);
        assert_eq!(state.backtrace, ["here", "main"]);
    }
}

#[test]
fn variables_in_registers_are_copied_or_said_to_be_missing() {
    let source = r#"
        #include <stdlib.h>
        double kept;
        __attribute__((noinline)) void here(double real, int whole) {
            __asm__ volatile("" : : "x"(real), "r"(whole));
            kept = real * whole;
        }
        int main(int argc, char **argv) { here(argc * 0.5, argc + 6); }"#;
    let flags = &["-O2", "-fno-ipa-icf"];
    let built = Program::built(source, flags);
    let program = dwarf::Program::read(&built.path).unwrap();
    let inferior = built.started_at("here", &[]);
    let state =
        ProgramState::of(&program, &TypeRules::default(), &mut Libraries::default(), &inferior)
            .unwrap();
    assert!(state.missing.contains(&"real".to_owned()), "{:?}", state.missing);
    assert!(state.roots.iter().all(|root| root.name != "real"));
    assert!(state.roots.iter().any(|root| root.name == "whole"));
}
