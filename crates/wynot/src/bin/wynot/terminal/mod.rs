//! The terminal while a command runs.
//!
//! Here: progress (`progress`) and its live view (`view`), single keys (`keys`), signals (`signals`) and questions to the
//! user (`prompt`). Not here: results, traces and event files, which belong to `output`.

pub mod keys;
pub mod progress;
pub mod prompt;
pub mod signals;
pub mod view;
