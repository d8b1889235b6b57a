//! Small programs in C, built for a test.

#![allow(dead_code, clippy::allow_attributes, reason = "each test file uses its own part of this")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tempfile::TempDir;
use wynot_state::dwarf::name_frames;
use wynot_state::process::{Inferior, InferiorLimits, Invocation, Pause};

/// A compiled program with the addresses of its symbols in the file.
pub struct Program {
    /// Removed when the program is dropped.
    _directory: TempDir,
    pub path: PathBuf,
    symbols: BTreeMap<String, u64>,
    entry: u64,
}

impl Program {
    pub fn new(source: &str) -> Self {
        Self::built(source, &[])
    }

    pub fn built(source: &str, flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program");
        let code = directory.path().join("program.c");
        fs::write(&code, source).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-g", "-O0", "-w", "-o"]).arg(&path).arg(&code).args(flags);
        assert!(gcc.status().unwrap().success());
        let (symbols, entry) = symbols(&path);
        Self { _directory: directory, path, symbols, entry }
    }

    pub fn invocation(&self, arguments: &[&str]) -> Invocation {
        Invocation::new(&self.path, arguments)
    }

    pub fn start(&self, arguments: &[&str]) -> Inferior {
        Inferior::start(&self.invocation(arguments), &InferiorLimits::default(), name_frames)
            .unwrap()
    }

    /// The address of a symbol in a process.
    pub fn at(&self, inferior: &Inferior, name: &str) -> u64 {
        self.symbols[name] + (inferior.entry().unwrap() - self.entry)
    }

    /// Starts the program and runs it to a function.
    pub fn started_at(&self, name: &str, arguments: &[&str]) -> Inferior {
        let mut inferior = self.start(arguments);
        let address = self.at(&inferior, name);
        assert_eq!(inferior.run_to(&[address]).unwrap(), Pause::At(address));
        inferior
    }
}

fn symbols(path: &Path) -> (BTreeMap<String, u64>, u64) {
    use object::{Object, ObjectSymbol};
    let bytes = fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    let named = file.symbols().filter_map(|symbol| Some((symbol.name().ok()?.to_owned(), symbol)));
    (named.map(|(name, symbol)| (name, symbol.address())).collect(), file.entry())
}

/// The compiler options for 64-bit and for 32-bit programs.
pub const MACHINES: [&[&str]; 2] = [&[], &["-m32"]];

/// The same, without 32 bits where the compiler cannot make them; `has_32_bits` is `has!(Tool::Gcc32)`.
pub fn machines(has_32_bits: bool) -> &'static [&'static [&'static str]] {
    if has_32_bits { &MACHINES } else { &MACHINES[..1] }
}

pub const SOON: Duration = Duration::from_secs(10);

pub fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}
