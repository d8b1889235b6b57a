//! Subjects that are part of how a command is called: its [`options`], its [`environment`], and the name of the version
//! that it uses ([`version_row`]).
//!
//! What a command reads from files belongs to [`text`](crate::text) and [`folder`](crate::folder).

pub(crate) mod environment;
pub(crate) mod options;
pub mod quote;
pub(crate) mod version_row;
