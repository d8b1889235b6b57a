//! Reading the debug information of a program.
//!
//! [`units`] finds the units, [`entries`] walks over the entries of each (with [`type_entries`] for types,
//! [`attributes`] for a single entry, and [`location_attributes`] for the locations of variables) and [`collected`] holds what they declare; [`types`] merges the types of
//! all units, [`line_program`] reads the lines and [`prologue`] finds the bodies of functions. This file puts the
//! results together. The threads in [`parallel`] make it fast.

mod attributes;
mod collected;
mod entries;
mod entry_index;
mod line_program;
mod location_attributes;
mod parallel;
mod prologue;
mod type_entries;
mod types;
mod units;

pub(super) use attributes::base_type;

use super::call_frames::CallFrames;
use super::debug_sections::{DebugSections, UnitBases};
use super::error::ProgramError;
use super::function::{Function, FunctionId, LocationDescription, Variable};
use super::lines::{LineTable, SourcePlace};
use super::program::Program;
use attributes::EntryId;
use collected::{Collected, CollectedFunction, CollectedStatic};
use entries::EntryWalk;
use entry_index::PrehashedMap;
use line_program::{SourceFiles, read_lines};
use parallel::{join, thread_count};
use prologue::Compiler;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use types::MergedTypes;
use types::scope::{ScopeId, ScopedName};
use types::stable_hash::mix;
use units::DebugInfo;

impl Program {
    /// Reads the program at a path with its debug information.
    pub fn read(path: &Path) -> Result<Self, ProgramError> {
        let call_frames = CallFrames::read(path)?;
        let Some(debug_file) = call_frames.elf().debug_file() else {
            return Err(ProgramError::NoDebugInformation(path.to_owned()));
        };
        let sections = DebugSections::load(&debug_file);
        let is_code = |address| call_frames.is_code(address);
        let debug = DebugInfo::new(&sections, &is_code)
            .map_err(|error| ProgramError::damaged(path, error))?;
        if debug.is_split {
            return Err(ProgramError::Split(path.to_owned()));
        }
        let (mut collected, (lines, files)) = collect(&debug);
        let declared = std::mem::take(&mut collected.types);
        let word_size = call_frames.machine().word_size();
        let types = types::merge(declared, &collected.scopes, word_size);
        let units = debug.units.iter().map(|context| UnitBases {
            start: context.start,
            encoding: context.unit.encoding(),
            low_pc: context.unit.low_pc,
            addr_base: context.unit.addr_base,
        });
        let units = units.collect();
        let thread_locals = collected.thread_locals;
        let mut assembler = Assembler {
            debug: &debug,
            call_frames: &call_frames,
            lines: &lines,
            types: &types,
            files,
            names: PrehashedMap::default(),
            collected,
        };
        let functions = assembler.functions();
        let globals = assembler.globals();
        let code = code_of(&functions);
        drop(assembler);
        drop(debug);
        if functions.is_empty() {
            return Err(ProgramError::NoDebugInformation(path.to_owned()));
        }
        let types = types.types;
        Ok(Self {
            types,
            functions,
            code,
            globals,
            thread_locals,
            lines,
            call_frames,
            units,
            sections,
        })
    }
}

/// Walks over the entries of all units, several units at a time, and reads their lines.
fn collect<'a>(debug: &DebugInfo<'a>) -> (Collected<'a>, (LineTable, SourceFiles)) {
    let groups = debug.groups(thread_count());
    let [first, others @ ..] = groups.as_slice() else { return Default::default() };
    thread::scope(|scope| {
        let collect = |group: Range<u32>| move || collect_group(debug, group);
        let others: Vec<_> =
            others.iter().map(|group| scope.spawn(collect(group.clone()))).collect();
        let mut collected = collect(first.clone())();
        let lines = read_lines(debug);
        others.into_iter().for_each(|other| collected.append(join(other)));
        (collected, lines)
    })
}

fn collect_group<'a>(debug: &DebugInfo<'a>, group: Range<u32>) -> Collected<'a> {
    let mut collected = Collected::default();
    for number in group {
        // The entries before a damaged part are good.
        let _ = EntryWalk::new(debug, number, &mut collected).run();
    }
    collected
}

/// Makes functions and variables of what the units declare.
struct Assembler<'p, 'a> {
    debug: &'p DebugInfo<'a>,
    call_frames: &'p CallFrames,
    lines: &'p LineTable,
    types: &'p MergedTypes,
    files: SourceFiles,
    /// Names by their positions in the file, since most are used many times.
    names: PrehashedMap<Arc<str>>,
    collected: Collected<'a>,
}

