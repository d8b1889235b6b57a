//! How tests are kept apart from the rest of the system.

use crate::error::Error;
use crate::request::Request;
use std::path::PathBuf;
use wynot_exec::{Isolation, SandboxSpec};
use wynot_session::plain;

/// How tests are kept apart from the rest of the system. The paths that the sandbox shows must exist.
pub(super) fn isolation(request: &Request) -> Result<Isolation, Error> {
    let run = &request.run;
    if !run.sandbox {
        return Ok(Isolation { shares_processes: run.shares_processes, sandbox: None });
    }
    let existing = |option: &str, paths: &[PathBuf]| {
        let absolute = |path: &PathBuf| {
            request.at(path).canonicalize().map_err(|error| {
                let (path, error) = (path.display(), plain(&error));
                Error::usage(format!("{option}: cannot read {path}: {error}"))
            })
        };
        paths.iter().map(absolute).collect::<Result<Vec<PathBuf>, Error>>()
    };
    let sandbox = SandboxSpec {
        partial: run.sandbox_partial,
        shown: existing("--sandbox-read", &run.sandbox_read)?,
        hidden: existing("--sandbox-hide", &run.sandbox_hide)?,
    };
    Ok(Isolation { shares_processes: false, sandbox: Some(sandbox) })
}
