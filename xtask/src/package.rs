//! Packages, as `cargo publish` would upload them.

use crate::{Failure, Outcome};
use std::process::Command;

/// The crates of the workspace that are not published.
const PRIVATE: [&str; 3] = ["wynot-runner", "wynot-test-support", "xtask"];

/// Packages all other crates. Together, since they depend on each other in versions that no registry has yet.
pub fn all() -> Outcome {
    let mut command = Command::new("cargo");
    command.args(["package", "--workspace", "--allow-dirty"]);
    command.args(PRIVATE.iter().flat_map(|name| ["--exclude", name]));
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(Failure::Step("cargo package".to_owned())),
        Err(error) => Err(Failure::Step(format!("cargo package: {error}"))),
    }
}
