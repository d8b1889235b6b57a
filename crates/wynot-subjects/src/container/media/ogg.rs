//! Ogg: pages with checksums and numbers, whose data have lengths of one byte (Vorbis, Opus, Theora).

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

const SIGNATURE: &[u8] = b"OggS";

const LITTLE: FieldNotation = FieldNotation::Fixed(ByteOrder::Little);

/// The bytes of a page before the lengths; where its number, its checksum and the number of lengths are.
const HEADER_BYTES: usize = 27;
const PAGE_NUMBER: usize = 18;
const CHECKSUM: usize = 22;
const LENGTHS: usize = 26;

/// Reads a file: all whole pages, and what follows them.
pub(crate) fn read_ogg(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let mut rest = bytes;
    next_page(rest)?;
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    while let Some(page) = next_page(rest) {
        let start = builder.at();
        append_page(builder, page, (list, parts.len()));
        parts.push(builder.part_since(start));
        rest = &rest[page.len()..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The page at the start of some bytes, if it is whole.
fn next_page(bytes: &[u8]) -> Option<&[u8]> {
    let count = *bytes.get(LENGTHS).filter(|_| bytes.starts_with(SIGNATURE))?;
    let lengths = bytes.get(HEADER_BYTES..HEADER_BYTES + usize::from(count))?;
    let data: usize = lengths.iter().map(|length| usize::from(*length)).sum();
    bytes.get(..HEADER_BYTES + lengths.len() + data)
}

/// Appends a page. A stretch of data goes with its length.
fn append_page(builder: &mut LayoutBuilder, page: &[u8], (pages, index): (u32, usize)) {
    let start = builder.at();
    builder.bytes(&page[..PAGE_NUMBER]);
    let field = builder.field(&page[PAGE_NUMBER..CHECKSUM], LITTLE);
    if number(page, PAGE_NUMBER, 4, ByteOrder::Little) == Some(index) {
        builder.depends(field, FieldValue::Index { list: pages, part: index as u32 });
    }
    let checksum = builder.field(&page[CHECKSUM..LENGTHS], LITTLE);
    let count = builder.field(&page[LENGTHS..HEADER_BYTES], LITTLE);
    let lengths = &page[HEADER_BYTES..HEADER_BYTES + usize::from(page[LENGTHS])];
    let fields: Vec<(u32, u32)> = lengths
        .iter()
        .map(|length| {
            let at = builder.at();
            (at, builder.field(&[*length], LITTLE))
        })
        .collect();
    let mut at = HEADER_BYTES + lengths.len();
    let mut parts = Vec::new();
    for (length, (field_at, field)) in lengths.iter().zip(fields) {
        let end = at + usize::from(*length);
        let data = builder.payload(&page[at..end]);
        builder.is_length(field, builder.since(data.start), 0);
        parts.push(vec![field_at..field_at + 1, data]);
        at = end;
    }
    let list = builder.list(parts);
    builder.depends(count, FieldValue::Count { list, times: 1, plus: 0 });
    // While it is computed, the checksum itself is 0.
    let mut bytes = page.to_vec();
    bytes[CHECKSUM..LENGTHS].fill(0);
    let kind = Checksum::OggCrc;
    if number(page, CHECKSUM, 4, ByteOrder::Little) == Some(kind.of(&bytes) as usize) {
        let of = builder.since(start);
        builder.depends(checksum, FieldValue::Checksum { kind, of });
    }
}
