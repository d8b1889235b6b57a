//! A stopped program, copied: its memory, its stack, and where its variables are.

use crate::dwarf::Libraries;
use crate::dwarf::{
    Frame, FrameRegisters, Program, SourcePlace, StackEnd, Variable, VariableLocation, unwind,
};
use crate::graph::{Hints, Root, Scope};
use crate::heap::Heap;
use crate::hints::Rules;
use crate::memory::Memory;
use crate::process::{Inferior, MemorySnapshot, ProcessError};
use crate::replay::Origin;
use std::ops::Range;

/// Where variables seem to lie that are in registers: no program can have memory there.
const REGISTERS: u64 = 0xffff_8000_0000_0000;

/// The level of the innermost frame, whatever it was called by.
const INNERMOST: u32 = u32::MAX;

/// How many frames are looked at.
const DEEPEST: usize = 10_000;

/// A copy of a stopped program.
pub struct State {
    image: MemorySnapshot,
    /// Registers, one after the other.
    registers: Vec<u8>,
    /// All variables, those of the innermost function first.
    pub roots: Vec<Root>,
    /// What helps to find out what its objects are.
    pub hints: Hints,
    /// The functions that have been called, innermost first.
    pub backtrace: Vec<String>,
    /// Where its stack and its program lie.
    pub origin: Origin,
    /// Variables that the compiler has removed, or that cannot be changed.
    pub missing: Vec<String>,
}

impl State {
    /// Copies a program that is stopped.
    pub fn of(
        program: &Program,
        rules: &Rules,
        libraries: &mut Libraries,
        inferior: &Inferior,
    ) -> Result<Self, ProcessError> {
        let image = inferior.snapshot_memory()?;
        let map = inferior.memory_map()?;
        let heap = map.regions().find(|region| region.path == "[heap]");
        let heap = heap.map(|region| region.range.clone());
        let bias = program.bias(inferior.entry()?);
        let numbered = inferior.registers().by_dwarf_number();
        let stack = {
            let registers = FrameRegisters::from(&inferior.registers());
            let loaded = libraries.loaded(&map);
            unwind(program, bias, &loaded, &registers, &image, DEEPEST)
        };
        let known = numbered.iter().take(program.machine().register_names().len());
        let registers = known.flat_map(|value| value.to_le_bytes()).collect();
        let mut state = Self {
            image,
            registers,
            roots: Vec::new(),
            hints: Hints::default(),
            backtrace: stack.frames.iter().map(|frame| name(program, frame)).collect(),
            origin: Origin { stack: inferior.registers().sp(), bias, machine: program.machine() },
            missing: Vec::new(),
        };
        if stack.end == StackEnd::Stuck {
            let outermost = state.backtrace.last().map_or("?", String::as_str);
            state.missing.push(format!("the functions around {outermost}"));
        }
        let outermost = stack.frames.len() - 1;
        for (index, frame) in stack.frames.iter().enumerate() {
            let level = if index == 0 { INNERMOST } else { (outermost - index) as u32 };
            state.add_locals(program, frame, bias, (level, index as u32));
        }
        for variable in program.globals() {
            let place = variable.location(program, None, bias, &state.image);
            state.add(variable, &place, Scope::Global, 0);
        }
        if let count @ 1.. = program.thread_locals() {
            state.missing.push(format!(
                "{count} thread-local variable{}",
                if count == 1 { "" } else { "s" }
            ));
        }
        state.hints = Hints {
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

    fn add_locals(
        &mut self,
        program: &Program,
        frame: &Frame,
        bias: u64,
        (level, inner): (u32, u32),
    ) {
        let Some(function) = frame.function.map(|id| &program[id]) else { return };
        let address = frame.file_address();
        let here = program.line_of(address);
        let begins = inner == 0 && address == function.body;
        for variable in &function.variables {
            if variable.is_visible(address)
                && (!begins || variable.parameter)
                && is_set(variable, &here)
            {
                let place = variable.location(program, Some(frame), bias, &self.image);
                let scope = Scope::Frame { level, function: function.name.clone() };
                self.add(variable, &place, scope, inner);
            }
        }
    }

    fn add(&mut self, variable: &Variable, place: &VariableLocation, scope: Scope, inner: u32) {
        let address = match place {
            VariableLocation::Memory(address)
            | VariableLocation::Register { saved: Some(address), .. } => Some(*address),
            // Registers for other things than numbers and addresses are not copied.
            VariableLocation::Register { number, saved: None } if inner == 0 => {
                let at = usize::from(*number) * 8;
                (at < self.registers.len()).then_some(REGISTERS + at as u64)
            }
            _ => None,
        };
        match address {
            Some(address) => {
                let name = variable.name.to_string();
                self.roots.push(Root { name, of: variable.of, address, scope });
            }
            None => self.missing.push(variable.name.to_string()),
        }
    }
}

/// Whether a variable can have been set: what lies in front of its declaration knows nothing of it. What is
/// in its memory until then is left over from others, and would name things after it.
fn is_set(variable: &Variable, here: &Option<SourcePlace>) -> bool {
    match (&variable.declared, here) {
        (Some(declared), Some(here)) if !variable.parameter && declared.file == here.file => {
            declared.line <= here.line
        }
        _ => true,
    }
}

/// The register that a variable lies in, by number, and where in it.
pub fn register(address: u64) -> Option<(usize, u64)> {
    let inside = address.checked_sub(REGISTERS)?;
    Some(((inside / 8) as usize, inside % 8))
}

fn name(program: &Program, frame: &Frame) -> String {
    frame.function.map_or_else(|| "?".to_owned(), |id| program[id].name.clone())
}

impl Memory for State {
    fn bytes(&self, address: u64, length: u64) -> Option<&[u8]> {
        if let Some(inside) = address.checked_sub(REGISTERS) {
            let inside = usize::try_from(inside).ok()?;
            return self.registers.get(inside..inside.checked_add(length as usize)?);
        }
        self.image.bytes(address, usize::try_from(length).ok()?)
    }

    fn stretch(&self, address: u64) -> Option<Range<u64>> {
        self.image.stretch(address)
    }
}
