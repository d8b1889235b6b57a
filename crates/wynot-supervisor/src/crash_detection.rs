//! How crashes are detected.

use serde::{Deserialize, Serialize};

/// How crashes are detected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CrashDetection {
    /// The number of innermost functions that identify a crash.
    pub functions: u8,
    /// Whether gdb takes the backtraces, instead of wynot itself.
    pub by_gdb: bool,
}
