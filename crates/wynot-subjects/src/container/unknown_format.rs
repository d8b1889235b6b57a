//! Unknown formats: lengths that span exactly to an end, chains of records, and checksums of the rest.
//!
//! A field that is right by chance costs a few tests, since every edit is also tried without its consequences.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::record_chain::{append_chain, find_chain};
use crate::container::{FORMATS, read_any};
use std::ops::Range;

/// Fields that describe all that follows them begin at one of the first positions.
const MAX_HEADER_BYTES: usize = 64;

/// A chain of records begins at one of the first positions.
const MAX_CHAIN_START: usize = 32;

/// A checksum leaves out one of these numbers of bytes at the start.
const UNCHECKED_BYTES: [usize; 5] = [0, 4, 8, 12, 16];

/// A checksum at the start begins at one of the first positions.
const MAX_CHECKSUM_START: usize = 16;

/// Files with fewer bytes than this have no lengths that are no chance.
const MIN_BYTES: usize = 32;

/// Files with more bytes than this are not searched.
const MAX_SEARCHED_BYTES: usize = 4 << 20;

/// Data of records with fewer bytes than this have no structure.
const MIN_STRUCTURED_BYTES: usize = 32;

/// In chains of more records than this, records have no structure.
const MAX_STRUCTURED_RECORDS: usize = 256;

/// A field at the start or the end of a file, and what it is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HeaderField {
    /// The number of bytes from a position to the end.
    Rest { from: usize },
    /// The checksum of the bytes from a position to another.
    Checked { kind: Checksum, from: usize, to: usize },
}

/// A field with its position, its width and the order of its bytes.
type PlacedField = (usize, usize, ByteOrder, HeaderField);

/// Reads a file of which anything is recognised.
pub(crate) fn read_unknown_format(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if bytes.len() > MAX_SEARCHED_BYTES {
        return None;
    }
    let trailer = trailing_checksum(bytes);
    let end = bytes.len() - trailer.map_or(0, |(_, width, _, _)| width);
    let lengths = with_lengths(bytes, MAX_HEADER_BYTES.min(end), Vec::new());
    // The zeros in a length before the first record can look like a record without data.
    let is_within_length =
        |start: usize| lengths.iter().any(|(at, width, ..)| (*at..at + width).contains(&start));
    let starts = (0..=MAX_CHAIN_START).filter(|start| !is_within_length(*start));
    let chain = find_chain(&bytes[..end], starts, 1);
    let header_end = chain.as_ref().map_or(MAX_HEADER_BYTES.min(end), |(start, _, _)| *start);
    let checksum = leading_checksum(bytes, header_end).into_iter().collect();
    let fields = with_lengths(bytes, header_end, checksum);
    if fields.is_empty() && chain.is_none() && trailer.is_none() {
        return None;
    }
    let start = builder.at();
    let mut placed = Vec::new();
    let mut at = 0;
    for field in fields {
        builder.payload(&bytes[at..field.0]);
        at = field.0 + field.1;
        placed.push((builder.field(&bytes[field.0..at], FieldNotation::Fixed(field.2)), field.3));
    }
    match &chain {
        Some((start, shape, records)) => {
            builder.payload(&bytes[at..*start]);
            let is_structured = records.len() <= MAX_STRUCTURED_RECORDS;
            append_chain(builder, &bytes[..end], *shape, records, |builder, data| {
                match is_structured {
                    true => append_data(builder, data),
                    false => drop(builder.payload(data)),
                }
            });
        }
        None => drop(builder.payload(&bytes[at..end])),
    }
    let body_end = builder.at();
    if let Some((at, width, order, field)) = trailer {
        let bytes = &bytes[at..at + width];
        placed.push((builder.field(bytes, FieldNotation::Fixed(order)), field));
    }
    let position = |builder: &LayoutBuilder, at: usize| match at >= end {
        true if at == bytes.len() => builder.at(),
        true => body_end,
        // Fields before a position are as long as they were, and so is what lies between them.
        false => start + at as u32,
    };
    for (field, meaning) in placed {
        let value = match meaning {
            HeaderField::Rest { from } => {
                let of = builder.since(position(builder, from));
                FieldValue::Length { of, plus: 0, unit: 1 }
            }
            HeaderField::Checked { kind, from, to } => {
                let mut of = builder.since(position(builder, from));
                of.span.end = position(builder, to);
                FieldValue::Checksum { kind, of }
            }
        };
        builder.depends(field, value);
    }
    Some(())
}

