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
    let shown = run.sandbox_read.iter().map(|path| {
        let absolute = request.at(path).canonicalize();
        absolute.map_err(|error| {
            Error::usage(format!(
                "--sandbox-read: cannot read {}: {}",
                path.display(),
                plain(&error)
            ))
        })
    });
    let shown = shown.collect::<Result<Vec<PathBuf>, Error>>()?;
    let sandbox = SandboxSpec { partial: run.sandbox_partial, shown };
    Ok(Isolation { shares_processes: false, sandbox: Some(sandbox) })
}
