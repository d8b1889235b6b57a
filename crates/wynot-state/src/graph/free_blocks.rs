//! Which blocks of a heap are free, as the GNU C library's allocator marks it.
//!
//! A free block is either in the lists of the thread cache, which lies in the first block of the heap, or the header of the
//! next block says so. The few small blocks in the lists that only the library's own variables lead to count as used.

use super::memory_copy::MemoryCopy;
use crate::decode::{number, pointer};
use std::collections::BTreeSet;
use std::ops::Range;

/// The number of lists in the thread cache.
const CACHE_LISTS: u64 = 64;

/// The size in bytes of the number that says how long a list of the thread cache is.
const CACHE_COUNT_BYTES: u64 = 2;

/// The position of the bits of an address that hide the pointers in a list.
const HIDING_SHIFT: u32 = 12;

/// The flag in a header which says that the previous block is in use.
const PREVIOUS_IN_USE_FLAG: u64 = 1;

/// The starts of the free blocks among the blocks of a heap, which are sorted by address. The size of an address is `word`.
pub(crate) fn free_blocks(
    memory: &impl MemoryCopy,
    blocks: &[Range<u64>],
    word: u64,
) -> BTreeSet<u64> {
    let read = |address: u64| pointer(memory.bytes(address, word)?);
    let mut free = BTreeSet::new();
    for pair in blocks.windows(2) {
        let (block, next) = (&pair[0], &pair[1]);
        // The header with the flags of a block is the word before it.
        if next.start == block.end + word
            && read(next.start - word).is_some_and(|size| size & PREVIOUS_IN_USE_FLAG == 0)
        {
            free.insert(block.start);
        }
    }
    let Some(cache) = blocks.first() else { return free };
    let lists = cache.start + CACHE_LISTS * CACHE_COUNT_BYTES;
    let lists_end = lists + CACHE_LISTS * word;
    if !(lists_end..=lists_end + 3 * word).contains(&cache.end) {
        return free;
    }
    let is_block =
        |address: u64| blocks.binary_search_by_key(&address, |block| block.start).is_ok();
    for list in 0..CACHE_LISTS {
        let count = memory.bytes(cache.start + list * CACHE_COUNT_BYTES, CACHE_COUNT_BYTES);
        let count = count.map_or(0, |bytes| number(bytes, false));
        let mut next = read(lists + list * word);
        for _ in 0..count {
            let Some(block) = next.filter(|block| is_block(*block)) else { break };
            free.insert(block);
            next = read(block).map(|hidden| hidden ^ (block >> HIDING_SHIFT));
        }
    }
    free
}
