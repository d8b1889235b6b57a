//! Frames and variables of stopped programs, compared with GDB, which stops them and writes their memory into a
//! core file.

use crate::built::{Built, ask_gdb};
use crate::dump::Dump;
use crate::{CLASSES, LISTS, SHAPES};
use std::collections::HashMap;
use std::path::PathBuf;
use wynot_process::ReadMemory;
use wynot_state::Machine;
use wynot_state::dwarf::{
    CallFrames, Frame, FrameRegisters, LoadedFile, Program, Stack, StackEnd, VariableLocation,
    unwind,
};
use wynot_test_support::{Tool, require};

/// A process that GDB has stopped.
struct Stopped {
    program: Program,
    bias: u64,
    libraries: Vec<(CallFrames, u64)>,
    registers: FrameRegisters,
    memory: Dump,
    /// The output of GDB by command.
    said: HashMap<String, String>,
}

impl Stopped {
    /// Runs a program to a place, and executes some commands of GDB there.
    fn at(built: &Built, place: &str, questions: &[&str]) -> Self {
        Self::after(built, &format!("break {place}\nrun > /dev/null\n"), questions)
    }

    /// Runs a program with some commands of GDB, and executes others afterwards.
    fn after(built: &Built, before: &str, questions: &[&str]) -> Self {
        let dump = built.directory().join("dump");
        let always = ["info registers", "info auxv", "info proc mappings"];
        let mut asked: Vec<String> =
            always.iter().chain(questions).map(|question| question.to_string()).collect();
        asked.push(format!("generate-core-file {}", dump.display()));
        let answers = ask_gdb(&built.path, before, &asked);
        assert!(dump.exists(), "{answers:?}");
        let said: HashMap<String, String> = asked.into_iter().zip(answers).collect();
        let program = built.program();
        let entry = said["info auxv"].lines().find(|line| line.contains("AT_ENTRY"));
        let entry = entry.and_then(|line| line.split_whitespace().last()).map(number);
        let bias = program.bias(entry.expect("an entry"));
        let libraries = libraries(&said["info proc mappings"], &built.path);
        let registers = registers(program.machine(), &said["info registers"]);
        Self { program, bias, libraries, registers, memory: Dump::open(&dump), said }
    }

    fn stack(&self, limit: usize) -> Stack {
        let libraries: Vec<_> = self
            .libraries
            .iter()
            .map(|(code, bias)| LoadedFile { call_frames: code, bias: *bias })
            .collect();
        unwind(&self.program, self.bias, &libraries, &self.registers, &self.memory, limit)
    }

    fn names(&self, stack: &Stack) -> Vec<&str> {
        let name = |frame: &Frame| {
            frame.function.map_or("?", |function| self.program[function].name.as_str())
        };
        stack.frames.iter().map(name).collect()
    }

    /// The location of a variable that is visible from a frame.
    fn place(&self, frame: &Frame, name: &str) -> VariableLocation {
        let function = &self.program[frame.function.expect("a function")];
        let mut variables = function.variables.iter();
        let variable = variables
            .find(|variable| &*variable.name == name && variable.is_visible(frame.file_address()));
        let variable = variable.unwrap_or_else(|| panic!("no {name} in {}", function.name));
        variable.location(&self.program, Some(frame), self.bias, &self.memory)
    }

    /// The number at a location.
    fn value(&self, frame: &Frame, place: &VariableLocation) -> Option<i64> {
        let bytes = match place {
            VariableLocation::Memory(address) => {
                let mut bytes = [0; 8];
                self.memory.read_memory(*address, &mut bytes).then_some(bytes)?
            }
            VariableLocation::Register { number, saved } => {
                let value = frame.registers.get(*number)?.to_le_bytes();
                if let Some(saved) = saved {
                    let mut bytes = [0; 8];
                    assert!(self.memory.read_memory(*saved, &mut bytes));
                    assert_eq!(bytes, value);
                }
                value
            }
            VariableLocation::Value(bytes) => {
                let mut whole = [0; 8];
                let known = bytes.len().min(8);
                whole[..known].copy_from_slice(&bytes[..known]);
                whole
            }
            VariableLocation::Pieces(_) | VariableLocation::OptimizedOut => return None,
        };
        Some(i64::from_le_bytes(bytes))
    }
}

