//! Reads a program: goes through its debug information, and puts together what was found.

use super::Program;
use super::attributes::EntryId;
use super::body::{self, Compiler};
use super::build::{self, Built};
use super::call_frames::CallFrames;
use super::dwarf::{Debug, Sections};
use super::error::ProgramError;
use super::found::{Found, FoundFunction, FoundStatic};
use super::function::{Function, FunctionId, Location, Variable};
use super::image::Image;
use super::index::HashedMap;
use super::lines::{Files, Lines};
use super::place::UnitBases;
use super::raw::{Named, ScopeId, mix};
use super::walk::Walk;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::thread::{self, ScopedJoinHandle};

/// Reads a program.
pub(super) fn read(path: &Path) -> Result<Program, ProgramError> {
    let image = Image::open(path)?;
    let Some(map) = image.with_debug_information()? else {
        return Err(ProgramError::NoDebugInformation(path.to_owned()));
    };
    let sections = Sections::load(&map).map_err(|error| ProgramError::damaged(path, error))?;
    let is_code = |address| image.is_code(address);
    let debug =
        Debug::new(&sections, &is_code).map_err(|error| ProgramError::damaged(path, error))?;
    if debug.split {
        return Err(ProgramError::Split(path.to_owned()));
    }
    let (mut found, (lines, files)) = find(&debug);
    let built = build::build(std::mem::take(&mut found.raws), &found.scopes, image.machine.word());
    let units = debug.units.iter().map(|context| UnitBases {
        start: context.start,
        encoding: context.unit.encoding(),
        low: context.unit.low_pc,
        addresses: context.unit.addr_base,
    });
    let units = units.collect();
    let thread_locals = found.thread_locals;
    let mut put = Putting {
        debug: &debug,
        image: &image,
        lines: &lines,
        built: &built,
        files,
        names: HashedMap::default(),
        found,
    };
    let functions = put.functions();
    let globals = put.globals();
    let covered = covered(&functions);
    drop(put);
    drop(debug);
    if functions.is_empty() {
        return Err(ProgramError::NoDebugInformation(path.to_owned()));
    }
    Ok(Program {
        types: built.types,
        functions,
        covered,
        globals,
        thread_locals,
        lines,
        call_frames: CallFrames::new(image),
        units,
        sections,
    })
}

/// Goes through all units, several at a time, and through their lines.
fn find<'a>(debug: &Debug<'a>) -> (Found<'a>, (Lines, Files)) {
    let runs = debug.runs(threads());
    let [first, others @ ..] = runs.as_slice() else { return Default::default() };
    thread::scope(|scope| {
        let walk = |run: Range<u32>| move || walk(debug, run);
        let others: Vec<_> = others.iter().map(|run| scope.spawn(walk(run.clone()))).collect();
        let mut found = walk(first.clone())();
        let lines = Lines::read(debug);
        others.into_iter().for_each(|other| found.append(finish(other)));
        (found, lines)
    })
}

/// How many threads to use. More would wait for memory only.
pub(super) fn threads() -> usize {
    thread::available_parallelism().map_or(1, |count| count.get().min(8))
}

/// What a thread has worked out.
pub(super) fn finish<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

fn walk<'a>(debug: &Debug<'a>, run: Range<u32>) -> Found<'a> {
    let mut found = Found::default();
    for number in run {
        // What comes before some damage is good.
        let _ = Walk::new(debug, number, &mut found).run();
    }
    found
}

/// Puts together what was found.
struct Putting<'p, 'a> {
    debug: &'p Debug<'a>,
    image: &'p Image,
    lines: &'p Lines,
    built: &'p Built,
    files: Files,
    /// Names by where they are: most are used many times.
    names: HashedMap<Arc<str>>,
    found: Found<'a>,
}

