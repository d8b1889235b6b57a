//! The command of a test: how it is written, how other tools call theirs, and what stands for the variant in it.
//!
//! Nothing here starts a process.

mod convention;
mod placeholder;
mod resolve;
mod test_command;

pub use convention::{BadConvention, Convention};
pub use placeholder::with_options;
pub use resolve::{BadCommand, BadProgram};
pub use test_command::{StandardInput, TestCommand, WorkDir};
