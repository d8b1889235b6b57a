//! `clang_delta`, the rewriting tool of C-Reduce and C-Vise, which knows the types of C and C++.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Where packages put it, besides the directories of PATH.
const PLACES: [&str; 4] =
    ["/usr/lib/cvise", "/usr/libexec/cvise", "/usr/libexec", "/usr/lib/creduce"];

/// How many seconds of processor time it may use. No clock: what it answers must not depend on how busy
/// the machine is.
const PATIENCE: &str = "10";

/// The tool, ready to be called.
#[derive(Debug)]
pub struct ClangDelta {
    program: PathBuf,
    rules: OnceCell<Vec<String>>,
    dir: TempDir,
}

impl ClangDelta {
    /// The tool, if it is installed.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::env::split_paths(&path).chain(PLACES.map(PathBuf::from));
        let program = dirs.map(|dir| dir.join("clang_delta")).find(|file| file.is_file())?;
        Some(Self { program, rules: OnceCell::new(), dir: tempfile::tempdir().ok()? })
    }

    /// Where it is.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The names of its transformations that can make a program smaller.
    pub fn rules(&self) -> &[String] {
        self.rules.get_or_init(|| {
            let listed = self.call(&["--transformations".into()]).unwrap_or_default();
            let names = String::from_utf8_lossy(&listed).into_owned();
            let wanted =
                |name: &&str| !name.starts_with("rename-") && *name != "expression-detector";
            names.split_whitespace().filter(wanted).map(str::to_owned).collect()
        })
    }

    /// A program after a transformation at one of its places, counted from 0; `None` where there is no
    /// such place, or the tool does not understand the program.
    pub fn rewrite(
        &self,
        rule: &str,
        place: usize,
        text: &[u8],
        extension: &str,
    ) -> Option<Vec<u8>> {
        let file = self.dir.path().join(format!("input.{extension}"));
        fs::write(&file, text).ok()?;
        let transformation = format!("--transformation={rule}");
        let counter = format!("--counter={}", place + 1);
        let words = [transformation.into(), counter.into(), file.into_os_string()];
        self.call(&words).filter(|rewritten| rewritten != text)
    }

    /// Calls it; what it prints, if it succeeds.
    fn call(&self, words: &[OsString]) -> Option<Vec<u8>> {
        let output = self.dir.path().join("output");
        let status = Command::new("sh")
            .args(["-c", "ulimit -t $0; exec \"$@\"", PATIENCE])
            .arg(&self.program)
            .args(words)
            .stdin(Stdio::null())
            .stdout(File::create(&output).ok()?)
            .stderr(Stdio::null())
            .status()
            .ok()?;
        status.success().then(|| fs::read(&output).ok())?
    }
}
