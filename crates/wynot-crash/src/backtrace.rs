//! Taking the backtrace of a thread that is stopped by a signal.

use crate::identity::without_dying;
use crate::maps::{Area, Maps};
use crate::memory::Memory;
use crate::module::Module;
use crate::tracee::{self, Registers};
use crate::unwinding::{Unwinder, Walk};
use crate::{Cause, Crash, signal};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;

/// How many frames are looked at for as many different functions as are wanted: a whole stack.
const DEEPEST: usize = 400_000;

/// How many frames show what used up the stack.
const OVERFLOW: usize = 1000;

/// How far from the stack pointer an access may be that needs more stack than there is.
const FRAME: u64 = 64 << 10;

/// How many files are kept: programs that are built anew for each test do not add up.
const KEPT: usize = 256;

/// Signals that say that a program has crashed.
pub fn is_crash(number: i32) -> bool {
    matches!(
        signal::name(number).as_str(),
        "SEGV" | "ABRT" | "BUS" | "ILL" | "FPE" | "TRAP" | "SYS"
    )
}

/// What tells files apart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    device: u64,
    inode: u64,
    size: u64,
    modified: Option<SystemTime>,
}

impl Key {
    fn of(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        let modified = data.modified().ok();
        Ok(Self { device: data.dev(), inode: data.ino(), size: data.len(), modified })
    }
}

/// Takes backtraces. Keeps what it has read about programs and libraries.
#[derive(Default)]
pub struct Backtracer {
    modules: HashMap<Key, Option<Rc<Module>>>,
    /// The last crash, and where that thread was.
    last: Option<((i32, u64, u64), Crash)>,
}

/// A module, and how far it lies from where it wants to.
type Loaded = (Rc<Module>, u64);

impl Backtracer {
    /// The crash of a thread that is stopped before a signal is delivered, with so many functions.
    /// What cannot be found out is left open.
    pub fn take(&mut self, tid: i32, signal: i32, functions: u8) -> Crash {
        let unknown = || Crash::unknown(Cause::Signal(signal));
        self.try_take(tid, signal, functions.into()).unwrap_or_else(|_| unknown())
    }

    /// To be called before other processes are looked at: their threads may have the same numbers.
    pub fn begin(&mut self) {
        self.last = None;
    }

    /// What happened to a thread that is stopped before a signal is delivered, without where.
    pub fn cause(&self, tid: i32, signal: i32) -> Cause {
        let look = || -> io::Result<bool> {
            let registers = Registers::of(tid)?;
            overflows(tid, signal, &registers, &Maps::of(tid)?)
        };
        match look() {
            Ok(true) => Cause::StackOverflow,
            _ => Cause::Signal(signal),
        }
    }

    fn try_take(&mut self, tid: i32, signal: i32, wanted: usize) -> io::Result<Crash> {
        let registers = Registers::of(tid)?;
        if registers.is_short {
            // The unwinder does not know such programs.
            return Err(io::ErrorKind::Unsupported.into());
        }
        let place = (tid, registers.ip, registers.sp);
        // A handler that cannot be called, since there is no stack left for it, leads to a second signal
        // in the same place. That says less than the first.
        if let Some((_, crash)) = self.last.as_ref().filter(|(last, _)| *last == place) {
            return Ok(crash.clone());
        }
        let maps = Maps::of(tid)?;
        let mut memory = Memory::of(tid)?;
        let overflow = overflows(tid, signal, &registers, &maps)?;
        if self.modules.len() > KEPT {
            self.modules.clear();
        }
        let mut unwinder = Unwinder::new();
        let mut loaded: BTreeMap<u64, Loaded> = BTreeMap::new();
        for area in maps.code() {
            let Some(module) = self.module_of(tid, area) else { continue };
            let Some(bias) = module.bias(area.offset, area.range.start) else { continue };
            unwinder.add(area.range.clone(), bias, &module.tables);
            loaded.insert(area.range.start, (module, bias));
        }
        let mut names: HashMap<u64, Rc<[String]>> = HashMap::new();
        let mut frames: Vec<String> = Vec::new();
        let mut walked = 0;
        let mut in_main = false;
        let walk = unwinder.walk(&registers, &maps, &mut memory, |address| {
            walked += 1;
            let known = names.len();
            let named = names.entry(address).or_insert_with(|| functions(&loaded, &maps, address));
            let named = Rc::clone(named);
            // What is around it is the same for every program.
            in_main = named.last().is_some_and(|name| name == "main");
            if overflow {
                frames.extend(named.iter().cloned());
                return in_main || walked >= OVERFLOW;
            }
            // An address that was seen before has no new function.
            if names.len() > known {
                for name in named.iter() {
                    if !frames.contains(name) {
                        frames.push(name.clone());
                    }
                }
            }
            in_main || without_dying(&frames).len() >= wanted || walked >= DEEPEST
        });
        if walk == Walk::Broken {
            frames.push("?".to_owned());
        }
        let complete = in_main || matches!(walk, Walk::Complete | Walk::Broken);
        let cause = if overflow { Cause::StackOverflow } else { Cause::Signal(signal) };
        let crash = Crash { cause, frames, complete };
        self.last = Some((place, crash.clone()));
        Ok(crash)
    }

