//! The command of a test, as data.
//!
//! This module resolves the command that the user wrote, applies the calling conventions of other tools, and
//! substitutes the placeholders for variants, options and versions. Starting processes does not belong here (see
//! `supervisor::launch`), nor does the rest of a test's specification (see `spec`).

mod convention;
mod placeholder;
mod resolve;
mod test_command;
mod version_command;

pub use convention::{BadConvention, Convention};
pub(crate) use placeholder::shell_command_with_version;
pub use placeholder::{mentions_version, with_options, with_version};
pub use resolve::{BadCommand, BadProgram};
pub use test_command::{StandardInput, TestCommand, WorkDir};
