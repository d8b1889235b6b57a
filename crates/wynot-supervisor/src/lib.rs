//! Runs a test and observes it: the supervisor process, which runs on this machine or on a worker.
//!
//! What one run of a test shows is an [`Observation`], however and wherever the test runs. [`supervise`] is the process that
//! runs the tests of a slot. The crate knows no subjects and no searches, so it is small enough to be sent to workers. It
//! prints nothing, except why a process cannot be contained.

#![cfg_attr(not(test), warn(clippy::unwrap_used))]

mod access_times;
mod crash_detection;
mod file_tree;
mod hidden_path;
mod job_id;
mod limits;
mod locked_directory;
mod observation;
mod remove_tree;
pub mod runner;
pub mod supervisor;
mod system_error;
mod test_timeout;

pub use access_times::RecordedReads;
pub use crash_detection::CrashDetection;
pub use file_tree::{Mark, clear, is_dir, open_up, remove};
pub use hidden_path::hide_path;
pub use job_id::JobId;
pub use limits::{BadLimit, Limit, Limits, ResidentLimit, size};
pub use locked_directory::{lock, remove_unlocked};
pub use observation::{BUILD_FAILED, Ending, Observation, Output};
pub use supervisor::{CONTAIN, Contained, ContainedSandbox, own_cpu, run_contained, supervise};
pub use system_error::{plain, shown_path};
pub use test_timeout::Timeout;
