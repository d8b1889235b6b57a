//! The oracle of a delta debugger, over any executor.
//!
//! This crate starts no process. From the bottom:
//!
//! - an [`Executor`] runs [`Job`]s and reports [`Observation`]s; other crates implement the trait;
//! - a [`Judge`] turns observations into outcomes;
//! - a [`Journal`] keeps the outcomes on disk, so that an interrupted search can be *replayed*;
//! - a [`Lab`] holds the state that sessions share, and opens sessions;
//! - a [`Session`] is the oracle. It submits tests ahead of time while the executor has capacity, but its answers do
//!   not depend on that: the same test gives the same result for every number of jobs.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod answer_record;
mod budget;
mod certificate;
mod chain_record;
mod compose;
mod diagnostics;
mod digest;
mod events;
mod executor;
pub mod files;
mod history_record;
mod journal;
mod journal_line;
pub mod judge;
mod lab;
mod other_crashes;
mod package_names;
mod pass_counts;
mod proposal_record;
mod record;
mod results;
mod resume;
mod session;
mod stop;
mod version_candidates;
mod virtual_time;

pub use answer_record::{AnswerRecord, CauseRecord, DifferenceRecord, TextStretch};
pub use budget::Budget;
pub use certificate::{Certificate, EndStatus, Extremum};
pub use chain_record::{ChainCause, ChainPlace, ChainRecord, ChainStep};
pub use compose::{Compose, Files, Texts};
pub use diagnostics::names_a_line;
pub use digest::{Digest, Fingerprint};
pub use events::{Counts, Event, Listener, SearchPart, Side, Step};
pub use executor::{Completion, Executor, ExecutorError, Job, Submitted};
pub use history_record::{
    BlockerRecord, DerivationRecord, HistoryRecord, VersionRecord, VisitRecord,
};
pub use journal::{Journal, JournalContents, JournalDamage, JournalError};
pub use judge::Judge;
pub use lab::{Lab, LabParts, UnresolvedTest};
pub use other_crashes::{CrashCollection, OtherCrash, crash_name};
pub use pass_counts::PassCounts;
pub use proposal_record::ProposalRecord;
pub use record::{CommandLine, EndRecord, Record, RunRecord, RunSummary, TestRecord};
pub use results::ResultFiles;
pub use session::{Session, observe};
pub use stop::Stop;
pub use version_candidates::SingleRuns;
pub use virtual_time::VirtualTime;
pub use wynot_supervisor::{
    BUILD_FAILED, Ending, JobId, Observation, Output, Timeout, plain, shown_path,
};