impl<'a> Putting<'_, 'a> {
    fn functions(&mut self) -> Vec<Function> {
        let found = std::mem::take(&mut self.found.functions);
        let mut functions: Vec<Function> =
            found.into_iter().map(|function| self.function(function)).collect();
        functions.sort_by(|a, b| (a.entry, &a.name).cmp(&(b.entry, &b.name)));
        functions
    }

    fn function(&mut self, found: FoundFunction<'a>) -> Function {
        let described = self.debug.describe(found.at);
        let unit = found.unit;
        let variables = found.variables.into_iter().map(|variable| Variable {
            name: self.name(variable.described.name.unwrap_or_default()),
            of: self.built.of(variable.described.of),
            parameter: variable.parameter,
            inlined: variable.inlined,
            visible: variable.visible,
            declared: self.place(variable.described.declared),
            unit,
            location: variable.location,
        });
        let variables = variables.collect();
        let moving = self.found.moving.binary_search(&unit).is_ok();
        let compiler = Compiler::new(self.found.producers[unit as usize], moving);
        let around = found.ranges.iter().find(|range| range.contains(&found.entry));
        let code = self.image.bytes_at(found.entry).unwrap_or_default();
        let body = around.map_or(found.entry, |range| {
            let machine = self.image.machine;
            let frame = body::behind_frame(machine, code);
            body::start(found.entry, range, frame, compiler, self.lines)
        });
        Function {
            name: self.qualified(described.name, described.first),
            linkage_name: described.linkage_name.map(|name| String::from_utf8_lossy(name).into()),
            ranges: found.ranges,
            entry: found.entry,
            body,
            variables,
            place: self.place(described.declared),
            unit,
            frame_base: found.frame_base,
        }
    }

    /// Variables that are always in the same place, by address. What is said twice is kept once.
    fn globals(&mut self) -> Vec<Variable> {
        let found = std::mem::take(&mut self.found.statics);
        let mut globals: Vec<Variable> =
            found.into_iter().map(|variable| self.global(variable)).collect();
        let key = |variable: &Variable| match variable.location {
            Location::Address(address) => (address, variable.name.clone(), variable.of),
            _ => (0, variable.name.clone(), variable.of),
        };
        globals.sort_by_cached_key(key);
        globals.dedup_by_key(|variable| key(variable));
        globals
    }

    fn global(&mut self, found: FoundStatic<'a>) -> Variable {
        let described = found.described;
        let mut name = self.qualified(described.name, described.first);
        if let Some(function) = found.function {
            let function = self.debug.describe(function);
            name = format!("{}::{name}", self.qualified(function.name, function.first));
        }
        Variable {
            name: name.into(),
            of: self.built.of(described.of),
            parameter: false,
            inlined: false,
            visible: Arc::default(),
            declared: self.place(described.declared),
            unit: found.unit,
            location: Location::Address(found.address),
        }
    }

    /// A name with all that the entry is inside of where it was declared.
    fn qualified(&self, name: Option<&'a [u8]>, at: EntryId) -> String {
        let inside = &self.found.inside;
        let inside = inside.binary_search_by_key(&at, |(at, _)| *at).map(|number| inside[number].1);
        let scope = inside.unwrap_or(ScopeId::default());
        self.found.scopes.qualified(Named { scope, name })
    }

    fn name(&mut self, name: &[u8]) -> Arc<str> {
        let known = self.names.entry(mix(name.len() as u64, name.as_ptr() as u64));
        known.or_insert_with(|| String::from_utf8_lossy(name).into()).clone()
    }

    fn place(&mut self, declared: Option<(u32, u32, u32)>) -> Option<super::SourcePlace> {
        self.files.place(self.debug, declared?)
    }
}

/// Where functions have code, and which ones, by address.
fn covered(functions: &[Function]) -> Vec<(u64, u64, FunctionId)> {
    let mut covered = Vec::new();
    for (function, number) in functions.iter().zip(0..) {
        let ranges = function.ranges.iter();
        covered.extend(ranges.map(|range| (range.start, range.end, FunctionId(number))));
    }
    covered.sort_unstable();
    covered
}
