//! Which places a run comes through, one after the other.

use crate::alignment::Halt;
use crate::dwarf::{Program, name_frames};
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError, RunEnd};
use std::collections::HashMap;

/// Places that a run comes to more often are not watched further: they would cost most of the time, and
/// nobody asks for the millionth call of a function.
const MOST: u32 = 2_000;

/// The stops of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// In the order of execution.
    pub stops: Vec<Halt>,
    /// How the run has ended.
    pub ending: RunEnd,
}

impl Trace {
    /// Runs a program to its end, and watches these addresses.
    pub fn of(
        program: &Program,
        invocation: &Invocation,
        limits: &InferiorLimits,
        watched: &[u64],
    ) -> Result<Self, ProcessError> {
        let mut inferior = Inferior::start(invocation, limits, name_frames)?;
        // It is only slower otherwise.
        let _ = inferior.pin_cpu();
        let bias = program.bias(inferior.entry()?);
        let addresses: Vec<u64> = watched.iter().map(|address| address + bias).collect();
        inferior.set_breakpoints(&addresses)?;
        let mut stops = Vec::new();
        let mut counts: HashMap<u64, u32> = HashMap::new();
        loop {
            match inferior.resume()? {
                Pause::At(address) => {
                    let stack = inferior.registers().sp();
                    stops.push(Halt { address: address - bias, stack });
                    let count = counts.entry(address).or_default();
                    *count += 1;
                    if *count == MOST {
                        inferior.remove_breakpoint(address)?;
                    }
                }
                Pause::Ended(ending) => return Ok(Self { stops, ending }),
            }
        }
    }
}
