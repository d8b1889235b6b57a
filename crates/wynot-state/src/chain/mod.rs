//! The cause-effect chain from the input to the failure: which places are examined, and where causes change.
//!
//! - [`stop_trace`], [`call_path`] and [`stop_alignment`] find the [`common_places`] of two runs; [`common_calls`] finds those
//!   at the starts of functions.
//! - [`chain_search`] finds the [`cause_chain`]: [`call_search`] narrows down the transitions between causes to
//!   consecutive calls, [`line_search`] to lines; [`place_examiner`] examines several places at a time, and
//!   [`first_places`] and [`place_choice`] say which places are examined first and next.
//!
//! - [`transition_lines`] are the lines that turn one cause into the next.
//! - [`step_groups`] are steps that people read as one.
//!
//! What decides at one place is found in [`experiment`](crate::experiment).

pub(crate) mod call_path;
pub mod call_search;
pub mod cause_chain;
pub mod chain_search;
pub mod common_calls;
pub mod common_places;
pub(crate) mod first_places;
pub mod line_search;
pub mod own_lines;
pub mod place_choice;
pub mod place_examiner;
pub mod step_groups;
pub mod stop_alignment;
pub mod stop_trace;
pub(crate) mod transition_lines;