fn number(text: &str) -> u64 {
    u64::from_str_radix(text.trim_start_matches("0x"), 16).expect("a number")
}

fn registers(machine: Machine, said: &str) -> FrameRegisters {
    let mut registers = FrameRegisters::default();
    for line in said.lines() {
        let mut words = line.split_whitespace();
        let (Some(name), Some(value)) = (words.next(), words.next()) else { continue };
        if let Some(known) = machine.register_names().iter().position(|known| *known == name) {
            registers.set(known as u16, Some(number(value)));
        }
    }
    registers
}

/// The loaded files with their biases.
fn libraries(mappings: &str, program: &std::path::Path) -> Vec<(CallFrames, u64)> {
    let mut libraries = Vec::new();
    for line in mappings.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let [start, _, _, "0x0", .., path] = words.as_slice()
            && path.starts_with('/')
            && program.canonicalize().ok() != PathBuf::from(path).canonicalize().ok()
        {
            libraries
                .extend(CallFrames::read(path.as_ref()).ok().map(|code| (code, number(start))));
        }
    }
    libraries
}

#[test]
fn a_recursion_is_unwound_up_to_main() {
    require!(Tool::Gdb, Tool::Gcc32);
    for flags in [
        &["-g"][..],
        &["-g", "-O1"],
        &["-g", "-O2", "-fno-optimize-sibling-calls"],
        &["-g", "-static"],
        &["-g", "-m32"],
        &["-g", "-m32", "-O2", "-fno-optimize-sibling-calls"],
    ] {
        let built = Built::c(LISTS, flags);
        let line = LISTS.lines().position(|line| line.contains("BREAK")).expect("a line") + 1;
        let questions = ["info frame", "up 4", "print/x $sp", "print length"];
        let stopped = Stopped::at(&built, &format!("lists.c:{line} if n == 0"), &questions);
        let stack = stopped.stack(100);
        assert_eq!(stack.end, StackEnd::Main);
        assert_eq!(
            stopped.names(&stack),
            ["depth", "depth", "depth", "depth", "main"],
            "{flags:?}"
        );
        let cfa = |said: &str| {
            let line =
                stopped.said[said].lines().find(|line| line.contains("frame at")).expect("it");
            number(line.split("frame at ").nth(1).expect("it").trim_end_matches(':'))
        };
        assert_eq!(stack.frames[0].cfa, cfa("info frame"));
        let main = &stack.frames[4];
        let value = |said: &str| {
            let said = stopped.said[said].trim();
            said.rsplit("= ").next().expect("a value").to_owned()
        };
        assert_eq!(
            main.registers.get(stopped.program.machine().stack_pointer()),
            Some(number(&value("print/x $sp")))
        );
        let n: Vec<_> = stack.frames[..4]
            .iter()
            .map(|frame| stopped.value(frame, &stopped.place(frame, "n")).map(|value| value as i32))
            .collect();
        // GDB can recover the value at the entry of a function from its caller.
        let known = n.iter().enumerate().all(|(depth, n)| n.is_none_or(|n| n == depth as i32));
        assert!(known, "{n:?} {flags:?}");
        if flags.contains(&"-g") && (flags.len() == 1 || flags == ["-g", "-m32"]) {
            assert_eq!(n, [Some(0), Some(1), Some(2), Some(3)]);
            let length = stopped.value(main, &stopped.place(main, "length"));
            let length =
                length.map(|length| if flags.len() > 1 { length as i32 as i64 } else { length });
            assert_eq!(length.map(|length| length.to_string()), Some(value("print length")));
        }
    }
}

