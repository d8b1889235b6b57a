//! A session for other places than a browser: the body of an issue ([`markdown`]) and a log for code scanning ([`sarif`]).
//!
//! Both are made from the same summary as the page, and escape what they contain.

pub mod markdown;
pub mod sarif;
