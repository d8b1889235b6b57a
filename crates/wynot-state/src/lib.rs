//! Which variables carry a failure from the input to the crash.
//!
//! Two runs of one program, one that passes and one that fails, are stopped in the same place. Their states
//! are read as graphs of objects, compared, and what differs is carried over from the failing run into the
//! passing one, piece by piece, to see which pieces decide. Done in several places, this gives the chain
//! from the input to the failure.
//!
//! - [`dwarf`] knows what a program is made of: types, variables, functions and lines, from the debug
//!   information that compilers write. It never runs anything.
//! - [`process`] runs programs under control: to a place, from a fork made there, with other values. It
//!   knows no debug information.
//! - A [`State`] is a stopped process in terms of its program; a [`Graph`] is what its variables lead to;
//!   [`Differences`] make a failing state of a passing one, and an [`Alteration`] says what some of them
//!   write where. None of these needs a process.
//! - A [`Case`] makes experiments: in one place, or in as many as the [`chain`](chain()) needs.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod alignment;
mod alteration;
mod bench;
mod calls;
mod case;
mod chain;
mod delta;
pub mod dwarf;
mod extents;
mod extraction;
mod graph;
mod heap;
mod hints;
mod inspection;
mod layout;
mod link;
mod looks;
mod matching;
mod memory;
#[cfg(test)]
mod names;
mod naming;
mod neighbours;
mod object;
mod paths;
mod places;
pub mod process;
#[cfg(test)]
mod properties;
mod replay;
#[cfg(test)]
mod scale;
mod state;
mod subgraph;
mod trace;
#[cfg(test)]
mod trial;
mod union_members;
mod values;
mod verdict;
mod wording;

pub use alignment::Site;
pub use alteration::Alteration;
pub use calls::common_calls;
pub use case::{Case, CaseError, Common, Examined, Incomplete, Judge};
pub use chain::{Chain, Plan, Point, Step, chain, chain_at};
pub use delta::{Change, Delta, Differences, Value};
pub use dwarf::Libraries;
pub use graph::{Graph, Object, ObjectId, Root, Scope};
pub use hints::{HintError, HintFile, Rules};
pub use inspection::{Difference, Dump, Edge, Vertex};
pub use link::{Finding, Link};
pub use replay::Origin;
pub use state::State;
pub use verdict::{Same, Verdict};
pub use wynot_process::Machine;
