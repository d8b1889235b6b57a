//! Processes of jobs within their limits: control groups, user, sandbox.

use super::control_groups::JobGroups;
use super::job_command::JobCommand;
use super::job_context::JobContext;
use crate::store::JobDirectory;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use wynot_supervisor::supervisor::setup::{Bytes, SandboxSetup};
use wynot_supervisor::{CONTAIN, Contained, ContainedSandbox};

/// The process that contains another one.
pub(super) fn launcher(
    context: &JobContext,
    contained: &Contained,
    directory: &JobDirectory,
    here: &Path,
) -> Command {
    let description = serde_json::to_string(contained).unwrap_or_default();
    let mut command = Command::new(&context.config.program);
    command.args([CONTAIN, &description]).current_dir(here).stdin(Stdio::null()).env_clear();
    for name in ["PATH", "LANG", "LC_ALL"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.env("HOME", directory.tmp()).env("TMPDIR", directory.tmp()).env("NO_COLOR", "1");
    // Repositories of environments belong to others than the user of jobs.
    command.env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "safe.directory");
    command.env("GIT_CONFIG_VALUE_0", "*").env("GIT_CONFIG_NOSYSTEM", "1");
    command
}

/// The containment of the process of a job.
pub(super) fn contained(
    context: &JobContext,
    directory: &JobDirectory,
    groups: &JobGroups,
    command: &JobCommand,
) -> io::Result<Contained> {
    contained_program(
        context,
        directory,
        groups,
        context.config.program.as_os_str(),
        &command.args,
        command.is_in_sandbox,
    )
}

pub(super) fn contained_program(
    context: &JobContext,
    directory: &JobDirectory,
    groups: &JobGroups,
    program: &OsStr,
    args: &[OsString],
    is_in_sandbox: bool,
) -> io::Result<Contained> {
    let bytes = |path: &Path| Bytes::from(path);
    let config = &context.config;
    let sandbox = match is_in_sandbox {
        false => None,
        true => {
            let root = directory.path().join("root");
            fs::create_dir_all(&root)?;
            let private = [directory.work(), directory.out(), directory.tmp(), directory.logs()];
            let programs = wynot_exec::directories_of_programs(Path::new(program));
            Some(ContainedSandbox {
                files: SandboxSetup {
                    partial: config.is_partial,
                    hidden: wynot_exec::hidden_directories(&[context.data.path().to_owned()])
                        .iter()
                        .map(|path| bytes(path))
                        .collect(),
                    programs: programs.iter().map(|path| bytes(path)).collect(),
                    needed: vec![bytes(Path::new(program))],
                    shown: Vec::new(),
                },
                root: bytes(&root),
                private: private.iter().map(|path| bytes(path)).collect(),
                max_processes: config.limits.processes,
            })
        }
    };
    Ok(Contained {
        parent: std::process::id().cast_signed(),
        groups: groups.paths().map(bytes).collect(),
        user: config.job_user,
        file_bytes: config.limits.disk,
        sandbox,
        program: Bytes::from(program.to_owned()),
        args: args.iter().cloned().map(Bytes::from).collect(),
    })
}

/// Makes a repository out of a git bundle, in the sandbox.
pub(super) fn clone_bundle(
    context: &JobContext,
    directory: &JobDirectory,
    groups: &JobGroups,
    bundle: &Path,
    repository: &Path,
) -> Result<(), String> {
    let args = ["clone", "--quiet", "--"].map(OsString::from);
    let args: Vec<OsString> = args.into_iter().chain([bundle.into(), repository.into()]).collect();
    let git = OsStr::new("git");
    let contained = contained_program(context, directory, groups, git, &args, true)
        .map_err(|error| error.to_string())?;
    let output = launcher(context, &contained, directory, &directory.work())
        .output()
        .map_err(|error| format!("git cannot be started: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => {
            let text = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            Err(format!("the repository is not a git bundle: {text}"))
        }
    }
}
