//! Reading a damaged file ends, and without a panic.

use crate::built::Built;
use crate::{CLASSES, LISTS};
use proptest::prelude::*;
use std::sync::OnceLock;
use wynot_process::ReadMemory;
use wynot_state::dwarf::{
    CallFrames, Frame, FrameRegisters, FunctionId, LoadedFile, MAX_REGISTERS, Program, unwind,
};
use wynot_test_support::{Tool, are_available};

/// Memory that can be read at every address, with different contents.
struct Anything;

impl ReadMemory for Anything {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        for (byte, at) in into.iter_mut().zip(address..) {
            *byte = (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as u8;
        }
        true
    }
}

/// Uses everything that is known about a program.
fn use_all(program: &Program, path: &std::path::Path) {
    let code = CallFrames::read(path).expect("it was read before");
    for (id, function) in program.functions_with_ids() {
        program.statements_of(id);
        program.functions_named(&function.name);
        for address in [function.entry, function.body, function.entry.wrapping_sub(1)] {
            program.line_of(address);
            program.function_at(address);
            let registers = FrameRegisters([Some(address); MAX_REGISTERS]);
            let libraries = [LoadedFile { call_frames: &code, bias: 0x1000 }];
            let stack = unwind(program, 0, &libraries, &registers, &Anything, 100);
            assert!(stack.frames.len() <= 100);
            let frame = frame(id, address, registers);
            for variable in &function.variables {
                variable.location(program, Some(&frame), 0, &Anything);
                assert!(!program.types()[variable.of].name.is_empty());
            }
        }
    }
    for global in program.globals() {
        global.location(program, None, 0, &Anything);
    }
    program.addresses_of_line("lists.c", 41);
}

fn frame(function: FunctionId, address: u64, registers: FrameRegisters) -> Frame {
    let (saved, function) = ([None; MAX_REGISTERS], Some(function));
    Frame { address, is_caller: false, cfa: 0x7fff_0000, registers, saved, function, bias: 0 }
}

/// Small programs before any damage.
fn intact() -> &'static [Vec<u8>] {
    static INTACT: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    INTACT.get_or_init(|| {
        let flags: [&[&str]; 4] = [
            &["-g"],
            &["-g", "-O2"],
            &["-gdwarf-4", "-O1", "-fdebug-types-section"],
            &["-g", "-gz"],
        ];
        let read = |flags| std::fs::read(&Built::c(LISTS, flags).path).expect("a program");
        let mut programs: Vec<_> = flags.into_iter().map(read).collect();
        let test = "program::hostile::damaged_programs_do_no_harm";
        if are_available(&[Tool::Gxx], env!("CARGO_PKG_NAME"), test) {
            let classes = Built::cc(CLASSES, &["-g", "-O1"]);
            programs.push(std::fs::read(&classes.path).expect("a program"));
        }
        programs
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..Default::default() })]

    #[test]
    fn damaged_programs_are_read_without_a_panic(
        which in any::<proptest::sample::Index>(),
        damage in proptest::collection::vec((0.0..1.0, any::<u8>()), 1..30),
        from in 0.0..1.0,
        cut in proptest::option::weighted(0.1, 0.0..1.0),
    ) {
        let mut bytes = which.get(intact()).clone();
        let at = |part: f64| (part * bytes.len() as f64) as usize;
        // All damage is in one half of the file, so that it hits related entries.
        let places: Vec<_> = damage.iter().map(|(place, to)| (at(from + (1.0 - from) * place), *to)).collect();
        let end = cut.map_or(bytes.len(), at);
        for (place, to) in places {
            bytes[place] = to;
        }
        bytes.truncate(end);
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("program");
        std::fs::write(&path, bytes).expect("a file");
        match Program::read(&path) {
            Ok(program) => use_all(&program, &path),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}

/// The number of damaged programs; more with an environment variable.
fn cases() -> u32 {
    std::env::var("WYNOT_DAMAGED").ok().and_then(|count| count.parse().ok()).unwrap_or(200)
}

#[test]
fn deeply_nested_and_cyclic_types_are_read() {
    let deep: String = (1..300).map(|n| format!("typedef t{} *t{n};\n", n - 1)).collect();
    let wide: String =
        (1..40).map(|n| format!("typedef f{p} *(*f{n})(f{p}, f{p}, f{p});\n", p = n - 1)).collect();
    let round: String = (0..500)
        .map(|n| {
            format!(
                "struct s{n} {{ struct s{} *next; struct s{} *back; }};\n",
                (n + 1) % 500,
                (n + 499) % 500
            )
        })
        .collect();
    let source = format!(
        "typedef int t0; typedef int f0; {deep} {wide} {round}
         t299 deep; f39 wide; struct s0 round;
         int main(void) {{ return 0; }}"
    );
    let built = Built::c(&source, &["-g"]);
    let program = built.program();
    assert!(program.types().len() > 1000);
    assert!(program.types().iter().all(|(_, of)| of.name.len() <= 10_000));
}
