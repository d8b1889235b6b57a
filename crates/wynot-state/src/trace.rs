//! Which functions a run calls, one after the other.

use crate::process::{Ending, Inferior, Invocation, Limits, Pause, ProcessError};
use crate::program::Program;
use std::collections::HashMap;

/// Functions that are called more often are not followed further: they would cost most of the time, and
/// nobody asks for the millionth call.
const MOST: u32 = 2_000;

/// The calls of a run.
#[derive(Clone, Debug)]
pub struct Trace {
    /// Functions by number, in the order of the calls.
    pub calls: Vec<u32>,
    pub ending: Ending,
}

impl Trace {
    /// Runs a program to its end.
    pub fn of(
        program: &Program,
        invocation: &Invocation,
        limits: &Limits,
    ) -> Result<Self, ProcessError> {
        let mut inferior = Inferior::start(invocation, limits)?;
        let bias = program.bias(inferior.entry()?);
        let bodies: HashMap<u64, u32> = (0..)
            .zip(program.functions())
            .map(|(number, function)| (function.body + bias, number))
            .collect();
        let addresses: Vec<u64> = bodies.keys().copied().collect();
        inferior.set_breakpoints(&addresses)?;
        let mut calls = Vec::new();
        let mut counts: HashMap<u64, u32> = HashMap::new();
        loop {
            match inferior.resume()? {
                Pause::At(address) => {
                    calls.extend(bodies.get(&address));
                    let count = counts.entry(address).or_default();
                    *count += 1;
                    if *count == MOST {
                        inferior.remove_breakpoint(address)?;
                    }
                }
                Pause::Ended(ending) => return Ok(Self { calls, ending }),
            }
        }
    }
}
