//! Results in words, for records and messages: an isolated difference, the names of deltas, rates. Nothing here prints.

mod difference;

pub use difference::{describe_difference, difference_bytes};
