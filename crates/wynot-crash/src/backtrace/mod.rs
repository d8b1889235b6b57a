//! Backtraces of threads that are stopped by a signal.
//!
//! [`Backtracer`] is the whole interface: it is given a stopped thread and returns the crash. `unwind` walks
//! over the stack, `code_file` and `inline` name the functions at an address of a program or library, and
//! `function_start` finds the beginning of a function without a name. Stopping threads, and the texts that
//! programs print when they crash, are dealt with elsewhere.

mod code_file;
mod code_file_cache;
mod function_start;
mod inline;
mod stack_overflow;
mod unwind;
mod unwind_registers;

use crate::crash::{Cause, Crash};
use crate::identity::skip_termination;
use crate::library_functions::culprit;
use code_file::CodeFile;
use code_file_cache::CodeFileCache;
use stack_overflow::is_stack_overflow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io;
use std::path::Path;
use std::rc::Rc;
use unwind::{Unwinder, WalkEnd};
use unwind_registers::UnwindRegisters;
use wynot_process::maps::MemoryMap;
use wynot_process::memory::StackReader;

/// The number of frames that are walked over in search of different functions: a whole stack.
const MAX_FRAMES: usize = 400_000;

/// The number of innermost frames among which the functions that are responsible for a crash are searched.
const MAX_INNERMOST: usize = 64;

/// The number of frames that show which recursion has used up the stack.
const MAX_OVERFLOW_FRAMES: usize = 1000;

/// Takes backtraces, and keeps what it has read about programs and libraries for the next ones.
pub struct Backtracer {
    files: CodeFileCache,
    /// The last crash, and the thread with its instruction and stack pointer.
    last: Option<((i32, u64, u64), Crash)>,
    /// Whether a program or library belongs to the input, because a test has built it.
    belongs_to_input: Box<dyn Fn(&Path) -> bool>,
}

impl Default for Backtracer {
    fn default() -> Self {
        Self::new(|_| false)
    }
}

impl Backtracer {
    /// Creates a backtracer. Functions of programs and libraries for which `belongs_to_input` holds are not held responsible
    /// for a crash.
    pub fn new(belongs_to_input: impl Fn(&Path) -> bool + 'static) -> Self {
        let belongs_to_input = Box::new(belongs_to_input);
        Self { files: CodeFileCache::default(), last: None, belongs_to_input }
    }

    /// The crash of a thread that is stopped before a signal is delivered, with at least this many different
    /// functions if there are as many. The crash has no frames if the stack cannot be read.
    pub fn backtrace(&mut self, tid: i32, signal: i32, functions: u8) -> Crash {
        let without_frames = |_| Crash::without_frames(Cause::Signal(signal));
        self.try_backtrace(tid, signal, functions.into()).unwrap_or_else(without_frames)
    }

    /// Forgets the last thread. To be called before the threads of another run, which may have the same
    /// numbers.
    pub fn forget_last_thread(&mut self) {
        self.last = None;
    }

    /// The cause of the crash of a thread that is stopped before a signal is delivered.
    pub fn cause(&self, tid: i32, signal: i32) -> Cause {
        let is_overflow = || -> io::Result<bool> {
            let registers = UnwindRegisters::read(tid)?;
            is_stack_overflow(tid, signal, registers.sp, &MemoryMap::read(tid)?)
        };
        match is_overflow() {
            Ok(true) => Cause::StackOverflow,
            _ => Cause::Signal(signal),
        }
    }

    /// Whether the program of a process traces processes itself, as debuggers do, and programs with a
    /// sanitizer that searches for leaks. Nothing can be traced twice.
    pub fn is_tracer(&mut self, pid: i32) -> bool {
        // A sanitizer can also be loaded into programs that were built without it.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        let preloaded = variables.find_map(|variable| variable.strip_prefix(b"LD_PRELOAD="));
        let preloaded = String::from_utf8_lossy(preloaded.unwrap_or_default());
        let program = self.files.program_of(pid);
        let has_sanitizer = preloaded.contains("asan") || preloaded.contains("lsan");
        program.is_some_and(|program| has_sanitizer || program.is_tracer())
    }

