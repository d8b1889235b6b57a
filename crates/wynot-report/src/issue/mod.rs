//! A session for other places than a browser: the body of an issue ([`markdown`], for explanations [`chain_issue`]) and a
//! log for code scanning ([`sarif`]).
//!
//! They are made from the same summary as the page, and escape what they contain ([`code_text`]). The command is shown without
//! options about output ([`command_text`]).

pub mod chain_issue;
mod code_text;
mod command_text;
pub mod markdown;
pub mod sarif;
