//! Tests of whole states: made by hand, random and large.

pub(crate) mod handmade_state;
mod large_states;
mod object_names;
mod random_state;
mod state_properties;
