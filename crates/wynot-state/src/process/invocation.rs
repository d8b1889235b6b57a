//! How a program is called, and how two calls are made alike.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

/// What is run, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The file that is executed, and what the program is told that it is called. It is not searched for.
    pub program: PathBuf,
    /// All arguments behind the name.
    pub arguments: Vec<OsString>,
    /// What is read as standard input; nothing if there is none.
    pub input: Option<PathBuf>,
    /// Where it runs.
    pub directory: PathBuf,
    /// All variables that it sees. Of those with equal names the last counts.
    pub environment: Vec<(OsString, OsString)>,
}

/// What a program may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How long it may run, not counting the time that it is stopped.
    pub time: Duration,
    /// Address space in bytes.
    pub memory: Option<u64>,
    /// Size in bytes of any file that it writes, its output included.
    pub file: u64,
    /// How many bytes of what it prints are kept, of each of standard output and standard error.
    pub output: usize,
    /// How many bytes of memory are looked at.
    pub image: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            memory: None,
            file: 1 << 30,
            output: 1 << 20,
            image: 1 << 30,
        }
    }
}

/// The first variable that is added. Variables are passed on by name, and this is before all that people
/// use, so that theirs keep their places.
const PADDING: &str = "0";

/// Adds variables to the environments, so that as many arguments and variables with as many bytes are on
/// both stacks in the beginning: everything that comes later lies at equal addresses then.
pub fn comparable(a: Invocation, b: Invocation) -> (Invocation, Invocation) {
    let (mut a, mut b) = (Laid::new(a), Laid::new(b));
    let count = a.count().max(b.count()) + 1;
    a.pad_to_count(count);
    b.pad_to_count(count);
    let bytes = a.bytes().max(b.bytes());
    a.pad_to_bytes(bytes);
    b.pad_to_bytes(bytes);
    (a.invocation(), b.invocation())
}

/// An invocation as it will lie on the stack.
struct Laid {
    invocation: Invocation,
    variables: BTreeMap<OsString, OsString>,
}

impl Laid {
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
        // The name is there a second time, in full.
        let path = std::path::absolute(name).map_or(name.len(), |path| path.as_os_str().len());
        name.len() + path + 2 + arguments.sum::<usize>() + variables.sum::<usize>()
    }

    /// Always adds the [`PADDING`].
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

    fn invocation(mut self) -> Invocation {
        self.invocation.environment = self.variables.into_iter().collect();
        self.invocation
    }
}

impl Invocation {
    /// A program that is called in the current directory and environment.
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_makes_counts_and_bytes_equal() {
        let short = Invocation::new("/bin/true", ["a"]);
        let long = Invocation::new("/bin/true", ["b", "a much longer argument", "c"]);
        let (short, long) = comparable(short, long);
        let (short, long) = (Laid::new(short), Laid::new(long));
        assert_eq!(short.count(), long.count());
        assert_eq!(short.bytes(), long.bytes());
        assert_eq!(short.invocation.arguments, ["a"]);
    }

    #[test]
    fn padding_twice_stays_equal() {
        let a = Invocation::new("/bin/true", ["a", "b"]);
        let b = Invocation::new("/bin/true", [""; 0]);
        let (a, b) = comparable(a, b);
        let (a, b) = comparable(b, a);
        assert_eq!(Laid::new(a).bytes(), Laid::new(b).bytes());
    }
}
