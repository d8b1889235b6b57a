//! Where the blocks lie that a program has allocated, by the marks that the allocator leaves between them.

use crate::memory::Memory;
use std::ops::Range;

/// Blocks of the GNU C library begin at multiples of this.
const ALIGNMENT: u64 = 16;

/// The lowest bits of a size say other things.
const FLAGS: u64 = 7;

/// A block has a mapping of its own.
const MAPPED: u64 = 2;

/// The blocks of a heap, used and free.
#[derive(Clone, Debug)]
pub struct Heap {
    /// How many bytes an address has.
    pub word: u64,
    /// What may be used of each block, by address.
    blocks: Vec<Range<u64>>,
}

impl Default for Heap {
    fn default() -> Self {
        Self { word: 8, blocks: Vec::new() }
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
        Self { word, blocks }
    }

    /// The block around an address.
    pub fn block(&self, address: u64) -> Option<Range<u64>> {
        let index = self.blocks.partition_point(|block| block.end <= address);
        self.blocks.get(index).filter(|block| block.contains(&address)).cloned()
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
    crate::graph::pointer(memory.bytes(block.checked_add(word)?, word)?)
}
