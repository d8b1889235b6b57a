//! The directory of a project, in copies of which tests run.

use crate::error::Error;
use std::path::{Path, PathBuf};
use wynot_session::files::size_of_tree;
use wynot_session::plain;

/// The largest project: a copy of it is made for each test that runs at the same time.
const MAX_PROJECT_BYTES: u64 = 16 << 30;

/// The directory of a project, if tests can run in copies of it.
pub(super) fn project_directory(dir: &Path, here: &Path) -> Result<PathBuf, Error> {
    match here.join(dir).canonicalize() {
        Ok(found) if found.is_dir() && size_of_tree(&found) > MAX_PROJECT_BYTES => {
            let message = format!(
                "--in {}: its files have more than {MAX_PROJECT_BYTES} bytes",
                dir.display()
            );
            Err(Error::usage(message).hint("tests run in copies of it; name a part that is enough"))
        }
        Ok(found) if found.is_dir() => Ok(found),
        Ok(_) => Err(Error::usage(format!("--in {}: it is no directory", dir.display()))),
        Err(error) => Err(Error::usage(format!("--in {}: {}", dir.display(), plain(&error)))),
    }
}
