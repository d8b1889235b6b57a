//! Texts whose deltas are the elements of JSON.
//!
//! [`parse`] reads a text into nodes; [`elements`] makes a delta of each element of one text; [`diff`] makes
//! deltas of what differs between two texts; [`merge`] writes a variant that takes elements from both.
//! Everything here keeps the bytes of the texts, blanks included. Other formats do not belong here.

pub(crate) mod diff;
pub(crate) mod elements;
pub(crate) mod merge;
pub(crate) mod parse;
