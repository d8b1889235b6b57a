//! The blocks that a program has allocated, found by the headers of the GNU C library's allocator.

use super::memory_copy::MemoryCopy;
use crate::decode::pointer;
use std::ops::Range;

/// The multiple of bytes at which the usable part of a block starts.
const BLOCK_ALIGNMENT: u64 = 16;

/// The lowest bits of a size, which are flags.
const SIZE_FLAGS: u64 = 7;

/// The flag of a block that has a mapping of its own.
const OWN_MAPPING_FLAG: u64 = 2;

/// The size in bytes of a page, at which a mapping starts.
const PAGE_BYTES: u64 = 4096;

/// The size in bytes of the slices whose first blocks are stored; a slice has only a few blocks.
const SLICE_BYTES: u64 = 256;

/// The blocks of a heap, used and free.
#[derive(Clone, Debug)]
pub struct Heap {
    /// The size of an address in bytes.
    pub word: u64,
    /// The usable part of each block, by address.
    blocks: Vec<Range<u64>>,
    /// The address at which the first block starts.
    start: u64,
    /// For each slice from there on, the first block that does not end before it.
    firsts: Vec<u32>,
}

impl Default for Heap {
    fn default() -> Self {
        Self::of(Vec::new(), 8)
    }
}

impl Heap {
    /// Finds the blocks in a range of memory, up to the first bytes that are no valid header. A header has two
    /// words: the size of the previous block and that of this one.
    pub fn read(memory: &impl MemoryCopy, heap: Range<u64>, word: u64) -> Self {
        let (mut blocks, header) = (Vec::new(), 2 * word);
        // The usable part is aligned, and the header comes before it.
        let mut at = (heap.start + header).next_multiple_of(BLOCK_ALIGNMENT) - header;
        while let Some(size) = size(memory, at, word) {
            let length = size & !SIZE_FLAGS;
            let Some(next) = at.checked_add(length).filter(|next| *next <= heap.end) else {
                break;
            };
            // The unused rest ends with the heap, aligned or not.
            if length < 4 * word || (!length.is_multiple_of(BLOCK_ALIGNMENT) && next != heap.end) {
                break;
            }
            // A used block extends over the first word of the next header, which is for free blocks only.
            blocks.push(at + header..next + word);
            at = next;
        }
        // The last one is the unused rest.
        blocks.pop();
        Self::of(blocks, word)
    }

    /// A heap with these blocks, which must be sorted by address.
    pub(crate) fn of(blocks: Vec<Range<u64>>, word: u64) -> Self {
        let start = blocks.first().map_or(0, |block| block.start);
        let mut firsts = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let slices = (block.end + 1 - start).div_ceil(SLICE_BYTES) as usize;
            firsts.resize(slices.max(firsts.len()), index as u32);
        }
        Self { word, blocks, start, firsts }
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// The number of the block around an address. The end of a block belongs to it, since the allocator's
    /// header follows.
    pub fn index(&self, address: u64) -> Option<usize> {
        let slice = usize::try_from(address.checked_sub(self.start)? / SLICE_BYTES).ok()?;
        let first = *self.firsts.get(slice)? as usize;
        let before = self.blocks[first..].iter().position(|block| address <= block.end)?;
        (self.blocks[first + before].start <= address).then_some(first + before)
    }

    /// The numbers of the blocks that start in a range of addresses.
    pub fn beginning_in(&self, addresses: Range<u64>) -> Range<usize> {
        if addresses.end <= self.start || self.blocks.is_empty() {
            return 0..0;
        }
        let before = |address: u64| self.blocks.partition_point(|block| block.start < address);
        before(addresses.start)..before(addresses.end)
    }

    /// The number of bytes from an address to the next block.
    pub fn until_block(&self, address: u64) -> u64 {
        let next = self.blocks.partition_point(|block| block.start <= address);
        self.blocks.get(next).map_or(u64::MAX, |block| block.start - address)
    }

    /// The usable part of a block, by the block's number.
    pub fn block(&self, index: usize) -> Range<u64> {
        self.blocks[index].clone()
    }

    /// The block that starts at an address, if it has a mapping of its own. Sixteen bytes come before such a
    /// block, however large its header is.
    pub fn block_with_own_mapping(
        &self,
        memory: &impl MemoryCopy,
        address: u64,
    ) -> Option<Range<u64>> {
        address
            .checked_sub(BLOCK_ALIGNMENT)
            .filter(|mapping| mapping.is_multiple_of(PAGE_BYTES))?;
        let header = address - 2 * self.word;
        let size = size(memory, header, self.word)?;
        let end = header.checked_add(size & !SIZE_FLAGS)?;
        (size & SIZE_FLAGS == OWN_MAPPING_FLAG && end > address).then_some(address..end)
    }
}

/// The size of a block with its flags, from the header at an address.
fn size(memory: &impl MemoryCopy, header: u64, word: u64) -> Option<u64> {
    pointer(memory.bytes(header.checked_add(word)?, word)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_is_found_by_any_address_in_it() {
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
