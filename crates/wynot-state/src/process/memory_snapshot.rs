//! Copies of the memory of a stopped program.

use super::error::ProcessError;
use super::mutex_owners::replace_owners;
use super::tracing::breakpoints::Breakpoints;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;
use wynot_process::{Machine, MemoryMap, ProcessMemory, ReadMemory};

/// The size from which on memory is copied as far as the program has used it.
const LARGE_STRETCH: u64 = 16 << 20;

/// The size up to which the use of reserved memory is looked up.
const MAX_RESERVED: u64 = 64 << 30;

/// The size of a page.
const PAGE: usize = 4 << 10;

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
    /// Whether none of it comes from a file, so that what was never used has no contents.
    anonymous: bool,
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl MemorySnapshot {
    /// Copies the writable memory of a process. `touched` says which parts of it the process has used, if that is known.
    pub(super) fn new(
        map: &MemoryMap,
        memory: &ProcessMemory,
        breakpoints: &Breakpoints,
        max_bytes: u64,
        touched: impl Fn(&Range<u64>) -> Option<Vec<Range<u64>>>,
    ) -> Result<Self, ProcessError> {
        let stretches = split_by_use(stretches(map), touched);
        let writable = stretches.iter().filter(|stretch| stretch.is_copied());
        let size = writable.map(Stretch::size).sum();
        if size > max_bytes {
            return Err(ProcessError::TooLarge(size));
        }
        let (memory, breakpoints) = (memory.try_clone()?, breakpoints.clone());
        let copy = Self { stretches, memory, breakpoints };
        for stretch in copy.stretches.iter().filter(|stretch| stretch.is_copied()) {
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

    /// The addresses of the consecutive memory that contains an address, as far as it can be read.
    pub fn stretch(&self, address: u64) -> Option<Range<u64>> {
        let stretch = self.stretch_at(address)?;
        let Range { start, end } = stretch.range;
        let length = self.contents(stretch).map_or(end - start, |bytes| bytes.len() as u64);
        let range = start..start + length;
        range.contains(&address).then_some(range)
    }

    /// All writable memory: the address at which each stretch begins, and its bytes.
    pub fn writable(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let stretches = self.stretches.iter().filter(|stretch| stretch.writable);
        stretches.filter_map(|stretch| Some((stretch.range.start, self.contents(stretch)?)))
    }

    /// Replaces the numbers of threads that own mutexes: each in `own` by the one at the same place in `others`.
    pub(crate) fn replace_owners(&mut self, machine: Machine, own: &[i32], others: &[i32]) {
        let by_own: HashMap<i32, i32> = own.iter().copied().zip(others.iter().copied()).collect();
        let writable = self.stretches.iter_mut().filter(|stretch| stretch.writable);
        for bytes in writable.filter_map(|stretch| stretch.bytes.get_mut()?.as_mut()) {
            replace_owners(machine, bytes, &by_own);
        }
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

    /// The bytes of a stretch, as far as they can be read: not some memory that belongs to the system, nor what is mapped after
    /// the end of a file.
    fn contents<'a>(&'a self, stretch: &'a Stretch) -> Option<&'a [u8]> {
        let read = || {
            let mut bytes = vec![0; usize::try_from(stretch.size()).ok()?];
            let start = stretch.range.start;
            if self.memory.read(start, &mut bytes).is_err() {
                let mut pages = (start..).step_by(PAGE).zip(bytes.chunks_mut(PAGE));
                let is_readable = |(at, page): (u64, &mut [u8])| self.memory.read(at, page).is_ok();
                let unreadable = pages.position(|page| !is_readable(page));
                let length = unreadable.unwrap_or(0) * PAGE;
                bytes.truncate(length);
            }
            self.breakpoints.hide(start, &mut bytes);
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
    /// Addresses that are writable but were never used. There is nothing to be read.
    fn untouched(range: Range<u64>) -> Self {
        Self { range, writable: true, anonymous: true, bytes: OnceLock::from(None) }
    }

    /// Whether the bytes are copied at once.
    fn is_copied(&self) -> bool {
        self.writable && self.bytes.get().is_none()
    }

    fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// Joins adjacent regions, because a variable can lie across their border. Memory that is only read is joined if it comes from
/// one file: what the system puts beside a file, such as `[vvar]`, may not be readable at all.
fn stretches(map: &MemoryMap) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    let mut last_path = "";
    for region in map.regions().filter(|region| region.readable) {
        let is_one_file = region.inode != 0 && region.path == last_path;
        last_path = &region.path;
        match stretches.last_mut() {
            Some(last)
                if last.range.end == region.range.start
                    && last.writable == region.writable
                    && (region.writable || is_one_file) =>
            {
                last.range.end = region.range.end;
                last.anonymous &= region.inode == 0;
            }
            _ => stretches.push(Stretch {
                range: region.range.clone(),
                writable: region.writable,
                anonymous: region.inode == 0,
                bytes: OnceLock::new(),
            }),
        }
    }
    stretches
}

/// Splits large writable stretches into parts that the program has used and parts that it has not.
fn split_by_use(
    stretches: Vec<Stretch>,
    touched: impl Fn(&Range<u64>) -> Option<Vec<Range<u64>>>,
) -> Vec<Stretch> {
    let mut split = Vec::new();
    for stretch in stretches {
        let is_large = stretch.writable
            && stretch.anonymous
            && (LARGE_STRETCH..MAX_RESERVED).contains(&stretch.size());
        let Some(parts) = is_large.then(|| touched(&stretch.range)).flatten() else {
            split.push(stretch);
            continue;
        };
        let Range { start: mut at, end } = stretch.range;
        for part in parts {
            if at < part.start {
                split.push(Stretch::untouched(at..part.start));
            }
            at = part.end.min(end);
            let (range, bytes) = (part.start..at, OnceLock::new());
            split.push(Stretch { range, writable: true, anonymous: true, bytes });
        }
        if at < end {
            split.push(Stretch::untouched(at..end));
        }
    }
    split
}
