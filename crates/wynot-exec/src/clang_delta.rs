//! `clang_delta`, the C and C++ transformation tool of C-Reduce and C-Vise.

use crate::scratch_directory::ScratchDirectory;
use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The directories, besides those of PATH, in which packages install the tool.
const INSTALL_DIRS: [&str; 4] =
    ["/usr/lib/cvise", "/usr/libexec/cvise", "/usr/libexec", "/usr/lib/creduce"];

/// The processor time that one call may use, as an argument of `ulimit -t`. The limit is not a wall-clock time, because
/// results must not depend on the load of the machine.
const MAX_CPU_SECONDS: &str = "10";

/// The installed tool.
#[derive(Debug)]
pub struct ClangDelta {
    program: PathBuf,
    rules: OnceCell<Vec<String>>,
    dir: ScratchDirectory,
}

impl ClangDelta {
    /// Finds the tool, if it is installed.
    pub fn find() -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::env::split_paths(&path).chain(INSTALL_DIRS.map(PathBuf::from));
        let program = dirs.map(|dir| dir.join("clang_delta")).find(|file| file.is_file())?;
        Some(Self { program, rules: OnceCell::new(), dir: ScratchDirectory::new().ok()? })
    }

    /// The path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The names of the transformations that can make a program smaller.
    pub fn rules(&self) -> &[String] {
        self.rules.get_or_init(|| {
            let listed = self.call(&["--transformations".into()]).unwrap_or_default();
            let names = String::from_utf8_lossy(&listed).into_owned();
            let can_shrink =
                |name: &&str| !name.starts_with("rename-") && *name != "expression-detector";
            names.split_whitespace().filter(can_shrink).map(str::to_owned).collect()
        })
    }

    /// Applies a transformation to a program at the instance with number `place`, counted from 0; `None` if there is no
    /// such instance, or if the tool cannot parse the program.
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
        let args = [transformation.into(), counter.into(), file.into_os_string()];
        self.call(&args).filter(|rewritten| rewritten != text)
    }

    /// Runs the tool and returns its output, if it succeeds.
    fn call(&self, args: &[OsString]) -> Option<Vec<u8>> {
        let output = self.dir.path().join("output");
        let status = Command::new("sh")
            .args(["-c", "ulimit -t $0; exec \"$@\"", MAX_CPU_SECONDS])
            .arg(&self.program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(File::create(&output).ok()?)
            .stderr(Stdio::null())
            .status()
            .ok()?;
        status.success().then(|| fs::read(&output).ok())?
    }
}
