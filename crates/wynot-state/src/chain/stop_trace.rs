//! The sequence of watched addresses that a run comes to.

use super::stop_alignment::TracedStop;
use crate::dwarf::Program;
use crate::dwarf::name_frames;
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError, RunEnd};
use std::collections::HashMap;

/// The number of hits after which an address is no longer watched: stops take most of the time, and later
/// hits of such an address are hardly ever of interest.
const MAX_HITS_PER_ADDRESS: u32 = 2_000;

/// The stops of a run.
#[derive(Clone, Debug)]
pub struct StopTrace {
    /// The stops, in the order of execution.
    pub stops: Vec<TracedStop>,
    /// How the run ended.
    pub ending: RunEnd,
}

impl StopTrace {
    /// Runs a program to its end and records the stops at these addresses.
    pub fn of(
        program: &Program,
        invocation: &Invocation,
        limits: &InferiorLimits,
        watched: &[u64],
    ) -> Result<Self, ProcessError> {
        let mut inferior = Inferior::start(invocation, limits, name_frames)?;
        // Without it, the run is only slower.
        let _ = inferior.pin_cpu();
        let bias = program.bias(inferior.entry()?);
        let addresses: Vec<u64> = watched.iter().map(|address| address + bias).collect();
        inferior.set_breakpoints(&addresses)?;
        let mut stops = Vec::new();
        let mut hits: HashMap<u64, u32> = HashMap::new();
        loop {
            match inferior.resume()? {
                Pause::At(address) => {
                    let stack = inferior.registers().sp();
                    stops.push(TracedStop { address: address - bias, stack });
                    let count = hits.entry(address).or_default();
                    *count += 1;
                    if *count == MAX_HITS_PER_ADDRESS {
                        inferior.remove_breakpoint(address)?;
                    }
                }
                Pause::Ended(ending) => return Ok(Self { stops, ending }),
            }
        }
    }
}
