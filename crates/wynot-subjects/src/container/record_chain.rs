//! Chains of records: each has a header with its length, and the next one follows without a gap.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::container_layout::{FieldId, FieldValue};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::collections::BTreeSet;
use std::ops::Range;

/// Records of a chain with short lengths begin with at most this number of different bytes.
const MAX_TAGS: usize = 16;

/// A chain with short lengths and without tags has at least this number of records.
const MIN_UNTAGGED_RECORDS: usize = 16;

/// What the records of a chain look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct RecordShape {
    /// The bytes of the header before the length.
    pub before: usize,
    /// The bytes of the length.
    pub width: usize,
    pub order: ByteOrder,
    /// The bytes of the header after the length.
    pub after: usize,
    /// The bytes of the header that the length includes.
    pub included: usize,
    /// Records are padded with zeros to a multiple of this number of bytes.
    pub alignment: usize,
}

impl RecordShape {
    /// The bytes of the header.
    fn header(self) -> usize {
        self.before + self.width + self.after
    }

    /// The data of the record at a position, and where the next one starts.
    fn record(self, bytes: &[u8], at: usize) -> Option<(Range<usize>, usize)> {
        let length = number(bytes, at + self.before, self.width, self.order)?;
        let start = at + self.header();
        let end = start.checked_add(length.checked_sub(self.included)?)?;
        let next = at + (end - at).next_multiple_of(self.alignment);
        let padding = bytes.get(end..next)?;
        padding.iter().all(|byte| *byte == 0).then_some((start..end, next))
    }

    /// The data of all records from a position to the end of some bytes; `None` if they are no such chain.
    pub(crate) fn chain(self, bytes: &[u8], start: usize) -> Option<Vec<Range<usize>>> {
        let mut records = Vec::new();
        let mut at = start;
        while at < bytes.len() {
            let (data, next) = self.record(bytes, at)?;
            if next == at {
                return None;
            }
            records.push(data);
            at = next;
        }
        let data: usize = records.iter().map(ExactSizeIterator::len).sum();
        // Zeros are chains of records without data.
        let is_likely = records.len() >= 2 && data * 2 >= bytes.len() - start;
        let is_no_chance = match self.width {
            4.. => true,
            2.. => records.len() >= MIN_UNTAGGED_RECORDS || self.has_tags(bytes, &records),
            _ => self.has_tags(bytes, &records),
        };
        (is_likely && is_no_chance).then_some(records)
    }

    /// Whether records begin with few different bytes. Short lengths form a chain by chance.
    fn has_tags(self, bytes: &[u8], records: &[Range<usize>]) -> bool {
        let tags: BTreeSet<u8> = records
            .iter()
            .filter_map(|data| bytes.get(data.start - self.header()).copied())
            .collect();
        self.before > 0 && records.len() > 3 && tags.len() <= MAX_TAGS.min(records.len() / 2)
    }
}

/// All shapes of records with lengths of some bytes that formats are likely to have.
fn shapes(width: usize) -> impl Iterator<Item = RecordShape> {
    let orders = match width {
        1 => &[ByteOrder::Little][..],
        _ => &[ByteOrder::Little, ByteOrder::Big],
    };
    let plain =
        RecordShape { before: 0, width, order: orders[0], after: 0, included: 0, alignment: 1 };
    orders.iter().flat_map(move |&order| {
        [1, 2, 4].into_iter().flat_map(move |alignment| {
            [0, 4, 1, 2, 8, 12].into_iter().flat_map(move |before| {
                [0, 4, 2].into_iter().flat_map(move |after| {
                    let header = before + width + after;
                    let mut included = vec![0, width, header];
                    included.dedup();
                    included.into_iter().map(move |included| RecordShape {
                        order,
                        alignment,
                        before,
                        after,
                        included,
                        ..plain
                    })
                })
            })
        })
    })
}

/// The first chain that begins at one of some positions in bytes and ends where they end.
pub(crate) fn find_chain(
    bytes: &[u8],
    starts: impl Iterator<Item = usize> + Clone,
    min_width: usize,
) -> Option<(usize, RecordShape, Vec<Range<usize>>)> {
    for width in [4, 2, 1].into_iter().filter(|width| *width >= min_width) {
        for start in starts.clone().filter(|start| *start <= bytes.len()) {
            for shape in shapes(width) {
                if let Some(records) = shape.chain(bytes, start) {
                    return Some((start, shape, records));
                }
            }
        }
    }
    None
}

/// Appends the records of a chain; `append` appends the data of one.
pub(crate) fn append_chain(
    builder: &mut LayoutBuilder,
    bytes: &[u8],
    shape: RecordShape,
    records: &[Range<usize>],
    append: impl Fn(&mut LayoutBuilder, &[u8]),
) {
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    for data in records {
        let at = data.start - shape.header();
        let start = builder.at();
        let lengths = append_header(builder, &bytes[at..data.start], shape);
        let data_start = builder.at();
        append(builder, &bytes[data.clone()]);
        for length in lengths {
            builder.is_length(length, builder.since(data_start), shape.included as i64);
        }
        let of = builder.since(start);
        if shape.alignment > 1 {
            let padding = builder.field(&vec![0; shape.alignment - 1], FieldNotation::Fill(0));
            let to = shape.alignment as u32;
            builder.depends(padding, FieldValue::Padding { of, to });
        }
        parts.push(builder.part_since(start));
    }
    builder.fill_list(list, parts);
}

/// Appends the header of a record, and returns its length and those numbers beside it that are the same: some formats state
/// a length twice.
fn append_header(builder: &mut LayoutBuilder, header: &[u8], shape: RecordShape) -> Vec<FieldId> {
    let RecordShape { before, width, order, .. } = shape;
    let length = &header[before..before + width];
    let mut lengths = Vec::new();
    let mut at = 0;
    while at < header.len() {
        let is_aligned = at % width == before % width;
        let is_length = at == before
            || (is_aligned
                && width > 1
                && header.get(at..at + width) == Some(length)
                && length.iter().any(|byte| *byte != 0));
        match is_length {
            true => {
                let bytes = &header[at..at + width];
                lengths.push(builder.field(bytes, FieldNotation::Fixed(order)));
                at += width;
            }
            false => {
                builder.bytes(&header[at..at + 1]);
                at += 1;
            }
        }
    }
    lengths
}
