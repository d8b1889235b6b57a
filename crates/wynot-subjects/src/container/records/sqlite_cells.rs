//! Pages of trees in databases of SQLite: their headers, and where the cells are.

use crate::container::byte_numbers::{ByteOrder, big_varint, number};
use std::ops::Range;

/// The bytes of the first page before its tree.
pub(crate) const HEADER_BYTES: usize = 100;

const INDEX_INTERIOR: u8 = 2;
const TABLE_INTERIOR: u8 = 5;
const INDEX_LEAF: u8 = 10;
const TABLE_LEAF: u8 = 13;

/// The header of a page of a tree.
#[derive(Clone, Debug)]
pub(crate) struct PageHeader {
    kind: u8,
    /// Where the page and its header begin, and where pointers begin and end.
    pub start: usize,
    pub at: usize,
    pub pointers: Range<usize>,
    /// Where the cells begin.
    pub content: usize,
}

/// A cell: what it says about its page, and where its payload is.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    pub span: Range<usize>,
    /// The length of the payload, and the payload if all of it is here.
    pub length: Range<usize>,
    pub payload: Option<Range<usize>>,
    /// Where the number of the page with the rest of the payload is.
    pub overflow: Option<usize>,
}

impl PageHeader {
    /// The header of the page with an index; `None` if the page is none of a tree.
    pub(crate) fn read(bytes: &[u8], index: usize, page_bytes: usize) -> Option<Self> {
        let start = index * page_bytes;
        let at = start + if index == 0 { HEADER_BYTES } else { 0 };
        let kind = *bytes.get(at)?;
        let length = match kind {
            INDEX_INTERIOR | TABLE_INTERIOR => 12,
            INDEX_LEAF | TABLE_LEAF => 8,
            _ => return None,
        };
        let value = |at: usize| number(bytes, at, 2, ByteOrder::Big);
        let (cells, content) = (value(at + 3)?, value(at + 5)?);
        let content = start + if content == 0 { 1 << 16 } else { content };
        let pointers = at + length..at + length + 2 * cells;
        let is_right = pointers.end <= content && content <= start + page_bytes;
        is_right.then_some(Self { kind, start, at, pointers, content })
    }

    /// The cell at a position, if it lies in the page.
    pub(crate) fn cell(&self, bytes: &[u8], start: usize, usable: usize) -> Option<Cell> {
        let at = start + if self.is_interior() { 4 } else { 0 };
        let (length, mut first) = big_varint(bytes, at)?;
        let is_in_page = |end: &usize| *end <= self.start + usable;
        if self.kind == TABLE_INTERIOR {
            let end = Some(first).filter(is_in_page)?;
            return Some(Cell { span: start..end, length: at..at, payload: None, overflow: None });
        }
        let length_field = at..first;
        let least = (usable - 12) * 32 / 255 - 23;
        let most = match self.kind {
            TABLE_LEAF => usable - 35,
            _ => (usable - 12) * 64 / 255 - 23,
        };
        if self.kind == TABLE_LEAF {
            // The number of a row may have nine bytes.
            first = big_varint(bytes, first).map_or(first + 9, |(_, end)| end);
        }
        if length <= most {
            let payload = first..first.checked_add(length).filter(is_in_page)?;
            let span = start..payload.end;
            return Some(Cell {
                span,
                length: length_field,
                payload: Some(payload),
                overflow: None,
            });
        }
        let local = least + (length - least) % (usable - 4);
        let local = if local <= most { local } else { least };
        let end = Some(first + local + 4).filter(is_in_page)?;
        Some(Cell {
            span: start..end,
            length: length_field,
            payload: None,
            overflow: Some(end - 4),
        })
    }

    /// Whether its cells refer to pages below it.
    pub(crate) fn is_interior(&self) -> bool {
        matches!(self.kind, INDEX_INTERIOR | TABLE_INTERIOR)
    }
}

/// The place in the page with an index at which free space may be necessary although there is none that consists of zeros.
pub(crate) fn seam_of_page(bytes: &[u8], index: usize, page_bytes: usize) -> Option<usize> {
    let header = PageHeader::read(bytes, index, page_bytes)?;
    let free = header.pointers.end..header.content;
    let is_free = !free.is_empty() && bytes[free.clone()].iter().all(|byte| *byte == 0);
    (!is_free).then_some(free.start)
}
