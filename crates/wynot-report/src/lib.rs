//! From the records of a journal to a page that people read.
//!
//! Two pure steps: a [`Story`] gathers what the records tell about the last run, and [`html()`] writes it
//! down as one self-contained page. The page needs no scripts and loads nothing, so it can be mailed,
//! attached to a bug report and opened in ten years.
//!
//! ```
//! use wynot_report::{Story, html};
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
//! let story = Story::from_records(&[Record::Run(run)]).ok_or("no run")?;
//! assert!(html(&story).contains("bug.c: 2,328 bytes, none gone so far"));
//! # Ok::<(), &str>(())
//! ```
//!
//! This crate reads no files, asks no clock and prints nothing. Whatever the records hold is taken for
//! hostile text: inputs that crash programs are apt to hold markup and control characters.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod chain;
mod contrast;
mod curve;
mod drawing;
mod escape;
mod headline;
mod html;
pub mod number;
mod scale;
mod section;
mod story;
mod table;

pub use chain::{ChainCause, ChainPlace, ChainStep, ChainStory, chain_html};
pub use html::html;
pub use story::Story;
