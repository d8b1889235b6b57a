//! Subjects that are part of how a command is called: its [`options`] and its [`environment`].
//!
//! What a command reads from files belongs to [`text`](crate::text) and [`folder`](crate::folder).

pub(crate) mod environment;
pub(crate) mod options;
pub mod quote;