/// Appends the data of a record: a known format, another chain, or plain bytes.
fn append_data(builder: &mut LayoutBuilder, data: &[u8]) {
    builder.depth += 1;
    let is_structured = data.len() >= MIN_STRUCTURED_BYTES && builder.can_nest();
    if is_structured && read_any(builder, data, FORMATS).is_none() {
        match find_chain(data, 0..=8, 2) {
            Some((start, shape, records)) => {
                builder.payload(&data[..start]);
                append_chain(builder, data, shape, &records, append_data);
            }
            None => drop(builder.payload(data)),
        }
    } else if !is_structured {
        builder.payload(data);
    }
    builder.depth -= 1;
}

const ORDERS: [ByteOrder; 2] = [ByteOrder::Little, ByteOrder::Big];

/// A checksum at the end of all bytes before it.
fn trailing_checksum(bytes: &[u8]) -> Option<PlacedField> {
    let at = bytes.len().checked_sub(4).filter(|at| *at > 8)?;
    let checksum = UNCHECKED_BYTES.into_iter().find_map(|from| find_checksum(bytes, at, from..at));
    checksum.or_else(|| trailing_sum(bytes))
}

/// The sum of all bytes before the last two.
fn trailing_sum(bytes: &[u8]) -> Option<PlacedField> {
    let at = bytes.len().checked_sub(2)?;
    let kind = Checksum::Sum;
    let sum = Some(kind.of(&bytes[..at]) as usize & 0xffff).filter(|sum| *sum > 0xff);
    let order = ORDERS.into_iter().find(|order| number(bytes, at, 2, *order) == sum)?;
    sum.map(|_| (at, 2, order, HeaderField::Checked { kind, from: 0, to: at }))
}

/// A checksum at the start of all bytes after it.
fn leading_checksum(bytes: &[u8], header_end: usize) -> Option<PlacedField> {
    let last = header_end.checked_sub(4)?.min(MAX_CHECKSUM_START);
    (0..=last).find_map(|at| find_checksum(bytes, at, at + 4..bytes.len()))
}

/// The checksum of a range that the four bytes at a position are.
fn find_checksum(bytes: &[u8], at: usize, checked: Range<usize>) -> Option<PlacedField> {
    let values = ORDERS.map(|order| (order, number(bytes, at, 4, order)));
    let is_small = values.iter().any(|(_, value)| value.is_none_or(|value| value < 1 << 16));
    let checked = Some(checked).filter(|it| !is_small && it.start < it.end)?;
    [Checksum::Crc32, Checksum::Adler32].into_iter().find_map(|kind| {
        let checksum = Some(kind.of(&bytes[checked.clone()]) as usize);
        let (order, _) = values.iter().find(|(_, value)| *value == checksum)?;
        let meaning = HeaderField::Checked { kind, from: checked.start, to: checked.end };
        Some((at, 4, *order, meaning))
    })
}

/// Fields of a header, with those that are the length of what follows or of everything.
fn with_lengths(bytes: &[u8], header_end: usize, mut fields: Vec<PlacedField>) -> Vec<PlacedField> {
    for width in [4, 2] {
        for at in 0..(header_end + 1).saturating_sub(width) {
            let overlaps = fields
                .iter()
                .any(|(other, length, _, _)| *other < at + width && at < other + length);
            if overlaps || bytes.len() < MIN_BYTES {
                continue;
            }
            let length = |order: &ByteOrder| {
                let value = number(bytes, at, width, *order)?;
                let after = at + width;
                let starts = [after, 0, at, after + 4];
                let from = starts.into_iter().find(|from| from + value == bytes.len());
                from.map(|from| (at, width, *order, HeaderField::Rest { from }))
            };
            fields.extend(ORDERS.iter().find_map(length));
        }
    }
    fields.sort_by_key(|(at, ..)| *at);
    fields
}
