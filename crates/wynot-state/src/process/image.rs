//! Copies of memory.

use super::breakpoints::Breakpoints;
use super::memory::Memory;
use super::{Areas, ProcessError};
use std::ops::Range;
use std::sync::OnceLock;

/// A copy of the memory of a process. What could be written to was copied at once; what cannot is read when
/// somebody looks at it, as long as the process is there.
#[derive(Debug)]
pub struct Image {
    parts: Vec<Part>,
    memory: Memory,
    breakpoints: Breakpoints,
}

/// Memory without holes, all of it writable or none.
#[derive(Debug)]
struct Part {
    range: Range<u64>,
    writable: bool,
    bytes: OnceLock<Option<Vec<u8>>>,
}

impl Image {
    pub(super) fn of(
        areas: &Areas,
        memory: &Memory,
        breakpoints: &Breakpoints,
        most: u64,
    ) -> Result<Self, ProcessError> {
        let parts = parts(areas);
        let size = parts.iter().filter(|part| part.writable).map(Part::size).sum();
        if size > most {
            return Err(ProcessError::TooLarge(size));
        }
        let image = Self { parts, memory: memory.try_clone()?, breakpoints: breakpoints.clone() };
        for part in image.parts.iter().filter(|part| part.writable) {
            image.contents(part);
        }
        Ok(image)
    }

    /// So many bytes at an address; `None` if they are not all there.
    pub fn bytes(&self, address: u64, length: usize) -> Option<&[u8]> {
        let index = self.parts.partition_point(|part| part.range.end <= address);
        let part = self.parts.get(index)?;
        let start = usize::try_from(address.checked_sub(part.range.start)?).ok()?;
        self.contents(part)?.get(start..start.checked_add(length)?)
    }

    /// The memory without holes that an address belongs to.
    pub fn stretch(&self, address: u64) -> Option<Range<u64>> {
        let index = self.parts.partition_point(|part| part.range.end <= address);
        self.parts
            .get(index)
            .map(|part| part.range.clone())
            .filter(|range| range.contains(&address))
    }

    /// What could be written to: where it begins, and all bytes up to the next hole.
    pub fn writable(&self) -> impl Iterator<Item = (u64, &[u8])> {
        let parts = self.parts.iter().filter(|part| part.writable);
        parts.filter_map(|part| Some((part.range.start, self.contents(part)?)))
    }

    /// Whether an address could be written to.
    pub fn is_writable(&self, address: u64) -> bool {
        let index = self.parts.partition_point(|part| part.range.end <= address);
        self.parts.get(index).is_some_and(|part| part.writable && part.range.contains(&address))
    }

    /// What is not readable after all, as some of what the system lends, is not there.
    fn contents<'a>(&'a self, part: &'a Part) -> Option<&'a [u8]> {
        let read = || {
            let mut bytes = vec![0; usize::try_from(part.size()).ok()?];
            self.memory.read(part.range.start, &mut bytes).ok()?;
            self.breakpoints.hide(part.range.start, &mut bytes);
            Some(bytes)
        };
        part.bytes.get_or_init(read).as_deref()
    }
}

impl Part {
    fn size(&self) -> u64 {
        self.range.end - self.range.start
    }
}

/// Areas that follow each other are one part: variables can lie across where one ends and the next begins.
fn parts(areas: &Areas) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::new();
    for area in areas.iter().filter(|area| area.readable) {
        match parts.last_mut() {
            Some(last) if last.range.end == area.range.start && last.writable == area.writable => {
                last.range.end = area.range.end;
            }
            _ => parts.push(Part {
                range: area.range.clone(),
                writable: area.writable,
                bytes: OnceLock::new(),
            }),
        }
    }
    parts
}
