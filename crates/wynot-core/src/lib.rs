//! Delta debugging, as a library.
//!
//! Given a set of *deltas* (separable differences between something that works and something that
//! fails) and a test, the algorithms in this crate run experiments and return what the failure needs:
//!
//! - [`ddmin()`] *simplifies*: every delta that remains is needed for the failure;
//! - [`dd()`] *isolates*: it narrows the difference between a passing and a failing configuration from
//!   both sides, which takes far fewer tests;
//! - [`ddmax()`] only grows the passing side.
//!
//! They follow Zeller and Hildebrandt, *Simplifying and Isolating Failure-Inducing Input*, IEEE
//! TSE 28(2), 2002, exactly; "Figure", "Proposition" and "Section" in this crate refer to that paper.
//!
//! Over a slice and a closure it takes three lines:
//!
//! ```
//! use wynot_core::{Outcome, simplify};
//!
//! let events: Vec<u32> = (1..=100).collect();
//! let needed = simplify(&events, |kept| Outcome::fails_if(kept.contains(&&17) && kept.contains(&&80)));
//! assert_eq!(needed, [&17, &80]);
//! ```
//!
//! # Algorithms and oracles
//!
//! An algorithm produces a lazy, ordered stream of [`Attempt`]s, each written on the assumption that the
//! earlier ones were not decisive. An [`Oracle`] answers with the first decisive one. Caching, running
//! tests ahead of time on idle cores, resuming and remote execution all live behind that trait and
//! cannot change an answer. [`Memo`] makes an oracle of a closure.
//!
//! # Invariants
//!
//! This crate starts no process, reads no file or clock, spawns no thread and draws no random
//! number. The same answers of the oracle give the same result, step by step.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod bayesian_bisect;
mod bisect;
mod components;
mod configuration;
mod dd;
mod ddmin;
mod dependencies;
mod dependent;
mod gather;
mod grouping;
mod levels;
mod minimality;
mod oracle;
mod outcome;
mod over_slice;
mod partition;
mod walk;

pub use bayesian_bisect::{Located, Posterior, VersionCounts, VersionRun, bisect_flaky};
pub use bisect::{Gap, bisect};
pub use configuration::{Configuration, DeltaIter, DeltaRange};
pub use dd::{Isolated, dd, ddmax};
pub use ddmin::{ddmin, ddmin_next};
pub use dependencies::Dependencies;
pub use dependent::{Context, DecidingPlace, DependentSearch, Learn, Narrowed};
pub use gather::{gather, gather_by_levels};
pub use grouping::Grouping;
pub use levels::{dd_by_levels, ddmax_by_levels, ddmin_by_levels, ddmin_next_by_levels};
pub use minimality::{larger_passing_or_smaller_failing, smaller_failing};
pub use oracle::label::Label;
pub use oracle::mapped::Mapped;
pub use oracle::memo::Memo;
pub use oracle::monotone::Monotonicity;
pub use oracle::permitted::Permitted;
pub use oracle::sought::Sought;
pub use oracle::strategy::{Likeness, NextStep, Proposal, Strategy};
pub use oracle::{Attempt, Decision, Oracle, Stopped};
pub use outcome::{Outcome, Outcomes};
pub use over_slice::{isolate, simplify};
pub use partition::Partition;
pub use walk::{Pace, Reached, bisect_testable, find_border, walk_back};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
