//! Databases of SQLite with smaller pages: the free space in all pages goes at once.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::records::sqlite_cells::PageHeader;

/// The smallest page.
const MIN_PAGE_BYTES: usize = 512;

/// The same database with pages that are as small as possible; `None` if they are that already, or if there are pages
/// other than those of trees.
pub(crate) fn with_small_pages(
    bytes: &[u8],
    page_bytes: usize,
    reserved: usize,
) -> Option<Vec<u8>> {
    if reserved > 0 || bytes.is_empty() || !bytes.len().is_multiple_of(page_bytes) {
        return None;
    }
    let sizes = std::iter::successors(Some(MIN_PAGE_BYTES), |size| Some(size * 2));
    sizes.take_while(|size| *size < page_bytes).find_map(|size| {
        let pages = 0..bytes.len() / page_bytes;
        let mut smaller = Vec::with_capacity(pages.len() * size);
        for page in pages {
            append_page(&mut smaller, bytes, page, (page_bytes, size))?;
        }
        smaller[16..18].copy_from_slice(&(size as u16).to_be_bytes());
        Some(smaller)
    })
}

/// Appends the page with an index in a smaller size; `None` if its cells do not fit, or would need further pages.
fn append_page(
    smaller: &mut Vec<u8>,
    bytes: &[u8],
    page: usize,
    (before, after): (usize, usize),
) -> Option<()> {
    let header = PageHeader::read(bytes, page, before)?;
    let removed = before - after;
    let content = (header.content - header.start).checked_sub(removed)?;
    let used = header.pointers.end - header.start;
    let has_free_blocks = number(bytes, header.at + 1, 2, ByteOrder::Big) != Some(0);
    if used > content || has_free_blocks {
        return None;
    }
    let first = smaller.len();
    smaller.extend_from_slice(&bytes[header.start..header.pointers.end]);
    smaller.resize(first + content, 0);
    smaller.extend_from_slice(&bytes[header.content..header.start + before]);
    // An offset of 65,536 is written as 0, and is less now.
    let offsets = header.pointers.clone().step_by(2).chain([header.at + 5]);
    for at in offsets {
        let offset = number(bytes, at, 2, ByteOrder::Big)?;
        let offset = if offset == 0 { before } else { offset };
        let place = first + at - header.start;
        let moved = offset.checked_sub(removed)? as u16;
        smaller[place..place + 2].copy_from_slice(&moved.to_be_bytes());
    }
    let moved = PageHeader::read(smaller, page, after)?;
    let mut pointers = header.pointers.clone().step_by(2).zip(moved.pointers.clone().step_by(2));
    let fits = pointers.all(|(old, new)| {
        let old = cell_bytes(&header, bytes, old, before);
        old.is_some() && old == cell_bytes(&moved, smaller, new, after)
    });
    fits.then_some(())
}

/// The bytes of the cell to which a pointer points, if it needs no further page.
fn cell_bytes(header: &PageHeader, bytes: &[u8], pointer: usize, usable: usize) -> Option<usize> {
    let start = header.start + number(bytes, pointer, 2, ByteOrder::Big)?;
    let cell = header.cell(bytes, start, usable).filter(|cell| cell.overflow.is_none());
    cell.map(|cell| cell.span.len())
}
