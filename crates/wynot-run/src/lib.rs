//! Runs the tests of a delta debugger.
//!
//! The only crate that starts processes. Its parts, from the bottom:
//!
//! - an [`Executor`] runs variants and reports [`Observation`]s: [`Local`] on this machine, in private
//!   directories, through [`supervise`]d processes that leave nothing behind;
//! - a [`Judge`] turns observations into outcomes;
//! - a [`Journal`] keeps the outcomes on disk, so that a run that was stopped is *replayed*;
//! - a [`Session`] is the oracle over all of these. It runs tests ahead of time on idle slots, and its
//!   answers depend on none of that: the same test gives the same result for every number of slots.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod again;
mod archive;
mod bounds;
mod building;
mod capture;
mod checkout;
mod clang;
mod collection;
mod command;
mod compose;
mod condition;
mod convention;
mod error;
mod events;
mod executor;
mod family;
mod fingerprint;
mod flight;
mod intake;
mod journal;
mod judge;
mod keeper;
mod limits;
mod local;
mod marker;
mod observation;
mod products;
pub mod quotation;
mod reading;
mod repository;
mod room;
mod sandbox;
mod scene;
mod scratch;
mod session;
mod signature;
mod slot;
mod submodules;
mod supervisor;
mod tally;
mod tracer;
mod versions;
mod votes;
mod wire;

use wynot_process::signal;

pub use archive::{BadArchive, unpack};
pub use bounds::Bounds;
pub use clang::ClangDelta;
pub use collection::{Collection, Met, crash_name};
pub use command::{BadCommand, BadProgram, Place, Stdin, TestCommand};
pub use compose::{Compose, Files, Texts};
pub use condition::{BadCondition, Condition};
pub use convention::{BadConvention, Convention};
pub use error::{ExecutorError, Stop, plain};
pub use events::{Counts, Event, Listener, Side, Step};
pub use executor::{Executor, Finished, Start, Ticket, observe};
pub use fingerprint::{Digest, Fingerprint};
pub use intake::{Unreadable, take_in};
pub use journal::{Again, End, Journal, JournalError, Record, RunRecord, Seen, TestRecord};
pub use judge::{Judge, Looked, NoReading, Wishes};
pub use keeper::{Keeper, write_whole, write_whole_folder};
pub use limits::{BadLimit, Limit, Limits, size};
pub use local::{Form, Local, LocalSetup};
pub use marker::with_options;
pub use observation::{Ending, Observation, Output};
pub use reading::{Abort, Reading};
pub use repository::{Commit, GitError, Repository, patch};
pub use session::{Parts, Session};
pub use signature::{OutputDigest, Signature};
pub use submodules::LeftOut;
pub use supervisor::{own_cpu, supervise};
pub use tally::Tally;
pub use tracer::Crashes;
pub use versions::Versions;
pub use votes::{Quorum, Rate};
pub use wynot_crash::{BacktraceTooShort, Cause, Crash, Identity};