impl<'a> Assembler<'_, 'a> {
    /// All functions, sorted by address.
    fn functions(&mut self) -> Vec<Function> {
        let collected = std::mem::take(&mut self.collected.functions);
        let mut functions: Vec<Function> =
            collected.into_iter().map(|function| self.function(function)).collect();
        functions.sort_by(|a, b| (a.entry, &a.name).cmp(&(b.entry, &b.name)));
        functions
    }

    fn function(&mut self, collected: CollectedFunction<'a>) -> Function {
        let description = self.debug.describe(collected.at);
        let body = self.body_start(&collected);
        let unit = collected.unit;
        let variables = collected.variables.into_iter().map(|variable| Variable {
            name: self.name(variable.description.name.unwrap_or_default()),
            of: self.types.of_entry(variable.description.of),
            parameter: variable.parameter,
            inlined: variable.inlined,
            visible: variable.visible,
            declared: self.place(variable.description.place),
            unit,
            description: variable.location,
        });
        let variables = variables.collect();
        Function {
            name: self.qualified_name(description.name, description.declaration),
            linkage_name: description.linkage_name.map(|name| String::from_utf8_lossy(name).into()),
            ranges: collected.ranges,
            entry: collected.entry,
            body,
            variables,
            declared: self.place(description.place),
            unit,
            frame_base: collected.frame_base,
        }
    }

    fn body_start(&self, function: &CollectedFunction<'a>) -> u64 {
        let (unit, entry) = (function.unit, function.entry);
        let with_lists = &self.collected.units_with_location_lists;
        let has_location_lists = with_lists.binary_search(&unit).is_ok();
        let producer = self.collected.producers[unit as usize];
        let compiler = Compiler::new(producer, has_location_lists);
        let Some(range) = function.ranges.iter().find(|range| range.contains(&entry)) else {
            return entry;
        };
        let code = self.call_frames.elf().bytes_at(entry).unwrap_or_default();
        let frame_setup = prologue::frame_setup_bytes(self.call_frames.machine(), code);
        prologue::body_start(entry, range, frame_setup, compiler, self.lines)
    }

    /// All variables with a fixed address, sorted by address. Those that are declared twice are kept once.
    fn globals(&mut self) -> Vec<Variable> {
        let collected = std::mem::take(&mut self.collected.statics);
        let mut globals: Vec<Variable> =
            collected.into_iter().map(|variable| self.global(variable)).collect();
        let key = |variable: &Variable| match variable.description {
            LocationDescription::Address(address) => (address, variable.name.clone(), variable.of),
            _ => (0, variable.name.clone(), variable.of),
        };
        globals.sort_by_cached_key(key);
        globals.dedup_by_key(|variable| key(variable));
        globals
    }

    fn global(&mut self, collected: CollectedStatic<'a>) -> Variable {
        let description = collected.description;
        let mut name = self.qualified_name(description.name, description.declaration);
        if let Some(function) = collected.function {
            let function = self.debug.describe(function);
            let function = self.qualified_name(function.name, function.declaration);
            name = format!("{function}::{name}");
        }
        Variable {
            name: name.into(),
            of: self.types.of_entry(description.of),
            parameter: false,
            inlined: false,
            visible: Arc::default(),
            declared: self.place(description.place),
            unit: collected.unit,
            description: LocationDescription::Address(collected.address),
        }
    }

    /// A name with the scopes of its declaration.
    fn qualified_name(&self, name: Option<&'a [u8]>, declaration: EntryId) -> String {
        let scope_of = &self.collected.scope_of;
        let index = scope_of.binary_search_by_key(&declaration, |(at, _)| *at);
        let scope = index.map_or(ScopeId::default(), |index| scope_of[index].1);
        self.collected.scopes.qualified(ScopedName { scope, name })
    }

    fn name(&mut self, name: &[u8]) -> Arc<str> {
        let known = self.names.entry(mix(name.len() as u64, name.as_ptr() as u64));
        known.or_insert_with(|| String::from_utf8_lossy(name).into()).clone()
    }

    fn place(&mut self, place: Option<(u32, u32, u32)>) -> Option<SourcePlace> {
        self.files.place(self.debug, place?)
    }
}

/// The code of functions, sorted by address.
fn code_of(functions: &[Function]) -> Vec<(Range<u64>, FunctionId)> {
    let mut code = Vec::new();
    for (function, number) in functions.iter().zip(0..) {
        let ranges = function.ranges.iter();
        code.extend(ranges.map(|range| (range.clone(), FunctionId(number))));
    }
    code.sort_unstable_by_key(|(range, id)| (range.start, range.end, *id));
    code
}
