//! Programs under control: small ones in C, built here.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use wynot_state::process::{
    Ending, Inferior, Invocation, Limits, Obstacle, Pause, ProcessError, Status, comparable,
};

/// A program, and where its symbols are in the file.
struct Program {
    directory: TempDir,
    path: PathBuf,
    symbols: BTreeMap<String, u64>,
    entry: u64,
}

impl Program {
    fn new(source: &str) -> Self {
        Self::built(source, &[])
    }

    fn built(source: &str, flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("program");
        let code = directory.path().join("program.c");
        fs::write(&code, source).unwrap();
        let mut gcc = Command::new("gcc");
        gcc.args(["-g", "-O0", "-w", "-o"]).arg(&path).arg(&code).args(flags);
        assert!(gcc.status().unwrap().success());
        let (symbols, entry) = symbols(&path);
        Self { directory, path, symbols, entry }
    }

    fn invocation(&self, arguments: &[&str]) -> Invocation {
        Invocation::new(&self.path, arguments)
    }

    fn start(&self, arguments: &[&str]) -> Inferior {
        Inferior::start(&self.invocation(arguments), &Limits::default()).unwrap()
    }

    /// Where a symbol is in a process.
    fn at(&self, inferior: &Inferior, name: &str) -> u64 {
        self.symbols[name] + (inferior.entry().unwrap() - self.entry)
    }

    /// Started, and run to a function.
    fn started_at(&self, name: &str, arguments: &[&str]) -> Inferior {
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

const SOON: Duration = Duration::from_secs(10);

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

fn integer(inferior: &Inferior, address: u64) -> i32 {
    let mut bytes = [0; 4];
    inferior.read(address, &mut bytes).unwrap();
    i32::from_ne_bytes(bytes)
}

const RECURSIVE: &str = r#"
#include <stdio.h>
#include <stdlib.h>
int value = 1;
__attribute__((noinline)) int down(int n) { value += n; return n ? down(n - 1) + 1 : 0; }
int main(int argc, char **argv) {
    printf("%d\n", down(argc > 1 ? atoi(argv[1]) : 5));
    printf("value %d\n", value);
    return 7;
}
"#;

#[test]
fn breakpoints_are_hit_once_for_each_call_in_all_kinds_of_programs() {
    for flags in [&[][..], &["-no-pie"], &["-static"], &["-O2"], &["-fcf-protection=full"]] {
        let program = Program::built(RECURSIVE, flags);
        let mut inferior = program.start(&["9"]);
        let (main, down) = (program.at(&inferior, "main"), program.at(&inferior, "down"));
        assert_eq!(inferior.run_to(&[main]).unwrap(), Pause::At(main));
        let mut hits = 0;
        let ending = loop {
            match inferior.run_to(&[down]).unwrap() {
                Pause::At(address) => assert_eq!(address, down),
                Pause::Ended(ending) => break ending,
            }
            if !flags.contains(&"-O2") {
                assert_eq!(inferior.registers().numbered()[5] as i32, 9 - hits);
            }
            hits += 1;
        };
        if !flags.contains(&"-O2") {
            assert_eq!(hits, 10, "{flags:?}");
        }
        assert_eq!(ending.status, Status::Exit(7));
        assert_eq!(text(&ending.stdout), "9\nvalue 46\n");
        assert_eq!(ending.crash, None);
    }
}

#[test]
fn a_program_can_be_stepped_through_and_run_free() {
    let program = Program::new(RECURSIVE);
    let mut inferior = program.started_at("down", &["2"]);
    let down = inferior.registers().ip();
    let Pause::At(next) = inferior.step().unwrap() else { panic!() };
    assert_eq!(next, down + 1, "push %rbp");
    for _ in 0..20 {
        assert!(matches!(inferior.step().unwrap(), Pause::At(_)));
    }
    let ending = inferior.finish(SOON).unwrap();
    assert_eq!(text(&ending.stdout), "2\nvalue 4\n");
    assert!(matches!(inferior.resume(), Err(ProcessError::Ended)));
}

#[test]
fn copies_begin_where_the_original_stands_and_print_for_themselves() {
    let program = Program::new(RECURSIVE);
    let mut template = program.started_at("down", &["3"]);
    let value = program.at(&template, "value");
    for number in 0..200 {
        let mut copy = template.fork().unwrap();
        assert_eq!(copy.registers().ip(), template.registers().ip());
        copy.write(value, &i32::to_ne_bytes(number)).unwrap();
        let ending = copy.finish(SOON).unwrap();
        assert_eq!(ending.status, Status::Exit(7));
        assert_eq!(text(&ending.stdout), format!("3\nvalue {}\n", number + 6));
    }
    assert_eq!(integer(&template, value), 1);
    let ending = template.finish(SOON).unwrap();
    assert_eq!(text(&ending.stdout), "3\nvalue 7\n");
}
