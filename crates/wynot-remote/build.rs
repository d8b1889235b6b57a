//! Builds the runner, a static program that is a part of this crate and is sent to workers.
//!
//! It is another package with another profile and other flags, so it needs a run of cargo of its own, in a target
//! directory of its own.

use std::env;
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

fn main() {
    let variable = |name| env::var(name).expect("cargo sets this variable");
    let crates = PathBuf::from(variable("CARGO_MANIFEST_DIR"));
    let workspace = crates.parent().and_then(Path::parent).expect("this crate is in a workspace");
    for path in [
        "runner",
        "crates/wynot-supervisor",
        "crates/wynot-crash",
        "crates/wynot-process",
        "crates/wynot-core/src",
        "Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={}", workspace.join(path).display());
    }
    let (target, out) = (variable("TARGET"), PathBuf::from(variable("OUT_DIR")));
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .current_dir(workspace)
        .args(["build", "--quiet", "--locked", "--package", "wynot-runner"])
        .args(["--profile", "runner", "--target", &target, "--target-dir"])
        .arg(out.join("runner"));
    for name in INHERITED {
        cargo.env_remove(name);
    }
    cargo.env("RUSTFLAGS", "-C target-feature=+crt-static");
    let status = cargo.status().expect("cargo can be started");
    assert!(status.success(), "the runner cannot be built");
    let runner = out.join("runner").join(&target).join("runner/wynot-runner");
    println!("cargo::rustc-env=WYNOT_RUNNER={}", runner.display());
}
