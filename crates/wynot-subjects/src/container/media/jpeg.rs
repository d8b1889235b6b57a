//! JPEG: segments between markers, and the scans that follow some of them.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;
use std::ops::Range;

const BIG: ByteOrder = ByteOrder::Big;

/// Signatures in segments after which another format begins.
const EXIF: &[u8] = b"Exif\0\0";

/// Reads a file: all whole segments, and what follows them.
pub(crate) fn read_jpeg(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.strip_prefix(b"\xff\xd8").filter(|rest| rest.first() == Some(&0xff))?;
    builder.bytes(b"\xff\xd8");
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut components = Components { list: builder.list(Vec::new()), found: Vec::new() };
    while let [0xff, marker, ..] = rest {
        let start = builder.at();
        let marker = *marker;
        // A marker may begin with more than one byte of this value.
        let mut end = if marker == 0xff { 1 } else { 2 };
        // Markers without data: restarts, start and end of an image.
        if matches!(marker, 0x00 | 0x01 | 0xd0..=0xd9 | 0xff) {
            builder.bytes(&rest[..end]);
        } else {
            let length = number(rest, 2, 2, BIG).filter(|length| *length >= 2);
            let Some(data) = length.and_then(|length| rest.get(4..2 + length)) else { break };
            builder.bytes(&rest[..2]);
            let field = builder.field(&rest[2..4], FieldNotation::Fixed(BIG));
            let data_start = builder.at();
            append_segment(builder, marker, data, &mut components);
            builder.is_length(field, builder.since(data_start), 2);
            end = 4 + data.len();
        }
        if marker == 0xda {
            let scan = scan_bytes(&rest[end..]);
            builder.payload(&rest[end..end + scan]);
            end += scan;
        }
        parts.push(builder.part_since(start));
        rest = &rest[end..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    let found = components.found.into_iter().map(|(_, spans)| spans);
    builder.fill_list(components.list, found.collect());
    Some(())
}

/// The components of the image, by their numbers: each is described in the frame and in the scans.
#[derive(Debug)]
struct Components {
    list: ListId,
    found: Vec<(u8, Vec<Range<u32>>)>,
}

/// Appends the data of a segment.
fn append_segment(
    builder: &mut LayoutBuilder,
    marker: u8,
    data: &[u8],
    components: &mut Components,
) {
    if let Some(inner) = data.strip_prefix(EXIF) {
        builder.bytes(EXIF);
        read_nested(builder, inner, b"");
        return;
    }
    // Before the descriptions of components stands their number.
    let (before, width) = match marker {
        0xc4 | 0xc8 | 0xcc => (usize::MAX, 1),
        0xc0..=0xcf => (5, 3),
        0xda => (0, 2),
        _ => (usize::MAX, 1),
    };
    let count = data.get(before).map(|count| usize::from(*count));
    let described = count.and_then(|count| data.get(before + 1..before + 1 + count * width));
    let Some(described) = described.filter(|it| !it.is_empty()) else {
        builder.payload(data);
        return;
    };
    builder.bytes(&data[..before]);
    let field = builder.field(&data[before..=before], FieldNotation::Fixed(BIG));
    let is_frame = marker != 0xda && components.found.is_empty();
    let mut known = 0;
    for description in described.chunks(width) {
        let span = builder.bytes(description);
        let component = components.found.iter_mut().find(|(id, _)| *id == description[0]);
        match component {
            Some((_, spans)) => spans.push(span),
            None if is_frame => components.found.push((description[0], vec![span])),
            None => continue,
        }
        known += 1;
    }
    if known == components.found.len() && Some(known) == count {
        let list = components.list;
        builder.depends(field, FieldValue::Count { list, times: 1, plus: 0 });
    }
    builder.payload(&data[before + 1 + described.len()..]);
}

/// The number of bytes up to the next marker that is no restart.
fn scan_bytes(bytes: &[u8]) -> usize {
    let is_marker = |pair: &[u8]| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7);
    bytes.windows(2).position(is_marker).unwrap_or(bytes.len())
}
