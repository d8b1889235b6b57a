//! What a runner is asked to run.

use crate::Timeout;
use crate::supervisor::protocol::Call;
use crate::supervisor::setup::{Bytes, Setup};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The version of the format. A runner refuses requests of another version.
pub const FORMAT: u32 = 1;

/// The name of the file with the request, in the input root.
pub const REQUEST_FILE: &str = "request.json";

/// The name of the file with the call, in the input root, if the variant is part of the call.
pub const CALL_FILE: &str = "call.json";

/// The name of the variant in the input root, a file or a directory.
pub const VARIANT: &str = "variant";

/// The name of the project directory in the input root, if there is one.
pub const PROJECT: &str = "project";

/// The name of the directory with the other files that the test needs, in the input root.
pub const FILES: &str = "files";

/// The path in requests that stands for the private directory of the test.
pub const PRIVATE_PATH: &str = "/wynot/private-directory";

/// The path in requests that stands for the directory [`FILES`].
pub const FILES_PATH: &str = "/wynot/needed-files";

/// A test to run on a worker. It does not depend on the variant, unless the modes of its files are unusual.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerRequest {
    /// The version of the format.
    pub format: u32,
    /// The test, with one private directory, as a supervisor needs it. Its paths contain [`PRIVATE_PATH`] and
    /// [`FILES_PATH`].
    pub setup: Setup,
    /// The time limit.
    pub timeout: Timeout,
    /// Whether the time limit holds although other tests may have slowed this one down.
    pub alone: bool,
    /// Where the variant is put.
    pub variant: VariantPlace,
    /// Whether the observation names the files that the test reads.
    pub records_reads: bool,
    /// The number of earlier runs of the same test on the same variant: its results are apart from theirs.
    pub repetition: u32,
}

/// Where the variant is put in the private directory.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum VariantPlace {
    /// A file with this name and these permission bits.
    File {
        /// The path, relative to the private directory.
        name: Bytes,
        /// The permission bits.
        mode: u32,
    },
    /// The whole contents of the private directory.
    Folder {
        /// The paths whose permission bits are not the usual ones, and these bits.
        modes: Vec<(Bytes, u32)>,
    },
    /// Nowhere: the variant is part of the call.
    Call,
}

impl WorkerRequest {
    /// The request with the directories of a worker in its paths.
    pub(super) fn on_worker(mut self, private: &Path, files: &Path) -> Self {
        let place = |bytes: &mut Bytes| place_on_worker(bytes, private, files);
        for dir in &mut self.setup.test_dirs {
            [&mut dir.path, &mut dir.program, &mut dir.cwd].into_iter().for_each(place);
            dir.fallback.iter_mut().chain(&mut dir.args).chain(&mut dir.stdin).for_each(place);
        }
        self.setup.build.iter_mut().for_each(place);
        self
    }
}

/// A call with the directories of a worker in its paths.
pub(super) fn call_on_worker(mut call: Call, private: &Path, files: &Path) -> Call {
    let place = |bytes: &mut Bytes| place_on_worker(bytes, private, files);
    place(&mut call.program);
    call.fallback.iter_mut().chain(&mut call.args).chain(&mut call.build).for_each(place);
    call
}

fn place_on_worker(bytes: &mut Bytes, private: &Path, files: &Path) {
    *bytes = bytes.replaced(PRIVATE_PATH, private).replaced(FILES_PATH, files);
}
