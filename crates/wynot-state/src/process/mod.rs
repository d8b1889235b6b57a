//! Running programs under control.
//!
//! An [`Inferior`] is a program that was started in order to be stopped: at places in its code, to read and
//! change its memory and registers, and to be forked there, so that many experiments can begin at the same
//! point. Nothing here knows what the bytes mean; debug information is the business of
//! [`dwarf`](crate::dwarf).
//!
//! - `launch` starts the process: its arguments, limits, input and output;
//! - `tracing` holds the mechanisms: breakpoints, the set of traced threads, the time limit;
//! - `determinism` makes runs repeatable: the same addresses, random bytes and times in each;
//! - `inferior` is the program itself: running, forking, injecting calls, and the crash at the end.
//!
//! For Linux on x86-64 only; the programs may be 64-bit or 32-bit ones.

mod determinism;
mod error;
mod frame_namer;
mod inferior;
mod launch;
mod memory_snapshot;
mod mutex_owners;
mod run_end;
mod shared_files;
mod tracing;

pub use error::ProcessError;
pub use frame_namer::FrameNamer;
pub use inferior::Inferior;
pub use inferior::fork_obstacle::ForkObstacle;
pub use inferior::open_files::OpenFile;
pub use inferior::system_call::SystemCall;
pub use launch::invocation::{InferiorLimits, Invocation, pad_environments};
pub use launch::private_files::PrivateFiles;
pub use launch::substituted_file::SubstitutedFile;
pub use memory_snapshot::MemorySnapshot;
pub use run_end::{ExitStatus, Pause, RunEnd};
