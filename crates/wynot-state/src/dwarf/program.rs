//! A program, as its debug information describes it.

use super::call_frames::CallFrames;
use super::debug_sections::{DebugSections, UnitBases};
use super::function::{Function, FunctionId, Variable};
use super::lines::{LineTable, SourcePlace};
use super::types::{TypeId, Types};
use std::ops::{Index, Range};
use wynot_process::elf::ElfKind;
use wynot_process::{Machine, demangle};

/// A program, as its debug information describes it. All addresses are those of the file.
#[derive(Debug)]
pub struct Program {
    pub(super) types: Types,
    /// Sorted by address.
    pub(super) functions: Vec<Function>,
    /// The code of functions, sorted by address.
    pub(super) code: Vec<(Range<u64>, FunctionId)>,
    /// Sorted by address.
    pub(super) globals: Vec<Variable>,
    pub(super) thread_locals: usize,
    pub(super) lines: LineTable,
    pub(super) call_frames: CallFrames,
    pub(super) units: Vec<UnitBases>,
    pub(super) sections: DebugSections,
}

impl Program {
    /// The processor that the program is compiled for.
    pub fn machine(&self) -> Machine {
        self.call_frames.machine()
    }

    /// All types of the program.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// Variables with a fixed address: global variables, static members of classes, and static variables of
    /// functions, which are called `function::variable`.
    pub fn globals(&self) -> &[Variable] {
        &self.globals
    }

    /// The number of thread-local variables. Nothing else is known about them.
    pub fn thread_locals(&self) -> usize {
        self.thread_locals
    }

    /// The classes with virtual functions, each with the address that the first word of its objects contains.
    pub fn vtables(&self) -> Vec<(u64, TypeId)> {
        // Two words precede the first function of a table.
        let first_function = 2 * self.machine().word_size();
        let tables = self.call_frames.elf().symbols_with_prefix("_ZTV");
        let classes = tables.into_iter().filter_map(|(symbol, address)| {
            let class = demangle::vtable_class(&symbol)?;
            Some((address + first_function, self.types.by_name(&class).next()?))
        });
        classes.collect()
    }

    /// Whether the program can be loaded anywhere.
    pub fn is_position_independent(&self) -> bool {
        self.call_frames.elf().kind() == ElfKind::PositionIndependent
    }

    /// The address of the first instruction.
    pub fn entry(&self) -> u64 {
        self.call_frames.elf().entry()
    }

    /// The distance between the addresses of a process and those of the file, if the first instruction of the
    /// process (`AT_ENTRY`) is at this address.
    pub fn bias(&self, entry: u64) -> u64 {
        entry.wrapping_sub(self.entry())
    }

    /// The address of a symbol. Functions without debug information, such as `malloc`, have one.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.call_frames.elf().symbol(name)
    }

    /// The tables for unwinding its functions.
    pub fn call_frames(&self) -> &CallFrames {
        &self.call_frames
    }
}

/// Functions.
impl Program {
    /// All functions with code, sorted by address.
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// All functions with their identifiers, sorted by address.
    pub fn functions_with_ids(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        (0..).map(FunctionId).zip(&self.functions)
    }

    /// The register and the offset that give the canonical frame address at an address of the code, if it follows from
    /// a register.
    pub(crate) fn frame_address_rule(&self, address: u64) -> Option<(u16, i64)> {
        self.call_frames().frame_address_rule(address)
    }

    /// The function of the code at an address.
    pub fn function_at(&self, address: u64) -> Option<FunctionId> {
        let after = self.code.partition_point(|(range, _)| range.start <= address);
        let (range, id) = self.code.get(after.checked_sub(1)?)?;
        (address < range.end).then_some(*id)
    }

    /// The functions that a name such as `main`, `Class::method` or `crate::module::function` can mean: those with
    /// exactly this name; if there are none, those whose names end with it, type arguments aside.
    pub fn functions_named(&self, name: &str) -> Vec<FunctionId> {
        let name = name.split('(').next().unwrap_or(name).trim();
        let all = || self.functions_with_ids();
        let pick = |is_meant: &dyn Fn(&Function) -> bool| -> Vec<FunctionId> {
            all().filter(|(_, function)| is_meant(function)).map(|(id, _)| id).collect()
        };
        let exact = pick(&|function| {
            function.name == name || function.linkage_name.as_deref() == Some(name)
        });
        if !exact.is_empty() || name.is_empty() {
            return exact;
        }
        let is_end = |whole: &str| {
            whole
                .strip_suffix(name)
                .is_some_and(|before| before.is_empty() || before.ends_with("::"))
        };
        pick(&|function| is_end(&function.name) || is_end(&without_type_arguments(&function.name)))
    }
}

/// Lines.
impl Program {
    /// The line that the code at an address was compiled from.
    pub fn line_of(&self, address: u64) -> Option<SourcePlace> {
        self.lines.row_at(address).map(|row| self.lines.place(row))
    }

    /// The addresses at which statements of a line begin. The file may be given by the last parts of its path.
    pub fn addresses_of_line(&self, file: &str, line: u32) -> Vec<u64> {
        self.lines.addresses(file, line)
    }

    /// The addresses at which statements of a function begin, with their lines. Functions that are inlined into
    /// this one have statements in it, too.
    pub fn statements_of(&self, function: FunctionId) -> Vec<(u64, SourcePlace)> {
        let ranges = &self[function].ranges;
        let rows = ranges.iter().flat_map(|range| self.lines.rows_in(range));
        let rows = rows.filter(|row| row.is_statement && !row.is_sequence_end && row.line != 0);
        let mut statements: Vec<_> = rows.map(|row| (row.address, self.lines.place(row))).collect();
        statements.sort_by_key(|(address, _)| *address);
        // Of several rows with one address the last one counts.
        statements.reverse();
        statements.dedup_by_key(|(address, _)| *address);
        statements.reverse();
        statements
    }
}

impl Index<FunctionId> for Program {
    type Output = Function;

    fn index(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }
}

/// A name without the type arguments in angle brackets.
pub fn without_type_arguments(name: &str) -> String {
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
