//! The items of images in ISO base media (HEIC, AVIF): an item goes with its data, whose places and lengths a table has.

use crate::container::container_layout::FieldValue;
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

/// The way in which offsets of items are those in the file.
const IN_FILE: usize = 0;

/// The widths of the numbers of a table of items.
#[derive(Clone, Copy, Debug)]
struct Widths {
    /// Of the number of items, and of the number that an item has.
    item: usize,
    /// Of the way in which offsets are meant, if it is there.
    method: usize,
    base: usize,
    index: usize,
    offset: usize,
    length: usize,
}

/// Reads a table of the places of items.
pub(crate) fn read_items(builder: &mut LayoutBuilder, file: &mut FlatFile<'_>, data: Range<usize>) {
    let list = builder.list(Vec::new());
    let mut parts = Vec::new();
    if let Some((widths, count)) = widths_and_count(file, data.start) {
        let mut at = data.start + 6 + widths.item;
        while parts.len() < count {
            let Some((end, mut part)) = read_item(file, at, widths) else { break };
            if end > data.end {
                break;
            }
            part.push(at..end);
            at = end;
            parts.push(part.into_iter().map(|bytes| file.span(bytes)).collect());
        }
        if parts.len() == count {
            let value = FieldValue::Count { list, times: 1, plus: 0 };
            file.add(data.start + 6, widths.item, value);
        }
    }
    builder.fill_list(list, parts);
}

/// The widths of numbers in a table, and the number of items.
fn widths_and_count(file: &FlatFile<'_>, at: usize) -> Option<(Widths, usize)> {
    let (version, widths) = (file.number(at, 1)?, file.number(at + 4, 2)?);
    let width = |shift: usize| widths >> shift & 15;
    let has_method = version == 1 || version == 2;
    let widths = Widths {
        item: if version < 2 { 2 } else { 4 },
        method: if has_method { 2 } else { 0 },
        offset: width(12),
        length: width(8),
        base: width(4),
        index: if has_method { width(0) } else { 0 },
    };
    let all = [widths.offset, widths.length, widths.base, widths.index];
    let is_known = version <= 2 && all.iter().all(|width| *width <= 8);
    Some((widths, file.number(at + 6, widths.item).filter(|_| is_known)?))
}

/// Reads an item; returns where its entry ends, and its data.
fn read_item(
    file: &mut FlatFile<'_>,
    at: usize,
    widths: Widths,
) -> Option<(usize, Vec<Range<usize>>)> {
    let method = file.number(at + widths.item, widths.method)?;
    let base_at = at + widths.item + widths.method + 2;
    let base = file.number(base_at, widths.base)?;
    let extents_at = base_at + widths.base;
    let extents = file.number(extents_at, 2)?;
    let mut data = Vec::new();
    let mut next = extents_at + 2;
    for _ in 0..extents {
        let offset_at = next + widths.index;
        let length_at = offset_at + widths.offset;
        next = length_at + widths.length;
        let start = base.checked_add(file.number(offset_at, widths.offset)?)?;
        let bytes = start..start.checked_add(file.number(length_at, widths.length)?)?;
        if next == extents_at + 2 {
            return None;
        }
        if method & 15 != IN_FILE || !file.has(&bytes) || bytes.is_empty() {
            continue;
        }
        file.add_distance(offset_at, widths.offset, bytes.start, base);
        file.add_length(length_at, widths.length, bytes.clone(), 1);
        data.push(bytes);
    }
    if base > 0 && !data.is_empty() {
        file.add_offset(base_at, widths.base, base);
    }
    Some((next, data))
}
