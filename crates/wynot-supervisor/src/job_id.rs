//! The number of a job.

/// The number of a job, unique among the jobs of all sessions of a lab.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct JobId(pub u64);
