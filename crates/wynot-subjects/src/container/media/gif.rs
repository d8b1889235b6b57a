//! GIF: blocks of sub-blocks with lengths of one byte, and tables of colours whose size is an exponent.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

/// The bytes before the first table: a signature, width and height, flags, background and aspect.
const HEADER_BYTES: usize = 13;

/// The bytes of an image before its table of colours, the last of which are flags.
const IMAGE_BYTES: usize = 10;

const EXTENSION: u8 = 0x21;
const IMAGE: u8 = 0x2c;

/// The flag of a table of colours.
const HAS_TABLE: u8 = 0x80;

/// Reads a file: all whole blocks, and what follows them.
pub(crate) fn read_gif(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(b"GIF8") || bytes.len() < HEADER_BYTES {
        return None;
    }
    let list = builder.list(Vec::new());
    builder.bytes(&bytes[..10]);
    let after = append_flags_and_table(builder, &bytes[10..], 3);
    let mut rest = &bytes[10 + after..];
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    while let Some(length) = block_length(rest) {
        let start = builder.at();
        append_block(builder, &rest[..length]);
        parts.push(builder.part_since(start));
        rest = &rest[length..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The bytes of a table of colours.
fn table_bytes(flags: u8) -> usize {
    if flags & HAS_TABLE != 0 { 3 << ((flags & 7) + 1) } else { 0 }
}

/// Appends flags, what follows them before the table of colours, and the table; returns the number of bytes. The table
/// consists of two colours and parts that double it.
fn append_flags_and_table(builder: &mut LayoutBuilder, bytes: &[u8], before: usize) -> usize {
    let table = table_bytes(bytes[0]);
    let Some(colors) = bytes.get(before..before + table).filter(|colors| !colors.is_empty()) else {
        builder.bytes(&bytes[..before]);
        return before;
    };
    let field = builder.field(&bytes[..1], FieldNotation::ColorTable);
    builder.bytes(&bytes[1..before]);
    let mut parts = Vec::new();
    let mut at = 0;
    while at < colors.len() {
        let next = (at * 2).max(6);
        parts.push(vec![builder.bytes(&colors[at..next])]);
        at = next;
    }
    let list = builder.list(parts);
    builder.depends(field, FieldValue::Count { list, times: 1, plus: 0 });
    before + table
}

/// The bytes of the block at the start of some bytes, if it is whole.
fn block_length(bytes: &[u8]) -> Option<usize> {
    let first = match *bytes.first()? {
        EXTENSION => 2,
        IMAGE => IMAGE_BYTES + table_bytes(*bytes.get(IMAGE_BYTES - 1)?) + 1,
        _ => return None,
    };
    let mut at = first;
    loop {
        match *bytes.get(at)? {
            0 => return Some(at + 1),
            length => at += 1 + usize::from(length),
        }
    }
}

/// Appends a block: what precedes its sub-blocks, these, and the zero behind them.
fn append_block(builder: &mut LayoutBuilder, bytes: &[u8]) {
    let mut at = 2;
    if bytes[0] == IMAGE {
        let flags = IMAGE_BYTES - 1;
        builder.bytes(&bytes[..flags]);
        at = flags + append_flags_and_table(builder, &bytes[flags..], 1);
        builder.bytes(&bytes[at..at + 1]);
        at += 1;
    } else {
        builder.bytes(&bytes[..at]);
    }
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    while bytes[at] != 0 {
        let start = builder.at();
        let field = builder.field(&bytes[at..at + 1], FieldNotation::Fixed(ByteOrder::Little));
        let end = at + 1 + usize::from(bytes[at]);
        let data = builder.payload(&bytes[at + 1..end]);
        builder.is_length(field, builder.since(data.start), 0);
        parts.push(builder.part_since(start));
        at = end;
    }
    builder.bytes(&bytes[at..]);
    builder.fill_list(list, parts);
}
