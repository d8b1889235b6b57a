//! The blocks that a program has allocated, found by the headers of the GNU C library's allocator.

use super::free_blocks::free_blocks;
use super::memory_copy::MemoryCopy;
use crate::decode::pointer;
use std::collections::BTreeSet;
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
    /// Blocks elsewhere, by address; their numbers follow those of the others.
    elsewhere: Vec<Range<u64>>,
    /// The blocks that are pools, by address: they are left out or divided.
    pools: Vec<Range<u64>>,
    /// The starts of the blocks that are free.
    free: BTreeSet<u64>,
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
        let free = free_blocks(memory, &blocks, word);
        Self { free, ..Self::of(blocks, word) }
    }

    /// A heap with these blocks, which must be sorted by address.
    pub(crate) fn of(blocks: Vec<Range<u64>>, word: u64) -> Self {
        let start = blocks.first().map_or(0, |block| block.start);
        let mut firsts = Vec::new();
        for (index, block) in blocks.iter().enumerate() {
            let slices = (block.end + 1 - start).div_ceil(SLICE_BYTES) as usize;
            firsts.resize(slices.max(firsts.len()), index as u32);
        }
        let (elsewhere, pools, free) = Default::default();
        Self { word, blocks, start, firsts, elsewhere, pools, free }
    }

    /// The heap without some blocks, so that what lies in them is found as if it were outside of the heap.
    pub(crate) fn without(&self, pools: &[Range<u64>]) -> Self {
        let is_pool = |block: &Range<u64>| pools.iter().any(|pool| pool.start == block.start);
        let blocks = self.blocks.iter().filter(|block| !is_pool(block)).cloned().collect();
        Self { pools: pools.to_vec(), ..Self::of(blocks, self.word) }
    }

    /// The heap with some blocks divided into pieces, which are blocks of their own. A pool need not be a
    /// block of the heap. Pools and boundaries are sorted by address.
    pub(crate) fn divided(&self, pools: &[Range<u64>], boundaries: &BTreeSet<u64>) -> Self {
        let mut pieces: Vec<Range<u64>> = Vec::new();
        for pool in pools {
            let mut start = pool.start;
            for boundary in boundaries.range(pool.start + 1..pool.end) {
                pieces.push(start..*boundary);
                start = *boundary;
            }
            pieces.push(start..pool.end);
        }
        let Self { mut blocks, word, .. } = self.without(pools);
        let ends = self.blocks.first().zip(self.blocks.last());
        let extent = ends.map_or(0..0, |(first, last)| first.start..last.end);
        let (near, elsewhere) = pieces.into_iter().partition(|piece| extent.contains(&piece.start));
        let near: Vec<Range<u64>> = near;
        blocks.extend(near);
        blocks.sort_by_key(|block| block.start);
        Self { elsewhere, pools: pools.to_vec(), ..Self::of(blocks, word) }
    }

    /// Whether a block starts at an address, and is free.
    pub(crate) fn is_free(&self, address: u64) -> bool {
        self.free.contains(&address)
    }

    /// The pool around an address.
    pub(crate) fn pool(&self, address: u64) -> Option<&Range<u64>> {
        let behind = self.pools.partition_point(|pool| pool.start <= address);
        self.pools[..behind].last().filter(|pool| address < pool.end)
    }

    /// The number of blocks.
    pub fn len(&self) -> usize {
        self.blocks.len() + self.elsewhere.len()
    }

    /// The number of the block around an address. The end of a block belongs to it, since the allocator's
    /// header follows, unless the next piece of a pool starts there.
    pub fn index(&self, address: u64) -> Option<usize> {
        self.index_near(address).or_else(|| self.index_elsewhere(address))
    }

    fn index_near(&self, address: u64) -> Option<usize> {
        let slice = usize::try_from(address.checked_sub(self.start)? / SLICE_BYTES).ok()?;
        let first = *self.firsts.get(slice)? as usize;
        let before = self.blocks[first..].iter().position(|block| address <= block.end)?;
        let found = first + before;
        let starts_here = |block: &Range<u64>| block.start == address;
        match self.blocks.get(found + 1).is_some_and(starts_here) {
            true => Some(found + 1),
            false => (self.blocks[found].start <= address).then_some(found),
        }
    }

    fn index_elsewhere(&self, address: u64) -> Option<usize> {
        let behind = self.elsewhere.partition_point(|block| block.start <= address);
        let found = behind.checked_sub(1)?;
        (address <= self.elsewhere[found].end).then_some(self.blocks.len() + found)
    }

    /// The numbers of the blocks that start in a range of addresses.
    pub fn beginning_in(&self, addresses: Range<u64>) -> impl Iterator<Item = usize> + use<> {
        let inside = |blocks: &[Range<u64>]| {
            let before = |address: u64| blocks.partition_point(|block| block.start < address);
            before(addresses.start)..before(addresses.end)
        };
        let (near, elsewhere) = (inside(&self.blocks), inside(&self.elsewhere));
        let count = self.blocks.len();
        near.chain(elsewhere.map(move |index| count + index))
    }

    /// The number of bytes from an address to the next block.
    pub fn until_block(&self, address: u64) -> u64 {
        if let Some(pool) = self.pool(address) {
            return pool.end - address;
        }
        let next = self.blocks.partition_point(|block| block.start <= address);
        self.blocks.get(next).map_or(u64::MAX, |block| block.start - address)
    }

    /// The usable part of a block, by the block's number.
    pub fn block(&self, index: usize) -> Range<u64> {
        match index.checked_sub(self.blocks.len()) {
            None => self.blocks[index].clone(),
            Some(index) => self.elsewhere[index].clone(),
        }
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
        if self.pool(address).is_some() {
            return None;
        }
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

    #[test]
    fn the_pieces_of_a_pool_are_blocks() {
        let heap = Heap::of(vec![0x1010..0x1028, 0x1030..0x1100, 0x1110..0x1128], 8);
        let far = 0x7f00_0000_0000..0x7f00_0000_0100;
        let pools = [0x1030..0x1100, far.clone()];
        let boundaries = BTreeSet::from([0x1030, 0x1040, 0x1080, far.start + 0x20]);
        let divided = heap.divided(&pools, &boundaries);
        let block = |address: u64| divided.index(address).map(|number| divided.block(number));
        assert_eq!(block(0x1018), Some(0x1010..0x1028));
        assert_eq!(block(0x1030), Some(0x1030..0x1040));
        // The end of a piece is the start of the next one; the end of the last one belongs to it.
        assert_eq!(block(0x1040), Some(0x1040..0x1080));
        assert_eq!(block(0x1100), Some(0x1080..0x1100));
        assert_eq!(block(0x1110), Some(0x1110..0x1128));
        assert_eq!(block(far.start + 0x1f), Some(far.start..far.start + 0x20));
        assert_eq!(divided.beginning_in(0x1030..0x1111).count(), 4);
        assert_eq!(divided.beginning_in(far.start + 1..far.end).collect::<Vec<_>>(), [6]);
        assert_eq!(divided.pool(0x1041), Some(&(0x1030..0x1100)));
        assert_eq!(divided.pool(0x1010), None);
        assert_eq!(heap.without(&pools).index(0x1040), None);
        assert_eq!(heap.without(&pools).until_block(0x1040), 0xc0);
    }
}
