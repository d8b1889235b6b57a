//! A small job that shows whether jobs can be contained here, before anybody submits one.

use super::contained_job::{contained_program, launcher};
use super::job_context::JobContext;
use crate::store::JobCode;
use std::ffi::OsString;

/// What the warning of a partial sandbox begins with.
const PARTIAL: &str = "the sandbox is partial, it has no: ";

/// Reduces a few bytes with the containment of jobs, once in each kind of sandbox. Returns what the sandbox lacks, if it may
/// lack something. An error says why jobs cannot run.
pub fn probe(context: &JobContext) -> Result<Vec<String>, String> {
    let code = JobCode::random();
    let result = run_probe(context, &code);
    // It is empty but for a few bytes, and the next start removes it.
    let _ = context.data.remove_job(&code);
    result
}

fn run_probe(context: &JobContext, code: &JobCode) -> Result<Vec<String>, String> {
    let text = |error: std::io::Error| error.to_string();
    let incoming = context.data.new_incoming(code).map_err(text)?;
    std::fs::write(incoming.work().join("probe.txt"), "a\nb\n").map_err(text)?;
    context.data.accept_incoming(&incoming, code).map_err(text)?;
    let directory = context.data.job(code);
    let groups = context.groups.for_job(code.as_str(), &context.config.limits).map_err(text)?;
    let mut reduce = vec![
        "reduce".to_owned(),
        "--sandbox".to_owned(),
        format!("--sandbox-hide={}", context.data.path().display()),
        format!("--session={}", directory.session().display()),
        "--jobs=1".to_owned(),
        "--unit=line".to_owned(),
    ];
    reduce.extend(context.config.is_partial.then(|| "--sandbox-partial".to_owned()));
    let rest = ["probe.txt", "--", "/bin/sh", "-c", "grep -q b && exit 1; exit 0"];
    let program = context.config.program.as_os_str();
    let mut missing = Vec::new();
    for (args, is_in_sandbox) in [
        (reduce.iter().map(String::as_str).chain(rest).collect::<Vec<_>>(), false),
        (vec!["--version"], true),
    ] {
        let args: Vec<OsString> = args.into_iter().map(OsString::from).collect();
        let contained =
            contained_program(context, &directory, &groups, program, &args, is_in_sandbox)
                .map_err(text)?;
        let output = launcher(context, &contained, &directory, &directory.work())
            .output()
            .map_err(|error| format!("cannot run {}: {error}", program.display()))?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if !output.status.success() {
            let who = match context.config.job_user {
                Some((user, _)) => format!("as user {user}"),
                None => "as this user".to_owned(),
            };
            return Err(format!("{} {who}: {}", program.display(), messages.trim()));
        }
        let partial = messages.lines().find_map(|line| line.split_once(PARTIAL));
        missing.extend(partial.map(|(_, parts)| format!("the sandbox of tests has no {parts}")));
    }
    groups.end().map_err(text)?;
    Ok(missing)
}
