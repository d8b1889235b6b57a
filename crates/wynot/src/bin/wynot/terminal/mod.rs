//! The terminal: progress, its live view, single keys, signals and questions to the user.
//!
//! Not here: results, which `output` prints.

pub mod keys;
pub mod progress;
pub mod prompt;
pub mod signals;
pub mod view;
