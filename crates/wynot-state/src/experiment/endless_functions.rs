//! The functions that a run does not leave.

use crate::dwarf::{Frame, FrameRegisters, Libraries, Program, name_frames, unwind};
use crate::process::{Inferior, InferiorLimits, Invocation, Pause, ProcessError};
use std::time::Duration;
use wynot_process::ReadMemory;

/// The number of frames at which unwinding ends.
const MAX_FRAMES: usize = 1000;

/// The number of frames that are tried, innermost first.
const MAX_TRIED_FRAMES: usize = 20;

/// The number of returns of inner calls, in a recursion, after which a frame is taken for one that does not return.
const MAX_INNER_RETURNS: usize = 1000;

/// The functions that a run which does not end is in after some time, innermost first, from the one that does not return
/// within that time again. Nothing if the run ends.
pub fn endless_functions(
    program: &Program,
    invocation: &Invocation,
    limits: &InferiorLimits,
    time: Duration,
) -> Result<Vec<String>, ProcessError> {
    let mut run = Inferior::start(invocation, limits, name_frames)?;
    if let Pause::Ended(_) = run.run_for(time)? {
        return Ok(Vec::new());
    }
    let frames = frames(program, &run)?;
    let returning = frames.iter().take(MAX_TRIED_FRAMES).zip(frames.iter().skip(1));
    let mut endless = 0;
    for (frame, caller) in returning {
        if !returns(&mut run, frame, caller, time)? {
            break;
        }
        endless += 1;
    }
    let names = frames.iter().skip(endless).filter_map(|frame| frame.function);
    Ok(names.map(|id| program[id].name.clone()).collect())
}

/// Whether a frame returns to its caller within some time.
fn returns(
    run: &mut Inferior,
    frame: &Frame,
    caller: &Frame,
    time: Duration,
) -> Result<bool, ProcessError> {
    run.set_breakpoints(&[caller.address])?;
    for _ in 0..MAX_INNER_RETURNS {
        match run.run_for(time)? {
            Pause::At(address) if address != caller.address => return Ok(false),
            Pause::At(_) if run.registers().sp() >= frame.cfa => return Ok(true),
            Pause::At(_) => {}
            Pause::Ended(_) => return Ok(false),
        }
    }
    Ok(false)
}

/// The frames of a stopped run, innermost first.
fn frames(program: &Program, run: &Inferior) -> Result<Vec<Frame>, ProcessError> {
    let mut libraries = Libraries::default();
    let loaded = libraries.loaded(&run.memory_map()?);
    let bias = program.bias(run.entry()?);
    let registers = FrameRegisters::from(&run.registers());
    Ok(unwind(program, bias, &loaded, &registers, &StoppedMemory(run), MAX_FRAMES).frames)
}

/// The memory of a stopped run, as unwinding reads it.
struct StoppedMemory<'r>(&'r Inferior);

impl ReadMemory for StoppedMemory<'_> {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        self.0.read(address, into).is_ok()
    }
}
