//! The terminal while a command runs.
//!
//! Here: progress (`progress`), what is known about the rest (`remaining`), the live view (`view`, for explanations `explain_view`), single keys (`keys`), signals (`signals`) and questions to the
//! user (`prompt`). Not here: results, traces and event files, which belong to `output`.

#[cfg(target_arch = "x86_64")]
pub mod explain_view;
pub mod keys;
pub mod progress;
#[cfg(target_arch = "x86_64")]
pub mod prompt;
pub mod remaining;
pub mod signals;
pub mod view;
