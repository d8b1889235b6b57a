//! The sequence of watched addresses that a run comes to.

use super::call_path::CallPaths;
use super::stop_alignment::TracedStop;
use crate::dwarf::name_frames;
use crate::experiment::experiment_error::ExperimentError;
use crate::experiment::run_pair::RunPair;
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError, RunEnd};
use std::collections::HashMap;
use std::time::Duration;

/// The number of hits after which an address is no longer watched: stops take most of the time, and later
/// hits of such an address are hardly ever of interest.
const MAX_HITS_PER_ADDRESS: u32 = 2_000;

/// The number of stops after which the time of the run is measured again.
const STOPS_PER_MEASUREMENT: usize = 100;

/// The stops of a run.
#[derive(Clone, Debug)]
pub struct StopTrace {
    /// The stops, in the order of execution.
    pub stops: Vec<TracedStop>,
    /// How the run ended.
    pub ending: RunEnd,
    /// The processor time that it had used at one of the last stops, if it was traced to its end.
    pub used: Duration,
    /// Whether the program has had several threads.
    pub has_threads: bool,
}

/// How far a run is traced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceExtent {
    /// To its end.
    ToEnd,
    /// To this number of stops, or until it uses all its time without coming to a hundred more: the run does not end. So
    /// what is traced of it does not depend on time.
    Stops(usize),
}

impl StopTrace {
    /// Runs a program and records the stops at these addresses.
    pub fn of(
        runs: &RunPair<'_>,
        invocation: &Invocation,
        limits: &InferiorLimits,
        watched: &[u64],
        extent: TraceExtent,
    ) -> Result<Self, ExperimentError> {
        runs.check_stop()?;
        let program = runs.program;
        let mut inferior = Inferior::start(invocation, &runs.until_deadline(limits), name_frames)?;
        // Without it, the run is only slower.
        let _ = inferior.pin_cpu();
        let bias = program.bias(inferior.entry().map_err(ProcessError::from)?);
        let addresses: Vec<u64> = watched.iter().map(|address| address + bias).collect();
        inferior.set_breakpoints(&addresses)?;
        let (mut stops, mut used) = (Vec::new(), Duration::ZERO);
        let mut paths: HashMap<usize, CallPaths<'_>> = HashMap::new();
        let mut hits: HashMap<u64, u32> = HashMap::new();
        loop {
            match inferior.resume()? {
                Pause::At(address) => {
                    let thread = inferior.thread_number();
                    let paths = paths.entry(thread).or_insert_with(|| CallPaths::new(program));
                    let path = paths.at(address - bias, &inferior.registers());
                    stops.push(TracedStop { address: address - bias, path });
                    let count = hits.entry(address).or_default();
                    *count += 1;
                    if extent == TraceExtent::Stops(stops.len()) {
                        let has_threads = inferior.had_threads();
                        let ending = inferior.give_up()?;
                        return Ok(Self { stops, ending, used, has_threads });
                    }
                    if stops.len() % STOPS_PER_MEASUREMENT == 0 {
                        runs.check_stop()?;
                        match extent {
                            TraceExtent::ToEnd => used = inferior.used_time(),
                            TraceExtent::Stops(_) => inferior.restart_time(),
                        }
                    }
                    if *count == MAX_HITS_PER_ADDRESS {
                        inferior.remove_breakpoint(address)?;
                    }
                }
                Pause::Ended(ending) => {
                    runs.check_stop()?;
                    let has_threads = inferior.had_threads();
                    return Ok(Self { stops, ending, used, has_threads });
                }
            }
        }
    }
}
