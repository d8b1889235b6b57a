//! The interface of judges.

use super::exit_meaning::Abort;
use super::same_failure::ObservedFailure;
use std::collections::BTreeSet;
use wynot_core::Outcome;
use wynot_supervisor::Observation;

/// Turns observations into outcomes. Threads share a judge.
pub trait Judge: Sync {
    /// The outcome of one run; an error if the test requests the end of the whole search.
    fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort>;

    /// A summary of one run in words, if the reports of this search need it.
    fn summary(&self, observation: &Observation) -> Option<String> {
        let _ = observation;
        None
    }

    /// The failure that a run shows, if the reports of this search need it.
    fn failure(&self, observation: &Observation) -> Option<ObservedFailure> {
        let _ = observation;
        None
    }

    /// The names and places that an unresolved run mentions, if the search learns from them.
    fn mentioned(&self, observation: &Observation) -> BTreeSet<String> {
        let _ = observation;
        BTreeSet::new()
    }

    /// Whether the outcome of a run might be another one if nothing else ran beside the test.
    fn depends_on_load(&self, observation: &Observation) -> bool {
        let _ = observation;
        false
    }

    /// Why a run is unresolved, in a few words.
    fn reason(&self, observation: &Observation) -> &'static str {
        observation.reason()
    }
}
