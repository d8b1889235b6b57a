//! Results in words, for records, messages and pages.
//!
//! Here: the size of an isolated difference, and a line for each of its changes. Not here: printing and whole reports,
//! which belong to the binary, and numbers in words, which belong to `wynot-report`.

mod difference;

pub use difference::{describe_difference, difference_bytes};
