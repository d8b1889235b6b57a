//! Experiments: the passing run, stopped in some place, with some values of the failing one.

use crate::alteration::{Address, Alteration, What, Write, with_bits};
use crate::dwarf::Libraries;
use crate::dwarf::{Program, name_frames};
use crate::process::{
    ForkObstacle, Inferior, InferiorLimits, Invocation, Pause, ProcessError, RunEnd, SystemCall,
};
use crate::state;
use std::time::Duration;

/// Where a run is stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stop {
    /// An address of the program's file.
    pub address: u64,
    /// The how manieth time, counted from 1.
    pub hit: u32,
}

/// A run did not get where it was to be stopped.
#[derive(Debug, thiserror::Error)]
pub enum BenchError {
    /// It has ended before.
    #[error(
        "a run ended before it came to the place where it was to be stopped; it does not do the same each \
         time, perhaps because of threads, its process number or other programs"
    )]
    Missed(Box<RunEnd>),
    /// It could not be controlled.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// With more hits than these it is worth it to keep the run on the processor of this thread.
const FEW: u32 = 10;

/// Starts a run and lets it go where it is to be stopped.
pub fn arrive(
    program: &Program,
    invocation: &Invocation,
    limits: &InferiorLimits,
    stop: Stop,
) -> Result<Inferior, BenchError> {
    let mut inferior = Inferior::start(invocation, limits, name_frames)?;
    let bias = program.bias(inferior.entry().map_err(ProcessError::from)?);
    inferior.set_breakpoints(&[stop.address + bias])?;
    if stop.hit > FEW {
        // It is only slower otherwise.
        let _ = inferior.pin_cpu();
    }
    for _ in 0..stop.hit {
        if let Pause::Ended(ending) = inferior.resume()? {
            return Err(BenchError::Missed(Box::new(ending)));
        }
    }
    let _ = inferior.unpin_cpu();
    inferior.remove_breakpoints()?;
    Ok(inferior)
}

/// Where the experiments are made.
pub struct Bench<'b> {
    program: &'b Program,
    invocation: &'b Invocation,
    limits: &'b InferiorLimits,
    stop: Stop,
    /// The run that copies are made of.
    template: Inferior,
    /// Why every experiment has to start anew.
    pub obstacle: Option<ForkObstacle>,
    allocate: Option<u64>,
}

impl<'b> Bench<'b> {
    /// Stops the passing run.
    pub fn new(
        program: &'b Program,
        invocation: &'b Invocation,
        limits: &'b InferiorLimits,
        stop: Stop,
        libraries: &mut Libraries,
    ) -> Result<Self, BenchError> {
        let mut template = arrive(program, invocation, limits, stop)?;
        let map = template.memory_map().map_err(ProcessError::from)?;
        let bias = program.bias(template.entry().map_err(ProcessError::from)?);
        let own = program.symbol("malloc").map(|address| address + bias);
        let allocate = own.or_else(|| libraries.symbol(&map, "malloc"));
        let obstacle = template.fork_obstacle()?;
        Ok(Self { program, invocation, limits, stop, template, obstacle, allocate })
    }

    /// The run as it was stopped.
    pub fn template(&self) -> &Inferior {
        &self.template
    }

    /// How the run ends if it goes on with an alteration.
    pub fn test(&mut self, alteration: &Alteration, time: Duration) -> Result<RunEnd, BenchError> {
        match self.obstacle {
            None => {
                let copy = self.template.fork()?;
                self.finish(copy, alteration, time)
            }
            Some(_) => self.test_anew(alteration, time),
        }
    }

    /// The same with a run that starts from the beginning.
    pub fn test_anew(&self, alteration: &Alteration, time: Duration) -> Result<RunEnd, BenchError> {
        let run = arrive(self.program, self.invocation, self.limits, self.stop)?;
        self.finish(run, alteration, time)
    }

    fn finish(
        &self,
        mut run: Inferior,
        alteration: &Alteration,
        time: Duration,
    ) -> Result<RunEnd, BenchError> {
        self.apply(&mut run, alteration)?;
        Ok(run.finish(time)?)
    }

    fn apply(&self, run: &mut Inferior, alteration: &Alteration) -> Result<(), ProcessError> {
        let mut blocks = Vec::new();
        for block in &alteration.blocks {
            blocks.push(self.allocate(run, block.size)?);
        }
        let fixed = |address: Address| match address {
            Address::Fixed { address, .. } => address,
            Address::Block { number, offset } => blocks[number] + offset,
        };
        for Write { at, what } in &alteration.writes {
            let at = fixed(*at);
            let bytes = match what {
                What::Bytes(bytes) => bytes.clone(),
                What::Address(to, size) => fixed(*to).to_le_bytes()[..*size as usize].to_vec(),
                What::Bits(bits, new) => {
                    let mut old = vec![0; new.len()];
                    read(run, at, &mut old)?;
                    with_bits(&old, *bits, new)
                }
            };
            write(run, at, &bytes)?;
        }
        Ok(())
    }

    /// Memory for an object: from the program's own allocator, so that it can give it back.
    fn allocate(&self, run: &mut Inferior, size: u64) -> Result<u64, ProcessError> {
        if let Some(malloc) = self.allocate {
            let address = run.call(malloc, &[size])?;
            if address != 0 {
                return Ok(address);
            }
        }
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let nothing = u64::MAX;
        let result = run.system_call(SystemCall::Map, [0, size, protection, flags, nothing, 0])?;
        Ok(result as u64)
    }
}

fn read(run: &Inferior, address: u64, into: &mut [u8]) -> Result<(), ProcessError> {
    match state::register(address) {
        None => Ok(run.read(address, into)?),
        Some((number, offset)) => {
            let value = run.registers().by_dwarf_number()[number].to_le_bytes();
            let from = offset as usize;
            into.copy_from_slice(&value[from..from + into.len()]);
            Ok(())
        }
    }
}

fn write(run: &mut Inferior, address: u64, bytes: &[u8]) -> Result<(), ProcessError> {
    let Some((number, offset)) = state::register(address) else {
        return Ok(run.write(address, bytes)?);
    };
    let mut registers = run.registers();
    if let Some(register) = registers.at_dwarf_number(number) {
        let mut value = register.to_le_bytes();
        let from = offset as usize;
        value[from..from + bytes.len()].copy_from_slice(bytes);
        *register = u64::from_le_bytes(value);
    }
    run.set_registers(registers);
    Ok(())
}
