//! Telling crashes apart.
//!
//! A signal alone says little, because a program can die of the same signal in many places. This crate finds
//! the place, and decides whether two crashes are the same:
//!
//! - [`backtrace`] examines a thread that is stopped just before a signal is delivered. It unwinds the stack
//!   with the tables that compilers write, and names functions by symbols and debug information. No debugger
//!   is needed;
//! - [`reports`] reads what programs print about their own end: reports of sanitizers, panics of Rust,
//!   exceptions of Python and Java; and backtraces that gdb prints. Support for another language is one more
//!   file there;
//! - both give a [`Crash`], and a crash has an [`Identity`], which is compared.
//!
//! The crate starts and stops no process. Types of framehop stay in `backtrace/unwind.rs`, those of addr2line
//! in `backtrace/inline.rs`, and there is no unsafe code.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod backtrace;
mod crash;
mod identity;
pub mod reports;

pub use backtrace::Backtracer;
pub use crash::{Cause, Crash};
pub use identity::{BacktraceTooShort, Identity};
