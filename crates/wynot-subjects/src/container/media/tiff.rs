//! TIFF: directories of entries, the data that entries point to, and strips.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::FieldValue;
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::collections::BTreeSet;
use std::ops::Range;

const HEADER_BYTES: usize = 8;

const ENTRY_BYTES: usize = 12;

/// The tags of offsets of image data, each with the tag of their lengths.
const STRIPS: &[(usize, usize)] = &[(273, 279), (324, 325), (513, 514)];

/// The tags of entries that point to another directory.
const DIRECTORIES: &[usize] = &[330, 34665, 34853, 40965];

/// An entry of a directory.
#[derive(Clone, Debug)]
struct Entry {
    at: usize,
    tag: usize,
    /// The bytes of one value.
    width: usize,
    /// The bytes of all values, in the entry or elsewhere.
    values: Range<usize>,
}

/// Reads a file whose first directory is there.
pub(crate) fn read_tiff(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let order = match bytes.get(..4)? {
        b"II*\0" => ByteOrder::Little,
        b"MM\0*" => ByteOrder::Big,
        _ => return None,
    };
    let mut file = FlatFile::new(builder, bytes, order);
    let first = file.number(4, 4)?;
    file.number(first, 2)?;
    file.add_offset(4, 4, first);
    let mut seen = BTreeSet::new();
    let mut pending = vec![first];
    while let Some(directory) = pending.pop() {
        if seen.insert(directory) {
            pending.extend(read_directory(builder, &mut file, directory));
        }
    }
    file.append(builder, HEADER_BYTES);
    Some(())
}

/// Reads a directory, and returns those that it points to.
fn read_directory(builder: &mut LayoutBuilder, file: &mut FlatFile<'_>, at: usize) -> Vec<usize> {
    let Some(count) = file.number(at, 2) else { return Vec::new() };
    let entries: Vec<Entry> =
        (0..count).map_while(|index| read_entry(file, at + 2 + index * ENTRY_BYTES)).collect();
    let mut found = Vec::new();
    let mut parts = Vec::new();
    for entry in &entries {
        let is_elsewhere = entry.values.start != entry.at + 8;
        let mut spans = vec![file.span(entry.at..entry.at + ENTRY_BYTES)];
        if is_elsewhere {
            file.add_offset(entry.at + 8, 4, entry.values.start);
            file.add_length(entry.at + 4, 4, entry.values.clone(), entry.width);
            builder.is_payload(file.span(entry.values.clone()));
            spans.push(file.span(entry.values.clone()));
        }
        if DIRECTORIES.contains(&entry.tag) && entry.width == 4 {
            for value in entry.values.clone().step_by(4) {
                let Some(offset) = file.number(value, 4) else { continue };
                file.add_offset(value, 4, offset);
                found.push(offset);
            }
        }
        parts.push(spans);
    }
    let list = builder.list(parts);
    if entries.len() == count {
        file.add(at, 2, FieldValue::Count { list, times: 1, plus: 0 });
        let next = at + 2 + count * ENTRY_BYTES;
        if let Some(offset) = file.number(next, 4).filter(|offset| *offset != 0) {
            file.add_offset(next, 4, offset);
            found.push(offset);
        }
    }
    for (offsets, lengths) in STRIPS {
        let entry = |tag: &usize| entries.iter().find(|entry| entry.tag == *tag);
        if let (Some(offsets), Some(lengths)) = (entry(offsets), entry(lengths)) {
            read_strips(builder, file, offsets, lengths);
        }
    }
    found
}

fn read_entry(file: &FlatFile<'_>, at: usize) -> Option<Entry> {
    let (tag, kind, count) =
        (file.number(at, 2)?, file.number(at + 2, 2)?, file.number(at + 4, 4)?);
    let offset = file.number(at + 8, 4)?;
    let width = match kind {
        3 | 8 => 2,
        4 | 9 | 11 | 13 => 4,
        5 | 10 | 12 => 8,
        _ => 1,
    };
    let length = width * count;
    let elsewhere = offset..offset.saturating_add(length);
    let values = match length > 4 && file.has(&elsewhere) {
        true => elsewhere,
        false => at + 8..at + 8 + length.min(4),
    };
    Some(Entry { at, tag, width, values })
}

/// Reads strips or tiles: data, each with an offset and a length. A strip goes with both.
fn read_strips(
    builder: &mut LayoutBuilder,
    file: &mut FlatFile<'_>,
    offsets: &Entry,
    lengths: &Entry,
) {
    let places = offsets.values.clone().step_by(offsets.width);
    let mut parts = Vec::new();
    for (place, length_place) in places.zip(lengths.values.clone().step_by(lengths.width)) {
        let offset = file.number(place, offsets.width);
        let length = file.number(length_place, lengths.width);
        let (Some(offset), Some(length)) = (offset, length) else { continue };
        let data = offset..offset.saturating_add(length);
        if !file.has(&data) || offset == 0 {
            continue;
        }
        file.add_offset(place, offsets.width, offset);
        file.add_length(length_place, lengths.width, data.clone(), 1);
        builder.is_payload(file.span(data.clone()));
        parts.push(vec![
            file.span(data),
            file.span(place..place + offsets.width),
            file.span(length_place..length_place + lengths.width),
        ]);
    }
    // Of a single strip, offset and length are in their entries.
    if parts.len() > 1 {
        builder.list(parts);
    }
}
