//! The state of a stopped program: copies of its memory and registers, and the addresses of its variables.

use crate::describe::gdb_commands::RunAddresses;
use crate::dwarf::Libraries;
use crate::dwarf::{
    Frame, FrameRegisters, Kind, Program, SourcePlace, StackEnd, Variable, VariableLocation, unwind,
};
use crate::graph::extraction::ExtractionHints;
use crate::graph::heap::Heap;
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_object::{INNERMOST_LEVEL, RootVariable, VariableScope};
use crate::graph::register_address::{FIRST_REGISTER_ADDRESS, REGISTER_BYTES};
use crate::hints::type_rules::TypeRules;
use crate::process::{Inferior, MemorySnapshot, OpenFile, ProcessError};
use std::collections::BTreeMap;
use std::ops::Range;

/// The number of frames at which unwinding ends.
const MAX_FRAMES: usize = 10_000;

/// The registers that may hold any value.
const GENERAL_REGISTERS: [&str; 20] = [
    "rax", "rbx", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
    "eax", "ebx", "ecx", "edx", "esi", "edi",
];

/// The state of a stopped program.
pub struct ProgramState {
    image: MemorySnapshot,
    /// The registers, one after the other.
    registers: Vec<u8>,
    /// All variables, those of the innermost function first.
    pub roots: Vec<RootVariable>,
    /// Facts that help to find out what objects are.
    pub hints: ExtractionHints,
    /// The active functions, innermost first.
    pub backtrace: Vec<String>,
    /// The files that the program reads, by descriptor.
    pub files: BTreeMap<i32, OpenFile>,
    /// The addresses of the stack and the program.
    pub addresses: RunAddresses,
    /// The numbers of all threads that were ever started, in this order.
    threads: Vec<i32>,
    /// The names of variables that the compiler has removed, or that cannot be changed.
    pub missing: Vec<String>,
}

