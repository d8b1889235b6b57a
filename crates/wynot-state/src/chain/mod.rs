//! The cause-effect chain from the input to the failure: which places are examined, and where causes change.
//!
//! - [`stop_trace`] and [`stop_alignment`] find the [`common_places`] of two runs; [`common_calls`] finds those
//!   at the starts of functions.
//! - [`chain_search`] finds the [`cause_chain`]: [`call_search`] narrows down the transitions between causes to
//!   consecutive calls, [`line_search`] to lines; [`place_examiner`] examines several places at a time, and
//!   [`place_choice`] says which places are examined next.
//!
//! What decides at one place is found in [`experiment`](crate::experiment).

pub mod call_search;
pub mod cause_chain;
pub mod chain_search;
pub mod common_calls;
pub mod common_places;
pub mod line_search;
pub mod place_choice;
pub mod place_examiner;
pub mod stop_alignment;
pub mod stop_trace;
