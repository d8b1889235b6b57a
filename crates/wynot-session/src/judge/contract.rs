//! What every judge offers.

use super::exit_meaning::Abort;
use crate::observation::Observation;
use wynot_core::Outcome;

/// Turns observations into outcomes. Judges are shared by threads.
pub trait Judge: Sync {
    /// The outcome of one run; an error if the test asks to end the whole search.
    fn outcome(&self, observation: &Observation) -> Result<Outcome, Abort>;

    /// How a run ended, in words, if reports of this search need it.
    fn summary(&self, observation: &Observation) -> Option<String> {
        let _ = observation;
        None
    }
}