#[test]
fn libraries_are_unwound() {
    require!(Tool::Gdb, Tool::Gcc32);
    for flags in [&["-g"][..], &["-g", "-O2"], &["-g", "-m32"]] {
        let built = Built::c(LISTS, flags);
        let stopped = Stopped::at(&built, "compare", &["backtrace", "print *(int*)a"]);
        let stack = stopped.stack(100);
        assert_eq!(stack.end, StackEnd::Main, "{:?}", stopped.names(&stack));
        let names = stopped.names(&stack);
        assert_eq!((names[0], names[names.len() - 1]), ("compare", "main"));
        assert!(names.len() > 2 && names[1..names.len() - 1].iter().all(|name| *name == "?"));
        if flags.len() == 1 {
            // Frames without an address belong to the frame before them.
            let said = &stopped.said["backtrace"];
            let count = said.lines().filter(|line| line.contains(" 0x0000")).count();
            assert_eq!(names.len(), count + 1, "{said}");
        }
        let place = stopped.place(&stack.frames[0], "a");
        let pointer = stopped.value(&stack.frames[0], &place).expect("a pointer") as u64;
        let machine = stopped.program.machine();
        let mask = u64::MAX >> (64 - 8 * machine.word_size());
        let mut bytes = [0; 4];
        assert!(stopped.memory.read_memory(pointer & mask, &mut bytes));
        let said = stopped.said["print *(int*)a"].trim().rsplit(' ').next().expect("a value");
        assert_eq!(i32::from_le_bytes(bytes).to_string(), said);
        // The registers of `main` that a library has saved are found in its frames.
        let main = stack.frames.last().expect("main");
        assert!(main.saved[usize::from(machine.instruction_pointer())].is_some());
        for number in 0..machine.instruction_pointer() {
            if let Some(saved) = main.saved[usize::from(number)] {
                let mut bytes = [0; 8];
                assert!(stopped.memory.read_memory(saved, &mut bytes));
                assert_eq!(Some(u64::from_le_bytes(bytes) & mask), main.registers.get(number));
            }
        }
        let few = stopped.stack(2);
        assert_eq!((few.frames.len(), few.end), (2, StackEnd::Limit));
    }
}

/// Compares all variables of all frames with the output of GDB.
fn compare_with_gdb(built: &Built, place: &str) -> (usize, usize) {
    let first = Stopped::at(built, place, &[]);
    let stack = first.stack(100);
    let mut questions = Vec::new();
    for (depth, frame) in stack.frames.iter().enumerate() {
        let Some(function) = frame.function else { continue };
        let function = &first.program[function];
        if !built.is_own(function) {
            continue;
        }
        let variables = &function.variables;
        for variable in variables
            .iter()
            .filter(|variable| !variable.inlined && variable.is_visible(frame.file_address()))
        {
            // A variable may be hidden by an inner one with the same name, and GDB prints the address of the object
            // that a reference refers to.
            let same = |other: &&_| {
                let other: &wynot_state::dwarf::Variable = other;
                other.name == variable.name && other.is_visible(frame.file_address())
            };
            if variables.iter().filter(same).count() == 1
                && !first.program.types()[variable.of].name.ends_with('&')
            {
                questions.push((depth, variable.name.to_string()));
            }
        }
    }
    let asked: Vec<String> = questions
        .iter()
        .flat_map(|(depth, name)| {
            // GDB also counts the frames of inlined functions.
            let function = &first.program[stack.frames[*depth].function.expect("a function")];
            let symbol = function.linkage_name.as_deref().unwrap_or(&function.name);
            [format!("frame function {symbol}"), format!("print &{name}")]
        })
        .collect();
    let before = format!("break {place}\nrun > /dev/null\n");
    let answers = ask_gdb(&built.path, &before, &asked);
    let (mut memory, mut other) = (0, 0);
    let answers = answers.iter().skip(1).step_by(2);
    for ((depth, name), answer) in questions.iter().zip(answers) {
        let frame = &stack.frames[*depth];
        match first.place(frame, name) {
            VariableLocation::Memory(address) => {
                assert!(
                    answer.contains(&format!("{address:#x}")),
                    "{name}: {answer}, not {address:#x}"
                );
                memory += 1;
            }
            // A variable in a register, or nowhere, has no address for GDB.
            place => {
                assert!(!answer.contains("0x"), "{name}: {answer}, but {place:?}");
                other += 1;
            }
        }
    }
    (memory, other)
}

