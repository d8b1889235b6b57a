//! Places in code where a process stops.

use super::ProcessError;
use super::emulation::{LONGEST, Simple};
use super::memory::Memory;
use crate::Machine;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The instruction that stops.
const TRAP: u8 = 0xcc;

/// How much of the code is written at once.
const PAGE: u64 = 4 << 10;

/// Breakpoints that are in the memory of a process, with what they hide. Copies are cheap.
#[derive(Clone, Debug)]
pub(super) struct Breakpoints {
    machine: Machine,
    all: Arc<BTreeMap<u64, Hidden>>,
}

/// What a breakpoint hides.
#[derive(Clone, Copy, Debug)]
struct Hidden {
    byte: u8,
    /// The instruction, if it is simple.
    instruction: Option<Simple>,
}

impl Breakpoints {
    pub(super) fn none(machine: Machine) -> Self {
        Self { machine, all: Arc::default() }
    }

    pub(super) fn contains(&self, address: u64) -> bool {
        self.all.contains_key(&address)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn addresses(&self) -> Vec<u64> {
        self.all.keys().copied().collect()
    }

    /// Whether these are exactly the addresses.
    pub(super) fn are(&self, addresses: &[u64]) -> bool {
        let mut wanted = addresses.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        self.all.len() == wanted.len() && self.all.keys().eq(&wanted)
    }

    /// Puts breakpoints into memory, a page of code at a time.
    pub(super) fn insert(
        &mut self,
        memory: &Memory,
        addresses: &[u64],
    ) -> Result<(), ProcessError> {
        let mut new: Vec<u64> =
            addresses.iter().copied().filter(|at| !self.contains(*at)).collect();
        new.sort_unstable();
        new.dedup();
        for there in new.chunk_by(|a, b| a / PAGE == b / PAGE) {
            self.insert_near(memory, there)?;
        }
        Ok(())
    }

    /// Puts breakpoints that are near each other into memory.
    fn insert_near(&mut self, memory: &Memory, addresses: &[u64]) -> Result<(), ProcessError> {
        let (Some(start), Some(last)) = (addresses.first(), addresses.last()) else {
            return Ok(());
        };
        let length = (last - start + 1) as usize;
        // A bit more, to see whole instructions; there may be less.
        let mut bytes = vec![0; length + LONGEST];
        if memory.read(*start, &mut bytes).is_err() {
            bytes.truncate(length);
            memory.read(*start, &mut bytes).map_err(|_| ProcessError::NoCode(*start))?;
        }
        // Those that are there already must not be taken for the program's.
        self.hide(*start, &mut bytes);
        let machine = self.machine;
        let known = Arc::make_mut(&mut self.all);
        for address in addresses {
            let code = &bytes[(address - start) as usize..];
            known.insert(
                *address,
                Hidden { byte: code[0], instruction: Simple::read(machine, code) },
            );
        }
        bytes.truncate(length);
        for (address, _) in known.range(start..=last) {
            bytes[(address - start) as usize] = TRAP;
        }
        Ok(memory.write(*start, &bytes)?)
    }

    /// The instruction that a breakpoint hides, if it is simple.
    pub(super) fn instruction(&self, address: u64) -> Option<Simple> {
        self.all.get(&address)?.instruction
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, memory: &Memory, address: u64) -> io::Result<()> {
        match Arc::make_mut(&mut self.all).remove(&address) {
            Some(hidden) => memory.write(address, &[hidden.byte]),
            None => Ok(()),
        }
    }

    /// Takes all out of memory, and remembers none.
    pub(super) fn clear(&mut self, memory: &Memory) -> io::Result<()> {
        let all = std::mem::replace(self, Self::none(self.machine));
        for there in all.addresses().chunk_by(|a, b| a / PAGE == b / PAGE) {
            let start = there[0];
            let length = there[there.len() - 1] - start + 1;
            let mut bytes = vec![0; length as usize];
            memory.read(start, &mut bytes)?;
            all.hide(start, &mut bytes);
            memory.write(start, &bytes)?;
        }
        Ok(())
    }

    /// Puts back what breakpoints hide into a copy of memory.
    pub(super) fn hide(&self, start: u64, bytes: &mut [u8]) {
        for (address, hidden) in self.all.range(start..start.saturating_add(bytes.len() as u64)) {
            bytes[(address - start) as usize] = hidden.byte;
        }
    }

    /// What has to be written to memory so that it says these bytes where breakpoints hide them; those are
    /// remembered.
    pub(super) fn replace(&mut self, start: u64, bytes: &[u8]) -> Vec<u8> {
        let mut visible = bytes.to_vec();
        // Instructions that begin before can change, too.
        let before = start.saturating_sub(LONGEST as u64);
        let range = before..start.saturating_add(bytes.len() as u64);
        if self.all.range(range.clone()).next().is_some() {
            for (address, hidden) in Arc::make_mut(&mut self.all).range_mut(range) {
                hidden.instruction = None;
                if let Some(at) = address.checked_sub(start) {
                    hidden.byte = std::mem::replace(&mut visible[at as usize], TRAP);
                }
            }
        }
        visible
    }

    /// Takes one out of memory for a moment.
    pub(super) fn uncover(&self, memory: &Memory, address: u64) -> io::Result<()> {
        self.all.get(&address).map_or(Ok(()), |hidden| memory.write(address, &[hidden.byte]))
    }

    /// Puts it back.
    pub(super) fn cover(&self, memory: &Memory, address: u64) -> io::Result<()> {
        memory.write(address, &[TRAP])
    }
}
