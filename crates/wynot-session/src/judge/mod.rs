//! From an observation to an outcome.
//!
//! A [`Judge`] is the one place that decides what a run means. Here: what exit codes mean, conditions, what the same
//! failure is, and how many runs a flaky test needs. Not here: running tests, and what is done with outcomes.

mod condition;
mod contract;
mod exit_meaning;
mod first_runs;
mod flaky;
mod same_failure;
mod test_judge;

pub use condition::{BadCondition, Condition};
pub use contract::Judge;
pub use exit_meaning::{Abort, ExitMeaning};
pub use first_runs::FirstRunsError;
pub(crate) use flaky::Votes;
pub use flaky::{Quorum, Rate};
pub use same_failure::{FailureSignature, OutputDigest};
pub use test_judge::{FailureCriteria, JudgeRecord, TestJudge};
