//! HTML pages about sessions and chains, and issue bodies and SARIF logs, made from records alone.
//!
//! A [`SessionSummary`] collects the records of a journal, and [`session_page`] makes a page of it;
//! [`chain_page`] does the same for the [`ChainRecord`](wynot_session::ChainRecord) of `explain`. A page is self-contained: it has no
//! scripts and loads nothing, so it can be mailed, attached to a bug report and opened in ten years.
//!
//! ```
//! use wynot_report::{SessionSummary, session_page};
//! use wynot_session::{Record, RunRecord};
//!
//! let run = RunRecord {
//!     command: "reduce".to_owned(),
//!     algorithm: "ddmin".to_owned(),
//!     units: "line,char".to_owned(),
//!     input: "bug.c".to_owned(),
//!     test: vec!["gcc".to_owned(), "-c".to_owned(), "{}".to_owned()],
//!     reading: "signal SEGV is the failure".to_owned(),
//!     bytes: 2328,
//!     deltas: 2328,
//!     excerpt: "int main() {\n".to_owned(),
//!     command_line: None,
//! };
//! let summary = SessionSummary::from_records(&[Record::Run(run)]).ok_or("no run")?;
//! assert!(session_page(&summary).contains("bug.c: 2,328 bytes, none gone so far"));
//! # Ok::<(), &str>(())
//! ```
//!
//! This crate reads no files, reads no clock and prints nothing. All text in the records is taken to be
//! hostile: inputs that crash programs tend to hold markup and control characters.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod chain;
mod issue;
mod page;
mod text;

pub use chain::chain_page::chain_page;
pub use issue::chain_issue::chain_issue_body;
pub use issue::markdown::issue_body;
pub use issue::sarif::{chain_sarif, sarif};
pub use page::session_page::session_page;
pub use page::session_summary::SessionSummary;
pub use text::escape::{Preformatted, escape};
pub use text::number;
