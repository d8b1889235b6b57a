//! Which crash it was.
//!
//! A signal alone says little: a program can die of the same signal in many places. This crate finds out
//! where, in two ways, and says when two crashes are the same:
//!
//! - a [`Backtracer`] looks at a thread that is stopped just before a signal is delivered ([`tracee`]): it
//!   unwinds the stack by the tables that compilers write, and names functions by symbols and debug
//!   information. No debugger is needed, and none is started;
//! - [`report`] reads what programs print about their own end: sanitizers, Rust, Python and Java;
//! - [`gdb`] reads what that debugger says, for those who would rather believe it.
//!
//! All give a [`Crash`], and crashes have an [`Identity`].

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod backtrace;
mod crash;
mod extent;
pub mod gdb;
mod identity;
mod inlining;
mod mapping;
mod maps;
mod memory;
mod module;
pub mod name;
mod panic;
pub mod report;
mod sanitizer;
pub mod signal;
mod stacktrace;
mod traceback;
pub mod tracee;
mod unwinding;

pub use backtrace::{Backtracer, is_crash};
pub use crash::{Cause, Crash};
pub use identity::{Identity, NotKnown};
