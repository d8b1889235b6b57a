//! Messages: what a program says about its failure when it prints no report of a crash.
//!
//! Here: which lines of an output complain (`complaint`), errors in JSON (`json_error`), the words of a message
//! that do not depend on the run (`message_words`) or are names of the input (`input_words`), and the pattern that a message has to match to be the same
//! (`pattern`), and the errors of a run, which another run may not exceed (`error_set`). Reports of crashes, which say more, belong to `reports`.

pub(crate) mod complaint;
mod error_set;
mod input_words;
mod json_error;
pub(crate) mod message_words;
pub(crate) mod pattern;

pub use complaint::Complaint;
pub use error_set::ErrorSet;
pub use input_words::InputWords;
pub use pattern::MessagePattern;
