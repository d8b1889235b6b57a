//! Breakpoints in the code of a process.

use super::simple_instruction::{MAX_INSTRUCTION_BYTES, SimpleInstruction};
use crate::process::error::ProcessError;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use wynot_process::{Machine, ProcessMemory};

/// The instruction (`int3`) that raises a trap.
const TRAP: u8 = 0xcc;

/// The size of a page. Breakpoints in one page are written together.
const PAGE_BYTES: u64 = 4 << 10;

/// The breakpoints in the memory of a process, with the code that they hide. Copies are cheap.
#[derive(Clone, Debug)]
pub(crate) struct Breakpoints {
    machine: Machine,
    by_address: Arc<BTreeMap<u64, HiddenCode>>,
}

/// The code that a breakpoint hides.
#[derive(Clone, Copy, Debug)]
struct HiddenCode {
    byte: u8,
    /// The whole instruction, if it is simple.
    instruction: Option<SimpleInstruction>,
}

impl Breakpoints {
    pub(crate) fn none(machine: Machine) -> Self {
        Self { machine, by_address: Arc::default() }
    }

    pub(crate) fn contains(&self, address: u64) -> bool {
        self.by_address.contains_key(&address)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_address.is_empty()
    }

    pub(crate) fn addresses(&self) -> Vec<u64> {
        self.by_address.keys().copied().collect()
    }

    /// Whether the breakpoints are at exactly these addresses.
    pub(crate) fn are_at(&self, addresses: &[u64]) -> bool {
        let mut wanted = addresses.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        self.by_address.len() == wanted.len() && self.by_address.keys().eq(&wanted)
    }

    /// Adds breakpoints, a page of code at a time.
    pub(crate) fn insert(
        &mut self,
        memory: &ProcessMemory,
        addresses: &[u64],
    ) -> Result<(), ProcessError> {
        let mut new: Vec<u64> =
            addresses.iter().copied().filter(|at| !self.contains(*at)).collect();
        new.sort_unstable();
        new.dedup();
        for in_page in new.chunk_by(|a, b| a / PAGE_BYTES == b / PAGE_BYTES) {
            self.insert_in_page(memory, in_page)?;
        }
        Ok(())
    }

    fn insert_in_page(
        &mut self,
        memory: &ProcessMemory,
        addresses: &[u64],
    ) -> Result<(), ProcessError> {
        let (Some(start), Some(last)) = (addresses.first(), addresses.last()) else {
            return Ok(());
        };
        let length = (last - start + 1) as usize;
        // The bytes after the last address complete its instruction, if they can be read.
        let mut bytes = vec![0; length + MAX_INSTRUCTION_BYTES];
        if memory.read(*start, &mut bytes).is_err() {
            bytes.truncate(length);
            memory.read(*start, &mut bytes).map_err(|_| ProcessError::NoCode(*start))?;
        }
        // Breakpoints that are there already must not be taken for code of the program.
        self.hide(*start, &mut bytes);
        let machine = self.machine;
        let by_address = Arc::make_mut(&mut self.by_address);
        for address in addresses {
            let code = &bytes[(address - start) as usize..];
            let instruction = SimpleInstruction::decode(machine, code);
            by_address.insert(*address, HiddenCode { byte: code[0], instruction });
        }
        bytes.truncate(length);
        for (address, _) in by_address.range(start..=last) {
            bytes[(address - start) as usize] = TRAP;
        }
        Ok(memory.write(*start, &bytes)?)
    }

    /// The instruction that a breakpoint hides, if it is simple.
    pub(crate) fn simple_instruction(&self, address: u64) -> Option<SimpleInstruction> {
        self.by_address.get(&address)?.instruction
    }

    /// Removes the breakpoint at an address, if there is one.
    pub(crate) fn remove(&mut self, memory: &ProcessMemory, address: u64) -> io::Result<()> {
        match Arc::make_mut(&mut self.by_address).remove(&address) {
            Some(hidden) => memory.write(address, &[hidden.byte]),
            None => Ok(()),
        }
    }

    /// Removes all breakpoints.
    pub(crate) fn clear(&mut self, memory: &ProcessMemory) -> io::Result<()> {
        let all = std::mem::replace(self, Self::none(self.machine));
        for in_page in all.addresses().chunk_by(|a, b| a / PAGE_BYTES == b / PAGE_BYTES) {
            let start = in_page[0];
            let length = in_page[in_page.len() - 1] - start + 1;
            let mut bytes = vec![0; length as usize];
            memory.read(start, &mut bytes)?;
            all.hide(start, &mut bytes);
            memory.write(start, &bytes)?;
        }
        Ok(())
    }

    /// Replaces the breakpoints in bytes that were read from an address by the code that they hide.
    pub(crate) fn hide(&self, start: u64, bytes: &mut [u8]) {
        let range = start..start.saturating_add(bytes.len() as u64);
        for (address, hidden) in self.by_address.range(range) {
            bytes[(address - start) as usize] = hidden.byte;
        }
    }

    /// The bytes to write to memory if the program is to contain these bytes: where there are breakpoints they
    /// stay, and hide the new bytes.
    pub(crate) fn replace_hidden(&mut self, start: u64, bytes: &[u8]) -> Vec<u8> {
        let mut visible = bytes.to_vec();
        // Instructions that begin before these bytes can change, too.
        let before = start.saturating_sub(MAX_INSTRUCTION_BYTES as u64);
        let range = before..start.saturating_add(bytes.len() as u64);
        if self.by_address.range(range.clone()).next().is_some() {
            for (address, hidden) in Arc::make_mut(&mut self.by_address).range_mut(range) {
                hidden.instruction = None;
                if let Some(at) = address.checked_sub(start) {
                    hidden.byte = std::mem::replace(&mut visible[at as usize], TRAP);
                }
            }
        }
        visible
    }

    /// Takes a breakpoint out of memory temporarily.
    pub(crate) fn disable(&self, memory: &ProcessMemory, address: u64) -> io::Result<()> {
        let hidden = self.by_address.get(&address);
        hidden.map_or(Ok(()), |hidden| memory.write(address, &[hidden.byte]))
    }

    /// Puts a breakpoint that was disabled back into memory.
    pub(crate) fn enable(&self, memory: &ProcessMemory, address: u64) -> io::Result<()> {
        memory.write(address, &[TRAP])
    }
}
