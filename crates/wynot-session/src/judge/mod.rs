//! Judges turn observations into outcomes.
//!
//! Everything that decides about the outcome of a run belongs here: the meaning of exit codes, conditions on the
//! output, the comparison of failures, and the number of runs that a flaky test needs. Running tests does not belong
//! here (executors do that), nor does the use of outcomes (see `session`).

mod condition;
mod exit_meaning;
mod first_runs_error;
mod flaky;
mod judge_trait;
mod limits_between;
mod measured_limit;
mod same_failure;
mod test_judge;

pub use condition::{BadCondition, Condition};
pub use exit_meaning::{Abort, ExitMeaning};
pub use first_runs_error::FirstRunsError;
pub(crate) use flaky::Votes;
pub use flaky::{Quorum, Rate};
pub use judge_trait::Judge;
pub use same_failure::{FailureSignature, ObservedFailure, OutputDigest};
pub use test_judge::{FailureCriteria, JudgeRecord, TestJudge};
