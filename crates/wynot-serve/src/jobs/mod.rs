//! Running jobs: slots, processes, limits, and what watchers see.
//!
//! Here: the command line of a job ([`job_command`]), its process ([`job_process`]) in control groups ([`control_groups`]), the
//! slots that run the oldest jobs first ([`job_slots`]), the present state of running jobs for watchers ([`live_jobs`]), and
//! what happens from time to time ([`housekeeping`]). Not here: which jobs exist, which belongs to `store`.

mod contained_job;
pub mod containment_probe;
pub mod control_groups;
pub mod failure_identity;
pub mod housekeeping;
pub mod job_command;
pub mod job_context;
pub mod job_process;
pub mod job_slots;
pub mod live_jobs;
pub mod webhook;

pub use control_groups::ControlGroups;
pub use job_slots::JobSlots;
pub use live_jobs::{LiveJob, LiveJobs, LiveView};
