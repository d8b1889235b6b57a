//! Copies of the memory of a stopped program.

use super::error::ProcessError;
use super::tracing::breakpoints::Breakpoints;
use std::ops::Range;
use std::sync::OnceLock;
use wynot_process::{MemoryMap, ProcessMemory, ReadMemory};

/// A copy of the memory of a process. Writable memory was copied at once; the rest is read when it is first
/// needed, as long as the process exists.
#[derive(Debug)]
pub struct MemorySnapshot {
    /// Sorted by address.
    stretches: Vec<Stretch>,
    memory: ProcessMemory,
    breakpoints: Breakpoints,
}

/// Consecutive readable memory, all of it writable or none.
#[derive(Debug)]
struct Stretch {
    range: Range<u64>,
    writable: bool,
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl MemorySnapshot {
    pub(super) fn new(
        map: &MemoryMap,
        memory: &ProcessMemory,
        breakpoints: &Breakpoints,
        max_bytes: u64,
    ) -> Result<Self, ProcessError> {
        let stretches = stretches(map);
        let writable = stretches.iter().filter(|stretch| stretch.writable);
        let size = writable.map(Stretch::size).sum();
        if size > max_bytes {
            return Err(ProcessError::TooLarge(size));
        }
        let (memory, breakpoints) = (memory.try_clone()?, breakpoints.clone());
        let copy = Self { stretches, memory, breakpoints };
        for stretch in copy.stretches.iter().filter(|stretch| stretch.writable) {
            copy.contents(stretch);
        }
        Ok(copy)
    }

    /// The bytes at an address; `None` if not all of them exist.
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        let stretch = self.stretch_at(address)?;
        let start = usize::try_from(address.checked_sub(stretch.range.start)?).ok()?;
        self.contents(stretch)?.get(start..start.checked_add(length)?)
    }

    /// The addresses of the consecutive memory that contains an address.
    pub fn stretch(&self, address: u64) -> Option<Range<u64>> {
        let range = self.stretch_at(address)?.range.clone();
        range.contains(&address).then_some(range)
    }

    /// All writable memory: the address at which each stretch begins, and its bytes.
    pub fn writable(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let stretches = self.stretches.iter().filter(|stretch| stretch.writable);
        stretches.filter_map(|stretch| Some((stretch.range.start, self.contents(stretch)?)))
    }

    /// Whether the program could write to an address.
    pub fn is_writable(&self, address: u64) -> bool {
        let stretch = self.stretch_at(address);
        stretch.is_some_and(|stretch| stretch.writable && stretch.range.contains(&address))
    }

    /// The first stretch that ends after an address.
    fn stretch_at(&self, address: u64) -> Option<&Stretch> {
        self.stretches.get(self.stretches.partition_point(|it| it.range.end <= address))
    }

    /// The bytes of a stretch; `None` if they cannot be read, as some memory that belongs to the system.
    fn contents<'a>(&'a self, stretch: &'a Stretch) -> Option<&'a [u8]> {
        let read = || {
            let mut bytes = vec![0; usize::try_from(stretch.size()).ok()?];
            self.memory.read(stretch.range.start, &mut bytes).ok()?;
            self.breakpoints.hide(stretch.range.start, &mut bytes);
            Some(bytes)
        };
        stretch.bytes.get_or_init(read).as_deref()
    }
}

impl ReadMemory for MemorySnapshot {
    fn read_memory(&self, address: u64, into: &mut [u8]) -> bool {
        match self.bytes(address, into.len()) {
            Some(bytes) => {
                into.copy_from_slice(bytes);
                true
            }
            None => false,
        }
    }
}

impl Stretch {
    fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// Joins adjacent regions, because a variable can lie across their border.
fn stretches(map: &MemoryMap) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for region in map.regions().filter(|region| region.readable) {
        match stretches.last_mut() {
            Some(last)
                if last.range.end == region.range.start && last.writable == region.writable =>
            {
                last.range.end = region.range.end;
            }
            _ => stretches.push(Stretch {
                range: region.range.clone(),
                writable: region.writable,
                bytes: OnceLock::new(),
            }),
        }
    }
    stretches
}
