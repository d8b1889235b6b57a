//! Which variables carry a failure from the input to the crash.
//!
//! Two runs of one program, one that passes and one that fails, are stopped in the same place. Their states
//! are read as graphs of objects ([`graph`]), compared ([`matching`], [`delta`]), and what differs is carried
//! over from the failing run into the passing one, piece by piece, to see which pieces decide.
//!
//! - [`program`] knows what a program is made of: types, variables, functions and lines, from the debug
//!   information that compilers write. It never runs anything.
//! - [`process`] runs programs under control: to a place, from a copy made there, with other values. It
//!   knows no types.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

pub mod alignment;
pub mod alteration;
pub mod bench;
pub mod case;
pub mod chain;
pub mod delta;
pub mod graph;
pub mod heap;
pub mod layout;
pub mod libraries;
pub mod link;
pub mod matching;
pub mod memory;
pub mod naming;
pub mod process;
pub mod program;
pub mod state;
pub mod trace;
#[cfg(test)]
mod trial;
pub mod verdict;
