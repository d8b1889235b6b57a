//! What a program is made of, as its debug information tells.
//!
//! A [`Program`] is read once. It knows types, functions, variables and lines, all with the addresses of the
//! file; a process adds its own [`bias`](Program::bias) to them. With the registers and the memory of a
//! stopped process, [`unwind`] finds the [`Frame`]s of its stack, and [`Variable::place`] says where a
//! variable is.

mod attributes;
mod body;
mod build;
mod call_frames;
mod canon;
mod dwarf;
mod error;
mod expression;
mod found;
mod frame;
mod function;
mod image;
mod index;
mod lines;
mod looks;
mod mapping;
mod place;
mod raw;
mod reading;
mod types;
mod unwinding;
mod walk;
mod written;

pub use call_frames::{CallFrames, Loaded};
pub use error::ProgramError;
pub use frame::{Frame, Memory, REGISTERS, Registers};
pub use function::{Function, FunctionId, Ranges, Variable};
pub use lines::SourcePlace;
pub use place::{Piece, Place};
pub use types::{Bits, Kind, Member, Type, TypeId, Types, Variant};
pub use unwinding::{Ended, Stack, name_frames, unwind};

use crate::Machine;
use dwarf::Sections;
use lines::Lines;
use place::UnitBases;
use std::ops::Index;
use std::path::Path;

/// A program, as it lies on the disk.
#[derive(Debug)]
pub struct Program {
    types: Types,
    functions: Vec<Function>,
    /// Where functions have code, and which ones, by address.
    covered: Vec<(u64, u64, FunctionId)>,
    globals: Vec<Variable>,
    thread_locals: usize,
    lines: Lines,
    call_frames: CallFrames,
    units: Vec<UnitBases>,
    sections: Sections,
}

impl Program {
    /// Reads a program.
    pub fn read(path: &Path) -> Result<Self, ProgramError> {
        reading::read(path)
    }

    /// What it is made for.
    pub fn machine(&self) -> Machine {
        self.call_frames.machine()
    }

    /// All types that there are in it.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// All functions that there is code of, by address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// All functions with their identifiers, by address.
    pub fn functions_with_ids(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// The function that the code at an address belongs to.
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let behind = self.covered.partition_point(|(start, _, _)| *start <= address);
        let (_, end, id) = self.covered.get(behind.checked_sub(1)?)?;
        (address < *end).then_some(*id)
    }

    /// The functions that can be meant by a name: `main`, `Class::method`, `crate::module::function`. Those
    /// with just this name; if there are none, those that have it behind something, or before type arguments.
    pub fn functions_named(&self, name: &str) -> Vec<FunctionId> {
        let name = name.split('(').next().unwrap_or(name).trim();
        let all = || self.functions_with_ids();
        let pick = |is_meant: &dyn Fn(&Function) -> bool| -> Vec<FunctionId> {
            all().filter(|(_, function)| is_meant(function)).map(|(id, _)| id).collect()
        };
        let exactly = pick(&|function| {
            function.name == name || function.linkage_name.as_deref() == Some(name)
        });
        if !exactly.is_empty() || name.is_empty() {
            return exactly;
        }
        let is_end = |whole: &str| {
            whole
                .strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        pick(&|function| is_end(&function.name) || is_end(&without_arguments(&function.name)))
    }

    /// Variables that are always in the same place: of files, of classes, and those of functions that keep
    /// their values, which are called `function::variable`.
    pub fn globals(&self) -> &[Variable] {
        &self.globals
    }

    /// How many variables there are of which every thread has its own. Nothing else is known about them.
    pub fn thread_locals(&self) -> usize {
        self.thread_locals
    }

    /// The line that the code at an address was made from.
    pub fn line_of(&self, address: u64) -> Option<SourcePlace> {
        self.lines.at(address).map(|row| self.lines.place(row))
    }

    /// Where statements of a line begin, by address. The file may be given by the last parts of its path.
    pub fn addresses_of_line(&self, file: &str, line: u32) -> Vec<u64> {
        self.lines.addresses(file, line)
    }

    /// Where statements of a function begin, by address, with their lines. Functions that were put into this
    /// one have statements in it, too.
    pub fn statements_of(&self, function: FunctionId) -> Vec<(u64, SourcePlace)> {
        let ranges = &self[function].ranges;
        let rows = ranges.iter().flat_map(|range| self.lines.within(range));
        let rows = rows.filter(|row| row.statement && !row.end && row.line != 0);
        let mut statements: Vec<_> = rows.map(|row| (row.address, self.lines.place(row))).collect();
        statements.sort_by_key(|(address, _)| *address);
        // Of several rows for one address the last one counts.
        statements.reverse();
        statements.dedup_by_key(|(address, _)| *address);
        statements.reverse();
        statements
    }

    /// The classes whose objects begin with a pointer to a table of their virtual functions, and what that
    /// pointer is.
    pub fn vtables(&self) -> Vec<(u64, TypeId)> {
        // Two words come before the first function.
        let first = 2 * self.machine().word();
        let tables = self.call_frames.image().symbols_from("_ZTV");
        let classes = tables.into_iter().filter_map(|(name, address)| {
            let table = cpp_demangle::Symbol::new(name).ok()?.demangle().ok()?;
            let class = table.strip_prefix("{vtable(")?.strip_suffix(")}")?.to_owned();
            Some((address + first, self.types.by_name(&class).next()?))
        });
        classes.collect()
    }

    /// Whether it may be loaded anywhere.
    pub fn is_position_independent(&self) -> bool {
        self.call_frames.image().movable
    }

    /// Where the first instruction is.
    pub fn entry(&self) -> u64 {
        self.call_frames.image().entry
    }

    /// How far from where the file says a process has loaded the program, if its first instruction is at
    /// an address (`AT_ENTRY` of `/proc/PID/auxv`).
    pub fn bias(&self, entry: u64) -> u64 {
        entry.wrapping_sub(self.entry())
    }

    /// The address of a symbol: functions without debug information, such as `malloc`, have one.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.call_frames.image().symbol(name)
    }

    /// How to get out of its functions.
    pub fn call_frames(&self) -> &CallFrames {
        &self.call_frames
    }
}

impl Index<FunctionId> for Program {
    type Output = Function;

    fn index(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
}

/// A name without what is in angle brackets behind a name.
fn without_arguments(name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    for c in name.chars() {
        match c {
            '<' if depth > 0 || !kept.is_empty() && !kept.ends_with("operator") => depth += 1,
            '>' if depth > 0 => depth -= 1,
            c if depth == 0 => kept.push(c),
            _ => {}
        }
    }
    kept
}
