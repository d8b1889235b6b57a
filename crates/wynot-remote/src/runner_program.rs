//! The program that runs a test on a worker. The build script of this crate makes it.

use crate::blob::Blob;
use std::sync::OnceLock;

/// The contents of the program, which is linked statically.
const RUNNER: &[u8] = include_bytes!(env!("WYNOT_RUNNER"));

/// The program as a blob.
pub(crate) fn runner_blob() -> Blob {
    static BLOB: OnceLock<Blob> = OnceLock::new();
    BLOB.get_or_init(|| Blob::new(RUNNER.to_vec())).clone()
}