    fn try_backtrace(&mut self, tid: i32, signal: i32, wanted: usize) -> io::Result<Crash> {
        let registers = UnwindRegisters::read(tid)?;
        if registers.is_32_bit {
            // The unwinder does not support such programs.
            return Err(io::ErrorKind::Unsupported.into());
        }
        let place = (tid, registers.ip, registers.sp);
        // If there is no stack left for the handler of a signal, the system raises a second signal at the same
        // place, which says less than the first.
        if let Some((_, crash)) = self.last.as_ref().filter(|(last, _)| *last == place) {
            return Ok(crash.clone());
        }
        let map = MemoryMap::read(tid)?;
        let mut stack = StackReader::open(tid)?;
        let is_overflow = is_stack_overflow(tid, signal, registers.sp, &map)?;
        let mut unwinder = Unwinder::new();
        let mut code = LoadedCode { map: &map, files: BTreeMap::new() };
        self.files.limit_size();
        for region in map.code_regions() {
            let Some(file) = self.files.file_of(tid, region) else { continue };
            let Some(bias) = file.load_bias(region.offset, region.range.start) else { continue };
            unwinder.add(region.range.clone(), bias, &file.tables);
            code.files.insert(region.range.start, (file, bias));
        }
        let limit = if is_overflow { FrameLimit::Overflow } else { FrameLimit::Functions(wanted) };
        let mut frames = Frames::new(code, limit, &*self.belongs_to_input);
        let end = unwinder.walk(&registers, &map, &mut stack, |address| frames.add(address));
        let cause = if is_overflow { Cause::StackOverflow } else { Cause::Signal(signal) };
        let crash = frames.finish(cause, end);
        self.last = Some((place, crash.clone()));
        Ok(crash)
    }
}

/// The code that a process has loaded.
struct LoadedCode<'m> {
    map: &'m MemoryMap,
    /// Files by the start of their region, each with its bias.
    files: BTreeMap<u64, (Rc<CodeFile>, u64)>,
}

impl LoadedCode<'_> {
    /// The functions at an address of the process, innermost first; more than one if some are inlined.
    fn functions_at(&self, address: u64) -> Rc<[String]> {
        let region = self.map.region_at(address);
        let file = region.and_then(|region| self.files.get(&region.range.start));
        let names = match (file, region) {
            (Some((file, bias)), _) => file.functions_at(address.wrapping_sub(*bias)),
            (None, Some(region)) if region.path.starts_with('[') => vec![region.path.clone()],
            // Code that was generated while the program ran, or no code at all.
            _ => vec!["?".to_owned()],
        };
        names.into()
    }
}

impl<'m> LoadedCode<'m> {
    /// The file whose code is at an address of the process.
    fn path_at(&self, address: u64) -> Option<&'m Path> {
        self.map.region_at(address).map(|region| Path::new(&region.path))
    }
}

/// When enough frames are known.
enum FrameLimit {
    /// When there are this many different functions.
    Functions(usize),
    /// When the recursion that has used up the stack is known.
    Overflow,
}

/// Names the frames that the unwinder visits.
struct Frames<'m> {
    code: LoadedCode<'m>,
    limit: FrameLimit,
    /// The functions by address, since a recursion visits the same addresses many times.
    names: HashMap<u64, Rc<[String]>>,
    /// All frames of a stack overflow; otherwise each function once.
    frames: Vec<String>,
    count: usize,
    is_in_main: bool,
    /// The innermost functions, each with whether its file belongs to the input.
    innermost: Vec<(String, bool)>,
    belongs_to_input: &'m dyn Fn(&Path) -> bool,
}

impl<'m> Frames<'m> {
    fn new(
        code: LoadedCode<'m>,
        limit: FrameLimit,
        belongs_to_input: &'m dyn Fn(&Path) -> bool,
    ) -> Self {
        let (names, frames) = (HashMap::new(), Vec::new());
        let (count, is_in_main, innermost) = (0, false, Vec::new());
        Self { code, limit, names, frames, count, is_in_main, innermost, belongs_to_input }
    }

    /// Adds the functions at an address. Returns whether enough frames are known.
    fn add(&mut self, address: u64) -> bool {
        self.count += 1;
        let known = self.names.len();
        let names = self.names.entry(address).or_insert_with(|| self.code.functions_at(address));
        let names = Rc::clone(names);
        let is_new = self.names.len() > known;
        if self.innermost.len() < MAX_INNERMOST {
            let path = self.code.path_at(address);
            let belongs_to_input = path.is_some_and(|path| (self.belongs_to_input)(path));
            self.innermost.extend(names.iter().map(|name| (name.clone(), belongs_to_input)));
        }
        // The frames outside of `main` are the same for every program.
        self.is_in_main = names.last().is_some_and(|name| name == "main");
        let is_enough = match self.limit {
            FrameLimit::Overflow => {
                self.frames.extend(names.iter().cloned());
                self.count >= MAX_OVERFLOW_FRAMES
            }
            FrameLimit::Functions(wanted) => {
                for name in names.iter().filter(|_| is_new) {
                    if !self.frames.contains(name) {
                        self.frames.push(name.clone());
                    }
                }
                skip_termination(&self.frames).len() >= wanted || self.count >= MAX_FRAMES
            }
        };
        self.is_in_main || is_enough
    }

    fn finish(mut self, cause: Cause, end: WalkEnd) -> Crash {
        if end == WalkEnd::Overwritten {
            self.frames.push("?".to_owned());
        }
        let complete = self.is_in_main || matches!(end, WalkEnd::Outermost | WalkEnd::Overwritten);
        let innermost = self.innermost.iter();
        let culprit = culprit(innermost.map(|(name, belongs)| (name.as_str(), *belongs)));
        Crash { culprit, ..Crash::new(cause, self.frames, complete) }
    }
}
