//! Experiments: the passing run, stopped at a place, goes on with some values of the failing run.
//!
//! - [`run_pair`] is a passing and a failing run of one program. Both come to a [`common_place`]; a
//!   [`stop_point`] is where one of them stops, and a [`program_state`] the copy of its state there.
//! - [`stopped_run`] makes the experiments; [`place_search`] finds out which differences decide at one place,
//!   by [`cause_isolation`], and returns a [`place_result`].
//! - [`place_oracle`] is the seam to the engine that counts, remembers, journals and judges experiments: the
//!   caller implements it, with the help of [`ending_comparison`].
//! - [`place_inspection`] shows the states at a place without experiments; [`endless_functions`] are those that a run does not
//!   leave. [`other_stops`] are those of further passing runs.
//!
//! Which places are examined is decided in [`chain`](crate::chain).

pub(crate) mod cause_isolation;
pub mod common_place;
pub mod ending_comparison;
pub mod endless_functions;
pub mod experiment_error;
pub mod other_stops;
pub mod place_inspection;
pub mod place_oracle;
pub mod place_result;
pub mod place_search;
pub mod program_state;
pub mod run_pair;
pub mod stop_point;
pub mod stopped_run;