impl ProgramState {
    /// Captures the state of a stopped program.
    pub fn of(
        program: &Program,
        rules: &TypeRules,
        libraries: &mut Libraries,
        inferior: &Inferior,
    ) -> Result<Self, ProcessError> {
        let image = inferior.snapshot_memory()?;
        let areas = inferior.memory_map()?;
        let heap =
            areas.regions().find(|area| area.path == "[heap]").map(|area| area.range.clone());
        let bias = program.bias(inferior.entry()?);
        let numbered = inferior.registers().by_dwarf_number();
        let stack = {
            let registers = FrameRegisters::from(&inferior.registers());
            let loaded = libraries.loaded(&areas);
            unwind(program, bias, &loaded, &registers, &ImageMemory(&image), MAX_FRAMES)
        };
        let known = numbered.iter().take(program.machine().register_names().len());
        let registers = known.flat_map(|value| value.to_le_bytes()).collect();
        let mut state = Self {
            image,
            registers,
            roots: Vec::new(),
            hints: ExtractionHints::default(),
            backtrace: stack.frames.iter().map(|frame| function_name(program, frame)).collect(),
            files: inferior.files_read()?,
            addresses: RunAddresses {
                stack: inferior.registers().sp(),
                other_stacks: Vec::new(),
                bias,
                machine: program.machine(),
            },
            threads: inferior.thread_ids().to_vec(),
            missing: Vec::new(),
        };
        if stack.end == StackEnd::Stuck {
            let outermost = state.backtrace.last().map_or("?", String::as_str);
            state.missing.push(format!("the functions around {outermost}"));
        }
        let outermost = stack.frames.len() - 1;
        for (index, frame) in stack.frames.iter().enumerate() {
            let level = if index == 0 { INNERMOST_LEVEL } else { (outermost - index) as u32 };
            state.add_locals(program, frame, bias, level, "");
        }
        state.add_other_threads(program, libraries, inferior, bias)?;
        for variable in program.globals() {
            let place = variable.location(program, None, bias, &ImageMemory(&state.image));
            state.add(variable, &place, VariableScope::Global);
        }
        if let count @ 1.. = program.thread_locals() {
            state.missing.push(format!(
                "{count} thread-local variable{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        state.hints = ExtractionHints {
            heap: Heap::read(&state, heap.unwrap_or_default(), program.machine().word_size()),
            classes: program
                .vtables()
                .into_iter()
                .map(|(address, of)| (address + bias, of))
                .collect(),
            rules: rules.clone(),
        };
        Ok(state)
    }

    /// Gives the mutexes of this state the owners that they would have in another run: threads correspond by their order.
    pub fn take_owners_of(&mut self, other: &Self) {
        self.image.replace_owners(self.addresses.machine, &self.threads, &other.threads);
    }

    /// Adds the general registers that hold no variable, as numbers: a value that a program works with may be in no
    /// variable at a line, or not yet. Nothing is added if the program has no type for them.
    pub fn add_registers(&mut self, program: &Program) {
        let machine = program.machine();
        let is_word = |kind: &Kind, size| {
            matches!(kind, Kind::Integer { signed: false }) && size == machine.word_size()
        };
        let mut types = program.types().iter();
        let Some((of, _)) = types.find(|(_, known)| is_word(&known.kind, known.size)) else {
            return;
        };
        for (number, name) in (0..).zip(machine.register_names()) {
            let address = FIRST_REGISTER_ADDRESS + number * REGISTER_BYTES;
            let is_variable = self.roots.iter().any(|root| root.address == address);
            if GENERAL_REGISTERS.contains(name) && !is_variable {
                let (name, scope) = (format!("register {name}"), VariableScope::Process);
                self.roots.push(RootVariable { name, of, address, scope, is_set: true });
            }
        }
    }

    /// Adds the variables of the threads that have not stopped here. All their frames are outer ones.
    fn add_other_threads(
        &mut self,
        program: &Program,
        libraries: &mut Libraries,
        inferior: &Inferior,
        bias: u64,
    ) -> Result<(), ProcessError> {
        let others = inferior.other_threads();
        if others.is_empty() {
            return Ok(());
        }
        let loaded = libraries.loaded(&inferior.memory_map()?);
        for (number, registers) in others {
            self.addresses.other_stacks.push((number, registers.sp()));
            let stack = {
                let (registers, memory) =
                    (FrameRegisters::from(&registers), ImageMemory(&self.image));
                unwind(program, bias, &loaded, &registers, &memory, MAX_FRAMES)
            };
            for (level, frame) in (0..).zip(stack.frames.iter().rev()) {
                self.add_locals(program, frame, bias, level, &format!(" in thread {number}"));
            }
        }
        Ok(())
    }

    /// Adds the local variables of a call; `thread` is added to the name of its function.
    fn add_locals(
        &mut self,
        program: &Program,
        frame: &Frame,
        bias: u64,
        level: u32,
        thread: &str,
    ) {
        let Some(function) = frame.function.map(|id| &program[id]) else { return };
        let address = frame.file_address();
        let here = program.line_of(address);
        let is_at_start = level == INNERMOST_LEVEL && address == function.body;
        for variable in &function.variables {
            if variable.is_visible(address)
                && (!is_at_start || variable.parameter)
                && is_declared(variable, &here)
            {
                let place =
                    variable.location(program, Some(frame), bias, &ImageMemory(&self.image));
                let function = format!("{}{thread}", function.name);
                let scope = VariableScope::Frame { level, function };
                self.add(variable, &place, scope);
            }
        }
    }

    fn add(&mut self, variable: &Variable, place: &VariableLocation, scope: VariableScope) {
        let is_outer =
            matches!(scope, VariableScope::Frame { level, .. } if level != INNERMOST_LEVEL);
        let address = match place {
            VariableLocation::Memory(address)
            | VariableLocation::Register { saved: Some(address), .. } => Some(*address),
            // Vector and floating-point registers are not captured.
            VariableLocation::Register { number, saved: None } if !is_outer => {
                let offset = u64::from(*number) * REGISTER_BYTES;
                let is_captured = offset < self.registers.len() as u64;
                is_captured.then_some(FIRST_REGISTER_ADDRESS + offset)
            }
            _ => None,
        };
        match address {
            Some(address) => {
                let name = variable.name.to_string();
                let is_set = variable.parameter || scope == VariableScope::Global;
                self.roots.push(RootVariable { name, of: variable.of, address, scope, is_set });
            }
            None => self.missing.push(variable.name.to_string()),
        }
    }
}

/// Whether the declaration of a variable has been passed. Before its declaration its memory holds what other variables have
/// left there, which would give objects wrong names.
fn is_declared(variable: &Variable, here: &Option<SourcePlace>) -> bool {
    match (&variable.declared, here) {
        (Some(declared), Some(here)) if !variable.parameter && declared.file == here.file => {
            declared.line <= here.line
        }
        _ => true,
    }
}

fn function_name(program: &Program, frame: &Frame) -> String {
    frame.function.map_or_else(|| "?".to_owned(), |id| program[id].name.clone())
}

impl MemoryCopy for ProgramState {
    fn bytes(&self, address: u64, length: u64) -> Option<&[u8]> {
        if let Some(offset) = address.checked_sub(FIRST_REGISTER_ADDRESS) {
            let offset = usize::try_from(offset).ok()?;
            return self.registers.get(offset..offset.checked_add(length as usize)?);
        }
        self.image.bytes(address, usize::try_from(length).ok()?)
    }

    fn stretch(&self, address: u64) -> Option<Range<u64>> {
        self.image.stretch(address)
    }
}

/// A copy of memory, as unwinding reads it.
struct ImageMemory<'a>(&'a MemorySnapshot);

impl wynot_process::ReadMemory for ImageMemory<'_> {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        match self.0.bytes(address, into.len()) {
            Some(bytes) => {
                into.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}
