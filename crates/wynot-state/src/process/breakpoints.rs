//! Places in code where a process stops.

use super::ProcessError;
use super::memory::Memory;
use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

/// The instruction that stops.
const TRAP: u8 = 0xcc;

/// How much of the code is written at once.
const PAGE: u64 = 4 << 10;

/// Breakpoints that are in the memory of a process, with the bytes that they hide. Copies are cheap.
#[derive(Clone, Debug, Default)]
pub(super) struct Breakpoints(Arc<BTreeMap<u64, u8>>);

impl Breakpoints {
    pub(super) fn contains(&self, address: u64) -> bool {
        self.0.contains_key(&address)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn addresses(&self) -> Vec<u64> {
        self.0.keys().copied().collect()
    }

    /// Whether these are exactly the addresses.
    pub(super) fn are(&self, addresses: &[u64]) -> bool {
        let mut wanted = addresses.to_vec();
        wanted.sort_unstable();
        wanted.dedup();
        self.0.len() == wanted.len() && self.0.keys().eq(&wanted)
    }

    /// Puts breakpoints into memory, a page of code at a time.
    pub(super) fn insert(
        &mut self,
        memory: &Memory,
        addresses: &[u64],
    ) -> Result<(), ProcessError> {
        let mut sorted = addresses.to_vec();
        sorted.sort_unstable();
        let known = Arc::make_mut(&mut self.0);
        for there in sorted.chunk_by(|a, b| a / PAGE == b / PAGE) {
            let start = there[0];
            let length = there[there.len() - 1] - start + 1;
            let mut bytes = vec![0; length as usize];
            let missing = |_| ProcessError::NoCode(start);
            memory.read(start, &mut bytes).map_err(missing)?;
            for address in there {
                let byte = &mut bytes[(address - start) as usize];
                if *byte != TRAP || !known.contains_key(address) {
                    known.insert(*address, *byte);
                    *byte = TRAP;
                }
            }
            memory.write(start, &bytes)?;
        }
        Ok(())
    }

    /// Takes one out.
    pub(super) fn remove(&mut self, memory: &Memory, address: u64) -> io::Result<()> {
        match Arc::make_mut(&mut self.0).remove(&address) {
            Some(byte) => memory.write(address, &[byte]),
            None => Ok(()),
        }
    }

    /// Takes all out of memory, and remembers none.
    pub(super) fn clear(&mut self, memory: &Memory) -> io::Result<()> {
        let all = std::mem::take(self);
        let sorted: Vec<(u64, u8)> =
            all.0.iter().map(|(address, byte)| (*address, *byte)).collect();
        for there in sorted.chunk_by(|a, b| a.0 / PAGE == b.0 / PAGE) {
            let start = there[0].0;
            let length = there[there.len() - 1].0 - start + 1;
            let mut bytes = vec![0; length as usize];
            memory.read(start, &mut bytes)?;
            all.hide(start, &mut bytes);
            memory.write(start, &bytes)?;
        }
        Ok(())
    }

    /// Puts back what breakpoints hide into a copy of memory.
    pub(super) fn hide(&self, start: u64, bytes: &mut [u8]) {
        for (address, byte) in self.0.range(start..start.saturating_add(bytes.len() as u64)) {
            bytes[(address - start) as usize] = *byte;
        }
    }

    /// What has to be written to memory so that it says these bytes where breakpoints hide them; those are
    /// remembered.
    pub(super) fn replace(&mut self, start: u64, bytes: &[u8]) -> Vec<u8> {
        let mut visible = bytes.to_vec();
        let range = start..start.saturating_add(bytes.len() as u64);
        if self.0.range(range.clone()).next().is_some() {
            for (address, hidden) in Arc::make_mut(&mut self.0).range_mut(range) {
                let byte = &mut visible[(address - start) as usize];
                *hidden = std::mem::replace(byte, TRAP);
            }
        }
        visible
    }

    /// Takes one out of memory for a moment.
    pub(super) fn uncover(&self, memory: &Memory, address: u64) -> io::Result<()> {
        self.0.get(&address).map_or(Ok(()), |byte| memory.write(address, &[*byte]))
    }

    /// Puts it back.
    pub(super) fn cover(&self, memory: &Memory, address: u64) -> io::Result<()> {
        memory.write(address, &[TRAP])
    }
}
