//! Runs the tests of a delta debugger on this machine.
//!
//! The only crate that starts tests. [`Local`] is an executor over supervisor processes: each test runs in a private
//! directory, and nothing of it survives its end. Here, too, is what needs other programs: git, archive tools, clang_delta.
//! Nothing here decides what is tested, or what a run means; nothing here prints.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod clang_delta;
pub mod command;
mod limits;
mod local;
pub mod sources;
mod spec;
mod supervisor;

pub use clang_delta::ClangDelta;
pub use command::TestCommand;
pub use limits::{BadLimit, Limit, Limits, size};
pub use local::{Local, LocalOptions};
pub use spec::{CrashDetection, TestSpec, VariantForm};
pub use supervisor::{own_cpu, supervise};
