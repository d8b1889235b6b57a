//! Where the blocks lie that a program has allocated, by the marks that the allocator leaves between them.

use crate::memory::Memory;
use std::ops::Range;

/// Blocks of the GNU C library begin at multiples of this.
const ALIGNMENT: u64 = 16;

/// The lowest bits of a size say other things.
const FLAGS: u64 = 7;

/// A block has a mapping of its own.
const MAPPED: u64 = 2;

/// How large the stretches are whose first blocks are known: they hold a few blocks.
const STRETCH: u64 = 256;

/// The blocks of a heap, used and free.
#[derive(Clone, Debug)]
pub struct Heap {
    /// How many bytes an address has.
    pub word: u64,
    /// What may be used of each block, by address.
    blocks: Vec<Range<u64>>,
    /// Where the first block begins.
    start: u64,
    /// Of each stretch of a fixed size, from there on, the first block that does not end before it.
    firsts: Vec<u32>,
}

impl Default for Heap {
    fn default() -> Self {
        Self::of(Vec::new(), 8)
    }
}

impl Heap {
    /// Finds the blocks in a stretch of memory; ends where something else lies. Between two blocks lie the
    /// size of the previous one, and of this one, of a `word` each.
    pub fn read(memory: &impl Memory, stretch: Range<u64>, word: u64) -> Self {
        let (mut blocks, header) = (Vec::new(), 2 * word);
        // What may be used begins at a multiple, and the header lies before.
        let mut at = (stretch.start + header).next_multiple_of(ALIGNMENT) - header;
        while let Some(size) = size(memory, at, word) {
            let length = size & !FLAGS;
            let Some(next) = at.checked_add(length).filter(|next| *next <= stretch.end) else {
                break;
            };
            // What is left for blocks to come ends with the heap, wherever that is.
            if length < 4 * word || (!length.is_multiple_of(ALIGNMENT) && next != stretch.end) {
                break;
            }
            // The last word of a block is where the next one would note the size of a free one.
            blocks.push(at + header..next + word);
            at = next;
        }
        // What is left for blocks to come is none.
        blocks.pop();
        Self::of(blocks, word)
    }

    /// A heap with these blocks, which must be in order.
    pub(crate) fn of(blocks: Vec<Range<u64>>, word: u64) -> Self {
        let start = blocks.first().map_or(0, |block| block.start);
        let mut firsts = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let stretches = (block.end + 1 - start).div_ceil(STRETCH) as usize;
            firsts.resize(stretches.max(firsts.len()), index as u32);
        }
        Self { word, blocks, start, firsts }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The number of the block around an address, or that ends there: what is behind is the allocator's.
    pub fn index(&self, address: u64) -> Option<usize> {
        let stretch = usize::try_from(address.checked_sub(self.start)? / STRETCH).ok()?;
        let first = *self.firsts.get(stretch)? as usize;
        let before = self.blocks[first..].iter().position(|block| address <= block.end)?;
        (self.blocks[first + before].start <= address).then_some(first + before)
    }

    /// The numbers of all blocks that begin in a stretch.
    pub fn beginning_in(&self, stretch: Range<u64>) -> Range<usize> {
        if stretch.end <= self.start || self.blocks.is_empty() {
            return 0..0;
        }
        let before = |address: u64| self.blocks.partition_point(|block| block.start < address);
        before(stretch.start)..before(stretch.end)
    }

    /// How far it is to the next block.
    pub fn until_block(&self, address: u64) -> u64 {
        let next = self.blocks.partition_point(|block| block.start <= address);
        self.blocks.get(next).map_or(u64::MAX, |block| block.start - address)
    }

    /// A block by its number.
    pub fn block(&self, index: usize) -> Range<u64> {
        self.blocks[index].clone()
    }

    /// The block that begins at an address, if it has a mapping of its own. There is always room for a
    /// header of sixteen bytes before, whatever there is in it.
    pub fn mapped(&self, memory: &impl Memory, address: u64) -> Option<Range<u64>> {
        address.checked_sub(ALIGNMENT).filter(|start| start.is_multiple_of(4096))?;
        let header = address - 2 * self.word;
        let size = size(memory, header, self.word)?;
        let end = header.checked_add(size & !FLAGS)?;
        (size & FLAGS == MAPPED && end > address).then_some(address..end)
    }
}

fn size(memory: &impl Memory, block: u64, word: u64) -> Option<u64> {
    crate::values::pointer(memory.bytes(block.checked_add(word)?, word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_found_by_what_lies_in_them() {
        let sizes = [24, 24, 40, 1000, 24, 5000, 8, 24, 264, 24];
        let mut blocks = Vec::new();
        let mut at = 0x1010;
        for size in sizes {
            blocks.push(at..at + size);
            at += size + 8;
        }
        let heap = Heap::of(blocks.clone(), 8);
        for address in 0..at + 600 {
            let expected =
                blocks.iter().position(|block| (block.start..=block.end).contains(&address));
            assert_eq!(heap.index(address), expected, "{address:#x}");
        }
        assert_eq!(Heap::default().index(0), None);
    }
}
