//! Runs the tests of a delta debugger on this machine.
//!
//! This is the only crate that starts tests. [`Local`] is an executor over supervisor processes: each test runs in a
//! private directory, and none of its processes or files outlive it. The crate also contains the code that calls other
//! programs: git, clang_delta and the reducers that a user names. It does not decide what is tested or what a run means, and it prints
//! nothing.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod clang_delta;
pub mod command;
mod local;
mod outside_reducer;
mod scratch_directory;
pub mod sources;
mod spec;
mod varying_call;

pub use clang_delta::ClangDelta;
pub use command::TestCommand;
pub use local::{Local, LocalOptions, directories_of_programs, hidden_directories, test_dir_setup};
pub use outside_reducer::{MAX_SILENCE, OutsideReducer, ReducerAnswer};
pub use scratch_directory::ScratchDirectory;
pub use spec::{Isolation, SandboxSpec, TestSpec, VariantForm};
pub use varying_call::call_for;
pub use wynot_supervisor::{
    BadLimit, CrashDetection, Limit, Limits, ResidentLimit, own_cpu, size, supervise,
};
