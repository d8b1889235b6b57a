//! The command of a test, as data.
//!
//! This module resolves the command that the user wrote, applies the calling conventions of other tools, and
//! substitutes the placeholders for variants and options. Starting processes does not belong here (see
//! `supervisor::launch`), nor does the rest of a test's specification (see `spec`).

mod convention;
mod placeholder;
mod resolve;
mod test_command;

pub use convention::{BadConvention, Convention};
pub use placeholder::with_options;
pub use resolve::{BadCommand, BadProgram};
pub use test_command::{StandardInput, TestCommand, WorkDir};
