//! The delta debugger as a library: it worked yesterday, why not today?
//!
//! Everything that the command `wynot` does can be called from here, without a command line, without printing, and from
//! many threads at once: paths are relative to the directory of a request, nothing changes the process, and no signal
//! handlers are installed. A request goes in, a report comes out; an [`Observer`] receives what happens on the way, and a
//! [`Control`] stops it.
//!
//! ```no_run
//! use wynot::{Control, Counts, Event, Listener, Notes, Observer, Request, search};
//!
//! struct Printer;
//!
//! impl Listener for Printer {
//!     fn on(&mut self, event: &Event<'_>, counts: &Counts) {
//!         if let Event::Step { step, .. } = event {
//!             println!("{} bytes after {} tests", step.bytes, counts.executed);
//!         }
//!     }
//! }
//!
//! impl Notes for Printer {}
//!
//! impl Observer for Printer {}
//!
//! fn main() -> Result<(), wynot::Error> {
//!     wynot::init(); // tests are supervised by this program, started once more
//!     let control = Control::default(); // clones of it stop the search from other threads
//!     let request = Request::reduce(".", "crash.c", ["gcc", "-O2", "-c", "{}"]);
//!     let report = search(&request, &mut Printer, &control)?;
//!     println!("{} after {} tests", report.varied_size(), report.counts().executed);
//!     Ok(())
//! }
//! ```
//!
//! Here: requests and plans, the first runs, the searches, checks of results, explanations, sessions. Not here: the
//! command line, its output and the terminal, which belong to the binary.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod atoms;
pub mod config;
mod control;
pub mod describe;
mod error;
#[cfg(target_arch = "x86_64")]
pub mod explain;
mod first_runs;
mod init;
mod notes;
mod observer;
mod page;
pub mod plan;
pub mod remote_request;
pub mod request;
pub mod search;
pub mod session_list;
pub mod sessions;
mod similar_name;
mod test_executor;
pub mod verify;
mod version_options;

pub use control::Control;
pub use error::{Error, ErrorKind};
#[cfg(target_arch = "x86_64")]
pub use explain::{ExplainReport, explain};
pub use init::init;
pub use notes::Notes;
pub use observer::{ExplainStart, Observer, SearchStart, Silent};
pub use page::{ReportForm, page, report_of_records};
pub use plan::Plan;
pub use request::Request;
pub use search::{SearchReport, search};
pub use verify::{Verification, verify};
pub use wynot_session::{Counts, Event, Listener};
