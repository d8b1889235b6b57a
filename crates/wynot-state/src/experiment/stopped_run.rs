//! The passing run, stopped at a place, from which experiments start.

use super::experiment_error::ExperimentError;
use super::place_oracle::{ExperimentEnd, ExperimentOrigin};
use super::run_pair::RunPair;
use super::stop_point::{StopPoint, run_to};
use crate::compare::alteration::{Alteration, MemoryWrite, WriteAddress, WriteValue};
use crate::compare::descriptor_delta::DescriptorDelta;
use crate::compare::outside_delta::OutsideDelta;
use crate::decode::with_bits;
use crate::dwarf::Libraries;
use crate::graph::register_address::register_at;
use crate::process::{ForkObstacle, Inferior, ProcessError, RunEnd, SystemCall};

/// What an experiment changes in a run.
#[derive(Clone, Debug, Default)]
pub struct StateChanges<'c> {
    /// The changes of memory and registers.
    pub alteration: Alteration,
    /// The changes of open files, and of files that are opened later.
    pub outside: Vec<&'c OutsideDelta>,
}

/// The passing run, stopped at a place.
pub struct StoppedRun<'s> {
    runs: &'s RunPair<'s>,
    stop: StopPoint,
    /// The stopped run, which copies are made of.
    template: Inferior,
    /// Why the run cannot be copied, so that each experiment starts at the beginning of the program.
    pub obstacle: Option<ForkObstacle>,
    /// The address of `malloc`.
    malloc: Option<u64>,
    /// The address of `free`.
    free: Option<u64>,
}

impl<'s> StoppedRun<'s> {
    /// Starts the passing run and stops it; `None` if it does not come to the place.
    pub fn new(
        runs: &'s RunPair<'s>,
        stop: StopPoint,
        libraries: &mut Libraries,
    ) -> Result<Option<Self>, ProcessError> {
        let RunPair { program, passing, limits, .. } = runs;
        let Some(mut template) = run_to(program, passing, limits, stop)? else { return Ok(None) };
        let areas = template.memory_map()?;
        let bias = program.bias(template.entry()?);
        let mut function = |name: &'static str| {
            let own = program.symbol(name).map(|address| address + bias);
            own.or_else(|| libraries.symbol(&areas, name))
        };
        let (malloc, free) = (function("malloc"), function("free"));
        let obstacle = template.fork_obstacle()?;
        Ok(Some(Self { runs, stop, template, obstacle, malloc, free }))
    }

    /// The stopped run itself.
    pub fn template(&self) -> &Inferior {
        &self.template
    }

    /// Makes an experiment: a copy of the stopped run, or a new run, goes on with some changes.
    pub fn experiment(
        &mut self,
        changes: &StateChanges<'_>,
        origin: ExperimentOrigin,
    ) -> Result<ExperimentEnd, ExperimentError> {
        match self.run_altered(changes, origin) {
            Ok(Some(ending)) => Ok(ExperimentEnd::Ended(ending)),
            Ok(None)
            | Err(
                ProcessError::Call { .. }
                | ProcessError::TimedOut
                | ProcessError::Ended
                | ProcessError::Becomes { .. },
            ) => Ok(ExperimentEnd::Aborted),
            Err(error) => Err(error.into()),
        }
    }

    /// How a run with some changes ends; `None` if it does not come to the place.
    fn run_altered(
        &mut self,
        changes: &StateChanges<'_>,
        origin: ExperimentOrigin,
    ) -> Result<Option<RunEnd>, ProcessError> {
        let run = match (origin, &self.obstacle) {
            (ExperimentOrigin::Copy, None) => Some(self.template.fork()?),
            _ => {
                let RunPair { program, passing, limits, .. } = self.runs;
                run_to(program, passing, limits, self.stop)?
            }
        };
        let Some(mut run) = run else { return Ok(None) };
        self.alter(&mut run, &changes.alteration)?;
        for delta in &changes.outside {
            let DescriptorDelta { number, failing, .. } = match delta {
                OutsideDelta::Descriptor(delta) => delta,
                OutsideDelta::File(_, file) => {
                    run.substitute_file(file.clone());
                    continue;
                }
            };
            match run.set_file(*number, failing.as_ref()) {
                // The file is gone, or only the failing run has made it.
                Err(ProcessError::Control(_)) => return Ok(None),
                result => result?,
            }
        }
        let end = run.finish(self.runs.experiment_timeout)?;
        if let Some(path) = run.private_file_written().filter(|_| origin == ExperimentOrigin::Copy)
        {
            // Later copies would find what this one has written.
            let written = ForkObstacle::WrittenFile(path.display().to_string());
            self.obstacle.get_or_insert(written);
        }
        Ok(Some(end))
    }

    fn alter(&self, run: &mut Inferior, alteration: &Alteration) -> Result<(), ProcessError> {
        let mut blocks = Vec::new();
        for block in &alteration.blocks {
            blocks.push(self.allocate(run, block.size)?);
        }
        let resolve = |address: WriteAddress| match address {
            WriteAddress::Fixed { address, .. } => address,
            WriteAddress::NewBlock { number, offset } => blocks[number] + offset,
        };
        for MemoryWrite { at, value } in &alteration.writes {
            let at = resolve(*at);
            let bytes = match value {
                WriteValue::Bytes(bytes) => bytes.clone(),
                WriteValue::Address(to, size) => {
                    resolve(*to).to_le_bytes()[..*size as usize].to_vec()
                }
                WriteValue::Bits(bits, new) => {
                    let mut old = vec![0; new.len()];
                    read(run, at, &mut old)?;
                    with_bits(&old, *bits, new)
                }
            };
            write(run, at, &bytes)?;
        }
        if let Some(free) = self.free {
            for block in &alteration.freed {
                run.call(free, &[resolve(*block)])?;
            }
        }
        Ok(())
    }

    /// Allocates memory in a run, if possible with the program's own allocator, so that it can be freed.
    fn allocate(&self, run: &mut Inferior, size: u64) -> Result<u64, ProcessError> {
        if let Some(malloc) = self.malloc {
            let address = run.call(malloc, &[size])?;
            if address != 0 {
                return Ok(address);
            }
        }
        let protection = (libc::PROT_READ | libc::PROT_WRITE) as u64;
        let flags = (libc::MAP_PRIVATE | libc::MAP_ANONYMOUS) as u64;
        let no_file = u64::MAX;
        let result = run.system_call(SystemCall::Map, [0, size, protection, flags, no_file, 0])?;
        Ok(result as u64)
    }
}

/// Reads memory, or a register if the address stands for one.
fn read(run: &Inferior, address: u64, into: &mut [u8]) -> Result<(), ProcessError> {
    match register_at(address) {
        None => Ok(run.read(address, into)?),
        Some((number, offset)) => {
            let value = run.registers().by_dwarf_number()[number].to_le_bytes();
            let from = offset as usize;
            into.copy_from_slice(&value[from..from + into.len()]);
            Ok(())
        }
    }
}

/// Writes memory, or a register if the address stands for one.
fn write(run: &mut Inferior, address: u64, bytes: &[u8]) -> Result<(), ProcessError> {
    let Some((number, offset)) = register_at(address) else {
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
