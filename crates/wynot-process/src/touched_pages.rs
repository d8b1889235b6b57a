//! Which pages of a process have been used, from `/proc/PID/pagemap`.
//!
//! Allocators reserve gigabytes of addresses, of which a program uses little. Pages that were never touched have no
//! contents.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;

/// The size of a page.
const PAGE_BYTES: u64 = 4096;

/// The number of entries that are read at once.
const ENTRIES_AT_ONCE: u64 = 64 << 10;

/// The bits of an entry that say that the page is in memory, or was written to disk.
const HAS_CONTENTS: u64 = 0b11 << 62;

/// The parts of a range of addresses that a process has used. Parts with less than `gap` bytes between them are joined.
pub fn touched_parts(pid: i32, range: &Range<u64>, gap: u64) -> io::Result<Vec<Range<u64>>> {
    let pages = File::open(format!("/proc/{pid}/pagemap"))?;
    let (first, last) = (range.start / PAGE_BYTES, range.end.div_ceil(PAGE_BYTES));
    let mut parts: Vec<Range<u64>> = Vec::new();
    let mut entries = vec![0; (ENTRIES_AT_ONCE.min(last - first) * 8) as usize];
    let mut at = first;
    while at < last {
        let count = ENTRIES_AT_ONCE.min(last - at);
        let bytes = &mut entries[..(count * 8) as usize];
        pages.read_exact_at(bytes, at * 8)?;
        for (index, entry) in bytes.as_chunks::<8>().0.iter().enumerate() {
            if u64::from_le_bytes(*entry) & HAS_CONTENTS == 0 {
                continue;
            }
            let start = (at + index as u64) * PAGE_BYTES;
            match parts.last_mut() {
                Some(part) if start < part.end + gap => part.end = start + PAGE_BYTES,
                _ => parts.push(start..start + PAGE_BYTES),
            }
        }
        at += count;
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_touched_and_the_rest_is_not() {
        let mut block = vec![0u8; 64 << 20];
        let start = (block.as_ptr() as u64).next_multiple_of(PAGE_BYTES);
        let from = (start - block.as_ptr() as u64) as usize;
        for at in [from + (20 << 20), from + (21 << 20), from + (40 << 20)] {
            block[at] = 1;
        }
        let range = start..start + (60 << 20);
        let parts = touched_parts(std::process::id() as i32, &range, 4 << 20).unwrap();
        let holds = |offset: u64| parts.iter().any(|part| part.contains(&(start + offset)));
        assert!(holds(20 << 20) && holds(21 << 20) && holds(40 << 20), "{parts:?}");
        assert!(holds((20 << 20) + (1 << 19)), "what is between near parts belongs to them");
        assert!(!holds(30 << 20) && !holds(50 << 20), "{parts:?}");
        assert_eq!(block[from + (20 << 20)], 1);
    }
}