    fn module_of(&mut self, tid: i32, area: &Area) -> Option<Rc<Module>> {
        let path = Path::new(area.path.strip_suffix(" (deleted)").unwrap_or(&area.path));
        // As the process sees it, which need not be as this one does.
        let seen = format!("/proc/{tid}/root{}", path.display());
        let is_it = |file: &File| file.metadata().is_ok_and(|data| data.ino() == area.inode);
        let file = File::open(seen).ok().filter(is_it);
        let file = file.or_else(|| File::open(format!("/proc/{tid}/exe")).ok().filter(is_it))?;
        self.module(&file, path)
    }

    fn module(&mut self, file: &File, path: &Path) -> Option<Rc<Module>> {
        let key = Key::of(file).ok()?;
        let read = || Module::new(file, path).map(Rc::new);
        self.modules.entry(key).or_insert_with(read).clone()
    }

    /// Whether the program that a process runs traces processes itself: a debugger, or one with a
    /// sanitizer that looks for leaks.
    pub fn runs_a_tracer(&mut self, pid: i32) -> bool {
        let path = format!("/proc/{pid}/exe");
        let Ok(file) = File::open(&path) else { return false };
        let name = fs::read_link(&path).unwrap_or_default();
        // A sanitizer can also be loaded into programs that were built without it.
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        let mut variables = environment.split(|byte| *byte == 0);
        let preloaded = variables.find_map(|variable| variable.strip_prefix(b"LD_PRELOAD="));
        let preloaded = String::from_utf8_lossy(preloaded.unwrap_or_default());
        preloaded.contains("asan")
            || preloaded.contains("lsan")
            || self.module(&file, &name).is_some_and(|module| module.traces())
    }
}

/// The functions at an address, innermost first.
fn functions(loaded: &BTreeMap<u64, Loaded>, maps: &Maps, address: u64) -> Rc<[String]> {
    let area = maps.at(address);
    let known = area.and_then(|area| loaded.get(&area.range.start));
    let names = match (known, area) {
        (Some((module, bias)), _) => {
            let inside = address.wrapping_sub(*bias);
            let names = module.functions(inside);
            let nameless = || vec![format!("{}+{:#x}", module.name, module.begin(inside))];
            if names.is_empty() { nameless() } else { names }
        }
        (None, Some(area)) if area.path.starts_with('[') => vec![area.path.clone()],
        // Code that was made while the program ran, or none at all.
        _ => vec!["?".to_owned()],
    };
    names.into()
}

/// Whether a thread was stopped since it needed stack that there is not.
fn overflows(tid: i32, signal: i32, registers: &Registers, maps: &Maps) -> io::Result<bool> {
    if !matches!(signal::name(signal).as_str(), "SEGV" | "BUS") {
        return Ok(false);
    }
    let Some(fault) = tracee::sent(tid)?.fault else { return Ok(false) };
    let near = fault.abs_diff(registers.sp) <= FRAME;
    Ok(near && maps.at(fault).is_none_or(|area| !area.readable))
}
