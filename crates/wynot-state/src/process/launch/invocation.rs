//! What a program is run with, and how two runs get equal addresses.

use super::private_files::PrivateFiles;
use super::substituted_file::SubstitutedFile;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// A program with everything that it is given when it starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The file to execute, which is also the name (`argv[0]`) that the program is given. `PATH` is not
    /// searched.
    pub program: PathBuf,
    /// The arguments that follow the name.
    pub arguments: Vec<OsString>,
    /// The file for the standard input; without one the input is empty.
    pub input: Option<PathBuf>,
    /// The working directory.
    pub directory: PathBuf,
    /// All environment variables. Of several with the same name, the last one counts.
    pub environment: Vec<(OsString, OsString)>,
    /// The view of its files, if it is a private one.
    pub private_files: Option<PrivateFiles>,
    /// The files that have the contents of others.
    pub substituted: Vec<SubstitutedFile>,
}

/// The resources that a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InferiorLimits {
    /// The time that it may run, not counting the time while it is stopped.
    pub time: Duration,
    /// The size of the address space in bytes; unlimited without a value.
    pub memory: Option<u64>,
    /// The size in bytes of any file that it writes, its output included.
    pub file: u64,
    /// The number of bytes that are kept of standard output, and of standard error.
    pub output: usize,
    /// Whether the program is always loaded at the same addresses. Without, nothing can be compared.
    pub fixed_addresses: bool,
    /// The number of bytes of writable memory that a [`MemorySnapshot`](super::super::MemorySnapshot) may have.
    pub memory_snapshot: u64,
}

impl Default for InferiorLimits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            memory: None,
            file: 1 << 30,
            output: 1 << 20,
            fixed_addresses: true,
            memory_snapshot: 1 << 30,
        }
    }
}

/// The first variable that is added. Variables are passed on in the order of their names. This name comes
/// before all others in use, so that the other variables keep their positions.
const PADDING: &str = "0";

/// Adds environment variables until the arguments and variables of all invocations are equal in number and
/// in bytes. The system puts them on the stack first, so the stacks of all runs then have equal addresses.
pub fn pad_environments<'i>(invocations: impl IntoIterator<Item = &'i mut Invocation>) {
    let mut all: Vec<(&mut Invocation, StackContents)> = invocations
        .into_iter()
        .map(|invocation| {
            let contents = StackContents::new(invocation.clone());
            (invocation, contents)
        })
        .collect();
    let count = all.iter().map(|(_, contents)| contents.count()).max().unwrap_or(0) + 1;
    all.iter_mut().for_each(|(_, contents)| contents.pad_to_count(count));
    let bytes = all.iter().map(|(_, contents)| contents.bytes()).max().unwrap_or(0);
    for (invocation, mut contents) in all {
        contents.pad_to_bytes(bytes);
        *invocation = contents.into_invocation();
    }
}

/// The arguments and variables of an invocation, as they will lie on the stack.
struct StackContents {
    invocation: Invocation,
    variables: BTreeMap<OsString, OsString>,
}

impl StackContents {
    fn new(mut invocation: Invocation) -> Self {
        let variables = std::mem::take(&mut invocation.environment).into_iter().collect();
        Self { invocation, variables }
    }

    fn count(&self) -> usize {
        self.invocation.arguments.len() + self.variables.len()
    }

    fn bytes(&self) -> usize {
        let name = self.invocation.program.as_os_str();
        let arguments = self.invocation.arguments.iter().map(|argument| argument.len() + 1);
        let variables = self.variables.iter().map(|(name, value)| name.len() + value.len() + 2);
        // The system also puts the full path of the program there.
        let path = std::path::absolute(name).map_or(name.len(), |path| path.as_os_str().len());
        name.len() + path + 2 + arguments.sum::<usize>() + variables.sum::<usize>()
    }

    /// Adds variables up to a count, but always the first one.
    fn pad_to_count(&mut self, count: usize) {
        self.variables.entry(PADDING.into()).or_default();
        for number in 1.. {
            if self.count() >= count {
                break;
            }
            self.variables.entry(format!("{PADDING}{number}").into()).or_default();
        }
    }

    fn pad_to_bytes(&mut self, bytes: usize) {
        let missing = bytes - self.bytes();
        let padding = self.variables.entry(PADDING.into()).or_default();
        padding.push("x".repeat(missing));
    }

    fn into_invocation(mut self) -> Invocation {
        self.invocation.environment = self.variables.into_iter().collect();
        self.invocation
    }
}

impl Invocation {
    /// A program that runs in the current directory and environment, with an empty input.
    pub fn new<I: AsRef<OsStr>>(
        program: impl Into<PathBuf>,
        arguments: impl IntoIterator<Item = I>,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: arguments.into_iter().map(|one| one.as_ref().to_owned()).collect(),
            input: None,
            directory: std::env::current_dir().unwrap_or_else(|_| "/".into()),
            environment: std::env::vars_os().collect(),
            private_files: None,
            substituted: Vec::new(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_makes_counts_and_bytes_equal() {
        let mut short = Invocation::new("/bin/true", ["a"]);
        let mut long = Invocation::new("/bin/true", ["b", "a much longer argument", "c"]);
        pad_environments([&mut short, &mut long]);
        let (short, long) = (StackContents::new(short), StackContents::new(long));
        assert_eq!(short.count(), long.count());
        assert_eq!(short.bytes(), long.bytes());
        assert_eq!(short.invocation.arguments, ["a"]);
    }

    #[test]
    fn padding_twice_stays_equal() {
        let mut a = Invocation::new("/bin/true", ["a", "b"]);
        let mut b = Invocation::new("/bin/true", [""; 0]);
        pad_environments([&mut a, &mut b]);
        pad_environments([&mut b, &mut a]);
        assert_eq!(StackContents::new(a).bytes(), StackContents::new(b).bytes());
    }
}
