//! Builds the runner, a static program that is compressed into this crate and is sent to workers.
//!
//! It is another package with another profile and other flags, so it needs a run of cargo of its own, in a target
//! directory of its own. In the workspace that package is `runner`; where this crate was unpacked from a registry, it is made
//! here. If it cannot be built there, this crate has no runner and refuses to use workers.

use flate2::Compression;
use flate2::write::DeflateEncoder;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Variables by which a surrounding cargo would influence the inner one.
const INHERITED: [&str; 6] = [
    "CARGO_ENCODED_RUSTFLAGS",
    "RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET",
    "RUSTC_WORKSPACE_WRAPPER",
    "CLIPPY_ARGS",
];

/// What the runner consists of in the workspace.
const SOURCES: [&str; 6] = [
    "runner",
    "crates/wynot-supervisor",
    "crates/wynot-crash",
    "crates/wynot-process",
    "crates/wynot-core/src",
    "Cargo.lock",
];

fn main() {
    let package = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let out = PathBuf::from(variable("OUT_DIR"));
    println!("cargo::rerun-if-changed=runner");
    let workspace = package.parent().and_then(Path::parent);
    let runner = match workspace.filter(|workspace| workspace.join("runner/Cargo.toml").is_file()) {
        Some(workspace) => {
            for path in SOURCES {
                println!("cargo::rerun-if-changed={}", workspace.join(path).display());
            }
            let built = build(workspace, &["--locked"], &out);
            Some(built.expect("the runner can be built"))
        }
        None => {
            let made = make_package(&package, &out.join("package"));
            made.and_then(|package| build(&package, &[], &out))
                .inspect_err(|error| {
                    println!(
                        "cargo::warning=workers cannot be used: the runner was not built: {error}"
                    );
                })
                .ok()
        }
    };
    let program = runner.map_or(Ok(Vec::new()), fs::read).expect("the runner can be read");
    let compressed = compress(&program).expect("the runner can be compressed");
    let path = out.join("runner.deflate");
    fs::write(&path, compressed).expect("the output directory can be written to");
    println!("cargo::rustc-env=WYNOT_RUNNER={}", path.display());
}

/// A variable that cargo sets.
fn variable(name: &str) -> String {
    env::var(name).expect("cargo sets this variable")
}

/// Builds the runner in a workspace or package. Returns the path of the program.
fn build(workspace: &Path, options: &[&str], out: &Path) -> io::Result<PathBuf> {
    let target = variable("TARGET");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "--package", "wynot-runner"])
        .args(options)
        .args(["--profile", "runner", "--target", &target, "--target-dir"])
        .arg(out.join("runner"));
    for name in INHERITED {
        cargo.env_remove(name);
    }
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static");
    match cargo.status()?.success() {
        true => Ok(out.join("runner").join(&target).join("runner/wynot-runner")),
        false => Err(io::Error::other("cargo has printed the reason")),
    }
}

/// Makes the package of the runner, which depends on the supervisor of the same version.
fn make_package(package: &Path, directory: &Path) -> io::Result<PathBuf> {
    let version = variable("CARGO_PKG_VERSION");
    let manifest = format!(
        "[package]
name = \"wynot-runner\"
version = \"{version}\"
edition = \"2024\"

[[bin]]
name = \"wynot-runner\"
path = \"main.rs\"

[dependencies]
wynot-supervisor = \"={version}\"

[workspace]

[profile.runner]
inherits = \"release\"
strip = \"symbols\"
opt-level = \"s\"
lto = \"thin\"
panic = \"abort\"
"
    );
    fs::create_dir_all(directory)?;
    fs::write(directory.join("Cargo.toml"), manifest)?;
    fs::copy(package.join("runner/main.rs"), directory.join("main.rs"))?;
    Ok(directory.to_owned())
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    encoder.finish()
}
