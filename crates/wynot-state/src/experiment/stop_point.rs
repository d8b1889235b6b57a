//! Running a program to the point at which it is stopped.

use crate::dwarf::Program;
use crate::dwarf::name_frames;
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError};

/// The number of hits from which on it is worthwhile to keep the run on the processor of this thread.
const MIN_HITS_FOR_SAME_PROCESSOR: u32 = 11;

/// The point at which a run is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopPoint {
    /// The address in the program's file.
    pub address: u64,
    /// The hit of this address at which the run is stopped, counted from 1.
    pub hit: u32,
}

/// Starts a run and stops it at a point; `None` if the run ends before it comes there.
pub fn run_to(
    program: &Program,
    invocation: &Invocation,
    limits: &InferiorLimits,
    stop: StopPoint,
) -> Result<Option<Inferior>, ProcessError> {
    let mut inferior = Inferior::start(invocation, limits, name_frames)?;
    let bias = program.bias(inferior.entry()?);
    inferior.set_breakpoints(&[stop.address + bias])?;
    if stop.hit >= MIN_HITS_FOR_SAME_PROCESSOR {
        // Without it, the run is only slower.
        let _ = inferior.pin_cpu();
    }
    for _ in 0..stop.hit {
        if let Pause::Ended(_) = inferior.resume()? {
            return Ok(None);
        }
    }
    let _ = inferior.unpin_cpu();
    inferior.remove_breakpoints()?;
    Ok(Some(inferior))
}
