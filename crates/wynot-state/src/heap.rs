//! Where the blocks lie that a program has allocated, by the marks that the allocator leaves between them.

use crate::memory::Memory;
use std::ops::Range;

/// What lies between two blocks of the GNU C library: the size of the previous one, and of this one.
const HEADER: u64 = 16;

/// The smallest distance between two blocks.
const SMALLEST: u64 = 32;

/// The lowest bits of a size say other things.
const FLAGS: u64 = 7;

/// A block has a mapping of its own.
const MAPPED: u64 = 2;

/// The blocks of a heap, used and free.
#[derive(Clone, Debug, Default)]
pub struct Heap {
    /// What may be used of each block, by address.
    blocks: Vec<Range<u64>>,
}

impl Heap {
    /// Finds the blocks in a stretch of memory; ends where something else lies.
    pub fn read(memory: &impl Memory, stretch: Range<u64>) -> Self {
        let mut blocks = Vec::new();
        let mut at = stretch.start.next_multiple_of(HEADER);
        while let Some(size) = size(memory, at) {
            let length = size & !FLAGS;
            let Some(next) = at.checked_add(length).filter(|next| *next <= stretch.end) else {
                break;
            };
            if length < SMALLEST || !length.is_multiple_of(HEADER) {
                break;
            }
            // The last word of a block is where the next one would note the size of a free one.
            blocks.push(at + HEADER..next + 8);
            at = next;
        }
        // What is left for blocks to come is none.
        blocks.pop();
        Self { blocks }
    }

    /// The block around an address.
    pub fn block(&self, address: u64) -> Option<Range<u64>> {
        let index = self.blocks.partition_point(|block| block.end <= address);
        self.blocks.get(index).filter(|block| block.contains(&address)).cloned()
    }
}

/// The block that begins at an address, if it has a mapping of its own.
pub fn mapped(memory: &impl Memory, address: u64) -> Option<Range<u64>> {
    let page = address.checked_sub(HEADER).filter(|start| start.is_multiple_of(4096))?;
    let size = size(memory, page)?;
    let end = page.checked_add(size & !FLAGS)?;
    (size & FLAGS == MAPPED && end > address).then_some(address..end)
}

fn size(memory: &impl Memory, block: u64) -> Option<u64> {
    let bytes = memory.bytes(block.checked_add(8)?, 8)?;
    crate::values::pointer(bytes)
}
