//! Telling failures apart.
//!
//! An exit code or a signal alone says little, because a program can fail in many ways and places with the same one. This
//! crate finds out by what a failure can be recognised, and decides whether two failures are the same:
//!
//! - [`backtrace`] examines a thread that is stopped just before a signal is delivered. It unwinds the stack
//!   with the tables that compilers write, and names functions by symbols and debug information. No debugger
//!   is needed;
//! - [`reports`] reads what programs print about their own end: reports of sanitizers, panics of Rust,
//!   exceptions of Python and Java; and backtraces that gdb prints. Support for another language is one more
//!   file there;
//! - both give a [`Crash`]. Where the same crash is asked for, an [`Identity`] is compared, by a number of functions;
//! - programs that report no crash complain in some line; `message` finds it, and what in it is constant;
//! - a [`Symptom`] is what a run shows of its failure, a crash or a complaint, and a [`SymptomPattern`] is what other
//!   runs have to show so that theirs is the same failure.
//!
//! The crate starts and stops no process. Types of framehop stay in `backtrace/unwind.rs`, those of addr2line
//! in `backtrace/inline.rs`, and there is no unsafe code.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod backtrace;
mod crash;
mod identity;
mod library_functions;
mod message;
pub mod reports;
mod signature;
mod symptom;
mod variant_files;

pub use backtrace::Backtracer;
pub use crash::{Cause, Crash};
pub use identity::{BacktraceTooShort, Identity};
pub use message::{Complaint, ErrorSet, InputWords, MessagePattern};
pub use signature::CrashSignature;
pub use symptom::{Symptom, SymptomPattern};
pub use variant_files::VariantFiles;
