//! Compiling programs, and running GDB on them.

use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;
use wynot_state::dwarf::{Function, Program};

/// A compiled program in its own directory.
pub struct Built {
    pub path: PathBuf,
    pub flags: Vec<String>,
    directory: TempDir,
}

impl Built {
    pub fn c(source: &str, flags: &[&str]) -> Self {
        Self::new("gcc", &[("lists.c", source)], flags)
    }

    /// A program of several files.
    pub fn c_files(sources: &[&str], flags: &[&str]) -> Self {
        let names: Vec<String> = (0..sources.len()).map(|number| format!("{number}.c")).collect();
        let files: Vec<_> = names.iter().map(String::as_str).zip(sources.iter().copied()).collect();
        Self::new("gcc", &files, flags)
    }

    pub fn cc(source: &str, flags: &[&str]) -> Self {
        Self::new("g++", &[("classes.cc", source)], flags)
    }

    pub fn rust(source: &str, flags: &[&str]) -> Self {
        Self::new("rustc", &[("shapes.rs", source)], flags)
    }

    fn new(compiler: &str, sources: &[(&str, &str)], flags: &[&str]) -> Self {
        let directory = tempfile::tempdir().expect("a directory");
        let mut command = Command::new(compiler);
        command.args(flags).args(["-o", "program"]).current_dir(directory.path());
        for (name, source) in sources {
            std::fs::write(directory.path().join(name), source).expect("a source");
            command.arg(name);
        }
        let output = command.output().expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let flags = flags.iter().map(|flag| flag.to_string()).collect();
        Self { path: directory.path().join("program"), flags, directory }
    }

    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub fn program(&self) -> Program {
        Program::read(&self.path).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Whether a function is declared in the program's own files.
    pub fn is_own(&self, function: &Function) -> bool {
        let place = function.declared.as_ref().map(|place| Path::new(&*place.file));
        let directory = self.directory.path().canonicalize().expect("a directory");
        place.is_some_and(|file| file.starts_with(&directory) || file.starts_with(self.directory()))
    }
}

/// The output of GDB for some commands, one in each line. Commands that fail do not end it.
pub fn gdb(program: &Path, commands: &str) -> String {
    let mut gdb = Command::new("gdb");
    gdb.args(["-nx", "-batch", "-iex", "set debuginfod enabled off"]);
    for command in commands.lines() {
        gdb.args(["-ex", command]);
    }
    let output = gdb.arg(program).output().expect("gdb");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The output of GDB for each of some commands, after it has executed others.
pub fn ask_gdb(program: &Path, before: &str, questions: &[String]) -> Vec<String> {
    let mut commands = before.to_owned();
    for question in questions {
        commands += &format!("echo \\n@@\\n\n{question}\n");
    }
    commands += "echo \\n@@\\n\nkill\n";
    let output = gdb(program, &commands);
    let answers: Vec<_> = output.split("\n@@\n").skip(1).map(str::to_owned).collect();
    assert_eq!(answers.len(), questions.len() + 1, "{output}");
    answers
}
