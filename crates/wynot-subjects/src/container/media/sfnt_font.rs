//! Fonts (TrueType, OpenType): tables with their records, checksums and padding; glyphs and names with their offsets.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::{FieldValue, SearchField};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

const BIG: ByteOrder = ByteOrder::Big;

const SIGNATURES: &[&[u8]] = &[b"\0\x01\0\0", b"OTTO", b"true"];

const HEADER_BYTES: usize = 12;
const RECORD_BYTES: usize = 16;
const NAME_RECORD_BYTES: usize = 12;

/// The fields after the number of tables, which say how to search the records.
const SEARCH_FIELDS: [(usize, SearchField); 3] =
    [(6, SearchField::Range), (8, SearchField::Selector), (10, SearchField::Shift)];

/// Where the first table has the checksum of the file, and the kind of offsets of glyphs.
const FILE_CHECKSUM: usize = 8;
const OFFSET_KIND: usize = 50;

/// A table: its record and its bytes.
#[derive(Clone, Debug)]
struct Table<'b> {
    tag: &'b [u8],
    record: Range<usize>,
    data: Range<usize>,
}

impl Table<'_> {
    /// The table and what pads it.
    fn padded(&self, bytes: &[u8]) -> Range<usize> {
        let padded = self.data.end.next_multiple_of(4).min(bytes.len());
        let is_padding = bytes[self.data.end..padded].iter().all(|byte| *byte == 0);
        self.data.start..if is_padding { padded } else { self.data.end }
    }
}

/// Reads a file whose records are all there.
pub(crate) fn read_sfnt(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let is_font = SIGNATURES.iter().any(|signature| bytes.starts_with(signature));
    let count = number(bytes, 4, 2, BIG).filter(|count| is_font && *count > 0)?;
    let records = HEADER_BYTES..HEADER_BYTES + count * RECORD_BYTES;
    bytes.get(records.clone())?;
    let table = |at: usize| {
        let start = number(bytes, at + 8, 4, BIG)?;
        let data = start..start.checked_add(number(bytes, at + 12, 4, BIG)?)?;
        let is_there = records.end <= data.start && data.end <= bytes.len();
        let tag = &bytes[at..at + 4];
        is_there.then_some(Table { tag, record: at..at + RECORD_BYTES, data })
    };
    let tables: Vec<Option<Table<'_>>> = records.clone().step_by(RECORD_BYTES).map(table).collect();
    if tables.iter().all(Option::is_none) {
        return None;
    }
    let mut order: Vec<&Table<'_>> = tables.iter().flatten().collect();
    order.sort_by_key(|table| (table.data.start, table.data.end));
    let overlaps = order.windows(2).any(|pair| pair[0].padded(bytes).end > pair[1].data.start);
    let is_unpadded = |table: &&&Table<'_>| table.padded(bytes).end == table.data.end;
    let mut seams: Vec<usize> = order.iter().filter(is_unpadded).map(|it| it.data.end).collect();
    seams.dedup();
    // Tables that share bytes stay where they are.
    let seams = if overlaps { Vec::new() } else { seams };
    let mut file = FlatFile::with_seams(builder, bytes, BIG, seams);
    read_tables(builder, &mut file, &tables, overlaps);
    file.append(builder, HEADER_BYTES);
    Some(())
}

