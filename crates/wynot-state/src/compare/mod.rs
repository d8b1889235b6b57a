//! Comparing a passing with a failing memory graph: which objects correspond, and what differs.
//!
//! - [`object_matching`] finds the corresponding objects, with [`matching_keys`], [`content_hash`],
//!   [`common_subgraph`] and [`object_set`].
//! - [`state_differences`] finds the deltas ([`state_delta`]) that turn the passing state into the failing one;
//!   [`neighbours`] are objects that can be inserted or removed only together.
//! - [`alteration`] is what some deltas write where; [`delta_groups`] orders and groups deltas for the search,
//!   and [`delta_identity`] makes stable bytes of them.
//!
//! - [`outside_delta`]: what differs outside of memory; [`descriptor_delta`]: open files.
//! - [`shared_deltas`]: the deltas whose values another passing run has as well.
//!
//! Nothing here needs a process. Words for what differs are in [`describe`](crate::describe).

pub mod alteration;
pub mod common_subgraph;
pub mod content_hash;
pub mod delta_groups;
pub mod delta_identity;
pub mod descriptor_delta;
mod matching_keys;
pub mod neighbours;
pub mod object_matching;
mod object_set;
pub mod outside_delta;
pub(crate) mod padding;
pub(crate) mod shared_deltas;
pub mod state_delta;
pub mod state_differences;
