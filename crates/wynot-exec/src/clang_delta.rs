//! `clang_delta`, the C and C++ transformation tool of C-Reduce and C-Vise.

use std::cell::OnceCell;
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;
use tempfile::TempDir;
use wynot_process::death_signal::kill_with_parent;

/// The directories, besides those of PATH, in which packages install the tool.
const INSTALL_DIRS: [&str; 4] =
    ["/usr/lib/cvise", "/usr/libexec/cvise", "/usr/libexec", "/usr/lib/creduce"];

/// The processor time that one call may use, as an argument of `ulimit -t`. The limit is not a wall-clock time, because
/// results must not depend on the load of the machine.
const MAX_CPU_SECONDS: &str = "10";

/// The first and the longest pause between two looks at whether the tool has ended. The pauses grow, since most calls
/// take a few milliseconds and some take seconds.
const MIN_PAUSE: Duration = Duration::from_micros(200);
const MAX_PAUSE: Duration = Duration::from_millis(20);

/// The installed tool.
#[derive(Debug)]
pub struct ClangDelta {
    program: PathBuf,
    rules: OnceCell<Vec<String>>,
    dir: TempDir,
}

impl ClangDelta {
    /// Finds the tool, if it is installed. Its files are in a temporary directory in `parent`.
    pub fn find(parent: &Path) -> Option<Self> {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let dirs = std::env::split_paths(&path).chain(INSTALL_DIRS.map(PathBuf::from));
        let program = dirs.map(|dir| dir.join("clang_delta")).find(|file| file.is_file())?;
        Some(Self { program, rules: OnceCell::new(), dir: tempfile::tempdir_in(parent).ok()? })
    }

    /// The path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The names of the transformations that can make a program smaller.
    pub fn rules(&self) -> &[String] {
        self.rules.get_or_init(|| {
            let listed = self.call(&["--transformations".into()], &|| false).unwrap_or_default();
            let names = String::from_utf8_lossy(&listed).into_owned();
            let can_shrink =
                |name: &&str| !name.starts_with("rename-") && *name != "expression-detector";
            names.split_whitespace().filter(can_shrink).map(str::to_owned).collect()
        })
    }

    /// Applies a transformation to a program at the instance with number `place`, counted from 0; `None` if there is no
    /// such instance, if the tool cannot parse the program, or if `is_stopped` asks for an end.
    pub fn rewrite(
        &self,
        rule: &str,
        place: usize,
        text: &[u8],
        extension: &str,
        is_stopped: &dyn Fn() -> bool,
    ) -> Option<Vec<u8>> {
        let file = self.dir.path().join(format!("input.{extension}"));
        fs::write(&file, text).ok()?;
        let transformation = format!("--transformation={rule}");
        let counter = format!("--counter={}", place + 1);
        let args = [transformation.into(), counter.into(), file.into_os_string()];
        self.call(&args, is_stopped).filter(|rewritten| rewritten != text)
    }

    /// Runs the tool and returns its output, if it succeeds. The tool is killed when `is_stopped` asks for an end.
    fn call(&self, args: &[OsString], is_stopped: &dyn Fn() -> bool) -> Option<Vec<u8>> {
        let output = self.dir.path().join("output");
        let mut command = Command::new("sh");
        command
            .args(["-c", "ulimit -t $0; exec \"$@\"", MAX_CPU_SECONDS])
            .arg(&self.program)
            .args(args)
            .stdin(Stdio::null())
            .stdout(File::create(&output).ok()?)
            .stderr(Stdio::null());
        kill_with_parent(&mut command);
        let mut tool = command.spawn().ok()?;
        let mut pause = MIN_PAUSE;
        let status = loop {
            if let Some(status) = tool.try_wait().ok()? {
                break status;
            }
            if is_stopped() {
                let _ = tool.kill();
            }
            std::thread::sleep(pause);
            pause = (pause * 2).min(MAX_PAUSE);
        };
        status.success().then(|| fs::read(&output).ok())?
    }
}