fn read_tables(
    builder: &mut LayoutBuilder,
    file: &mut FlatFile<'_>,
    tables: &[Option<Table<'_>>],
    overlaps: bool,
) {
    let list = builder.list(Vec::new());
    let mut parts = Vec::new();
    file.add(4, 2, FieldValue::Count { list, times: 1, plus: 0 });
    for (at, field) in SEARCH_FIELDS {
        if file.number(at, 2) == Some(field.of(tables.len() as u64) as usize) {
            file.add(at, 2, FieldValue::Search { list, field });
        }
    }
    let find = |tag: &[u8]| tables.iter().flatten().find(|table| table.tag == tag);
    let is_checked = find(b"head").is_some_and(|head| add_file_checksum(file, head));
    for (index, table) in tables.iter().enumerate() {
        let record = HEADER_BYTES + index * RECORD_BYTES;
        let Some(table) = table else {
            parts.push(vec![file.span(record..record + RECORD_BYTES)]);
            continue;
        };
        let padded = table.padded(file.bytes);
        let spans = if overlaps { vec![] } else { vec![file.span(padded.clone())] };
        parts.push([vec![file.span(table.record.clone())], spans].concat());
        file.add_offset(record + 8, 4, table.data.start);
        file.add_length(record + 12, 4, table.data.clone(), 1);
        if !overlaps {
            add_table_checksum(file, table, is_checked);
            file.add_padding(table.data.end..padded.end, 0, table.data.clone(), 4);
        }
    }
    builder.fill_list(list, parts);
    if let (Some(head), Some(offsets), Some(glyphs)) = (find(b"head"), find(b"loca"), find(b"glyf"))
    {
        let is_long = file.number(head.data.start + OFFSET_KIND, 2) == Some(1);
        read_glyphs(builder, file, (&offsets.data, is_long), &glyphs.data);
    }
    if let Some(names) = find(b"name") {
        read_names(builder, file, &names.data);
    }
    for table in tables.iter().flatten() {
        builder.is_payload(file.span(table.data.clone()));
    }
}

/// Adds the checksum of the file, if it is right; it is left out of all checksums.
fn add_file_checksum(file: &mut FlatFile<'_>, head: &Table<'_>) -> bool {
    let at = head.data.start + FILE_CHECKSUM;
    let mut bytes = file.bytes.to_vec();
    if head.data.len() < FILE_CHECKSUM + 4 {
        return false;
    }
    bytes[at..at + 4].fill(0);
    let kind = Checksum::SfntFile;
    let is_right = file.number(at, 4) == Some(kind.of(&bytes) as usize & 0xffff_ffff);
    if is_right {
        let of = file.target(0..file.bytes.len());
        file.add(at, 4, FieldValue::Checksum { kind, of });
    }
    is_right
}

fn add_table_checksum(file: &mut FlatFile<'_>, table: &Table<'_>, is_file_checked: bool) {
    let mut data = file.bytes[table.data.clone()].to_vec();
    if table.tag == b"head" && is_file_checked {
        data[FILE_CHECKSUM..FILE_CHECKSUM + 4].fill(0);
    }
    let (kind, at) = (Checksum::Words, table.record.start + 4);
    if file.number(at, 4) == Some(kind.of(&data) as usize & 0xffff_ffff) {
        let of = file.target(table.data.clone());
        file.add(at, 4, FieldValue::Checksum { kind, of });
    }
}

/// Reads the offsets of glyphs: those of their starts, and one of the end.
fn read_glyphs(
    builder: &mut LayoutBuilder,
    file: &mut FlatFile<'_>,
    (offsets, is_long): (&Range<usize>, bool),
    data: &Range<usize>,
) {
    let (width, unit) = if is_long { (4, 1) } else { (2, 2) };
    let mut parts = Vec::new();
    let mut before: Option<usize> = None;
    for at in offsets.clone().step_by(width).filter(|at| at + width <= offsets.end) {
        let Some(offset) = file.number(at, width) else { break };
        let of = data.start.saturating_add(offset.saturating_mul(unit));
        if of > data.end || before.is_some_and(|before| before > of) {
            break;
        }
        file.add_distance_in(unit as u32, (at, width), of, data.start);
        if let Some(start) = before.filter(|start| *start < of) {
            parts.push(vec![file.span(start..of)]);
        }
        before = Some(of);
    }
    builder.list(parts);
}

/// Reads a table of names: records with the lengths and the offsets of texts, which may share bytes.
fn read_names(builder: &mut LayoutBuilder, file: &mut FlatFile<'_>, data: &Range<usize>) {
    let value = |file: &FlatFile<'_>, at: usize| file.number(at, 2).unwrap_or_default();
    let start = data.start + value(file, data.start + 4);
    let count = value(file, data.start + 2);
    let first = data.start + 6;
    if start > data.end || first + count * NAME_RECORD_BYTES > start {
        return;
    }
    let list = builder.list(Vec::new());
    file.add(data.start + 2, 2, FieldValue::Count { list, times: 1, plus: 0 });
    file.add_distance(data.start + 4, 2, start, data.start);
    let mut parts = Vec::new();
    for at in (0..count).map(|index| first + index * NAME_RECORD_BYTES) {
        let from = start + value(file, at + 10);
        let text = from..from + value(file, at + 8);
        let mut part = vec![file.span(at..at + NAME_RECORD_BYTES)];
        if text.end <= data.end {
            file.add_length(at + 8, 2, text.clone(), 1);
            file.add_distance(at + 10, 2, from, start);
            part.push(file.span(text));
        }
        parts.push(part);
    }
    builder.fill_list(list, parts);
}