#[test]
fn variables_are_where_gdb_finds_them() {
    require!(Tool::Gdb, Tool::Gcc32, Tool::Gxx, Tool::Gxx32);
    for (built, place) in [
        (Built::c(LISTS, &["-g"]), "push"),
        (Built::c(LISTS, &["-g", "-O2"]), "push"),
        (Built::c(LISTS, &["-gdwarf-4", "-O1"]), "push"),
        (Built::c(LISTS, &["-g", "-O2"]), "compare"),
        (Built::c(LISTS, &["-g", "-m32"]), "push"),
        (Built::c(LISTS, &["-g", "-m32", "-O2"]), "compare"),
        (Built::cc(CLASSES, &["-g"]), "ns::Derived::get"),
        (Built::cc(CLASSES, &["-g", "-m32"]), "ns::Derived::get"),
        (Built::cc(CLASSES, &["-g", "-O2"]), "reference"),
        (Built::rust(SHAPES, &["-g"]), "shapes::inner::Thing::sum"),
        (Built::rust(SHAPES, &["-g"]), "shapes::inner::generic<u32>"),
        (Built::rust(SHAPES, &["-g", "-Cdwarf-version=5"]), "shapes::inner::Thing::sum"),
        (Built::rust(SHAPES, &["-g", "-O", "-Cdwarf-version=5"]), "shapes::inner::Thing::sum"),
    ] {
        let (memory, other) = compare_with_gdb(&built, place);
        assert!(memory + other >= 2, "{place}: {memory} and {other} in {:?}", built.flags);
    }
}

#[test]
fn globals_are_where_gdb_finds_them() {
    require!(Tool::Gdb, Tool::Gcc32);
    for flags in [&["-g"][..], &["-g", "-no-pie"], &["-g", "-m32"], &["-g", "-m32", "-no-pie"]] {
        let built = Built::c(LISTS, flags);
        let stopped =
            Stopped::at(&built, "main", &["print &matrix", "print &list", "print &origin"]);
        for name in ["matrix", "list", "origin"] {
            let mut globals = stopped.program.globals().iter();
            let global = globals.find(|global| &*global.name == name).expect("a global");
            let place = global.location(&stopped.program, None, stopped.bias, &stopped.memory);
            let VariableLocation::Memory(address) = place else { panic!("{place:?}") };
            let said = &stopped.said[&format!("print &{name}")];
            assert!(said.contains(&format!("{address:#x}")), "{said}, not {address:#x}");
        }
    }
}

#[test]
fn a_call_of_an_address_without_code_has_a_caller() {
    require!(Tool::Gdb);
    let source = "int (*nothing)(int); int f(int x) { return nothing(x) + 1; }
        int main(void) { return f(3); }";
    let built = Built::c(source, &["-g"]);
    let mut stopped = Stopped::after(&built, "run > /dev/null\n", &[]);
    assert_eq!(stopped.registers.get(stopped.program.machine().instruction_pointer()), Some(0));
    let stack = stopped.stack(10);
    assert_eq!(stopped.names(&stack), ["?", "f", "main"]);
    assert_eq!(stack.end, StackEnd::Main);
    let x = stopped.place(&stack.frames[1], "x");
    assert_eq!(stopped.value(&stack.frames[1], &x).map(|x| x as i32), Some(3));
    stopped.memory = Dump(Vec::new());
    let stack = stopped.stack(10);
    assert_eq!((stack.frames.len(), stack.end), (1, StackEnd::Stuck));
}

#[test]
fn signal_frames_are_unwound_and_garbage_ends_the_stack() {
    require!(Tool::Gdb);
    let source = "#include <signal.h>
        volatile int seen;
        void handler(int s) { seen = s; }
        int work(int x) { raise(SIGUSR1); return x + seen; }
        int main(void) { signal(SIGUSR1, handler); return work(3); }";
    let built = Built::c(source, &["-g"]);
    let before = "handle SIGUSR1 nostop noprint pass\nbreak handler\nrun > /dev/null\n";
    let stopped = Stopped::after(&built, before, &[]);
    let stack = stopped.stack(100);
    let names = stopped.names(&stack);
    assert_eq!(names.first(), Some(&"handler"));
    assert!(names.ends_with(&["work", "main"]), "{names:?}");
    assert_eq!(stack.end, StackEnd::Main);
    // A stack with garbage ends somewhere, too.
    for seed in 0..200_u64 {
        let bytes: Vec<u8> = (0..4096_u64)
            .map(|at| {
                (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ at.wrapping_mul(31)).to_le_bytes()[2]
            })
            .collect();
        let stack =
            stopped.registers.get(stopped.program.machine().stack_pointer()).expect("a stack");
        let memory = Dump(vec![(stack, bytes)]);
        let walk = unwind(&stopped.program, stopped.bias, &[], &stopped.registers, &memory, 10_000);
        assert!(walk.frames.len() <= 10_000);
    }
}
