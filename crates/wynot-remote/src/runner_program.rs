//! The program that runs a test on a worker. The build script of this crate makes it.

use crate::blob::Blob;
use flate2::read::DeflateDecoder;
use std::io::Read;
use std::sync::OnceLock;

/// The program, which is linked statically, compressed; nothing if it could not be built.
const COMPRESSED_RUNNER: &[u8] = include_bytes!(env!("WYNOT_RUNNER"));

/// The program as a blob.
pub(crate) fn runner_blob() -> Result<Blob, String> {
    static BLOB: OnceLock<Option<Blob>> = OnceLock::new();
    let blob = BLOB.get_or_init(|| {
        let mut program = Vec::new();
        DeflateDecoder::new(COMPRESSED_RUNNER).read_to_end(&mut program).ok()?;
        (!program.is_empty()).then(|| Blob::new(program))
    });
    let missing =
        "this build of wynot has no program for workers, because that could not be built with it";
    blob.clone().ok_or_else(|| missing.to_owned())
}
