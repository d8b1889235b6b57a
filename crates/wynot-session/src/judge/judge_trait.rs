//! The interface of judges.

use super::exit_meaning::Abort;
use crate::observation::Observation;
use wynot_core::Outcome;

/// Turns observations into outcomes. Threads share a judge.
pub trait Judge: Sync {
    /// The outcome of one run; an error if the test requests the end of the whole search.
    fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort>;

    /// A summary of one run in words, if the reports of this search need it.
    fn summary(&self, observation: &Observation) -> Option<String> {
        let _ = observation;
        None
    }
}
