//! The gzip format: members of a header, a stream, the CRC-32 of its contents and their length.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::{LayoutBuilder, Opening};
use crate::container::read_nested;

const SIGNATURE: &[u8] = &[0x1f, 0x8b, 8];

/// Reads a file of one or more members.
pub(crate) fn read_gzip(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let list = builder.list(Vec::new());
    let mut members = Vec::new();
    let mut rest = bytes;
    while let Some(next) = read_member(builder, rest, &mut members) {
        rest = next;
    }
    if members.is_empty() {
        return None;
    }
    builder.payload(rest);
    builder.fill_list(list, members);
    Some(())
}

/// Reads one member, and returns what follows it.
fn read_member<'b>(
    builder: &mut LayoutBuilder,
    bytes: &'b [u8],
    members: &mut Vec<Vec<std::ops::Range<u32>>>,
) -> Option<&'b [u8]> {
    let start = builder.at();
    let (header, optional) = header_bytes(bytes)?;
    let (contents, length) = builder.contents_of_stream(bytes.get(header..)?)?;
    match builder.opening {
        // Without a name and a comment.
        Opening::Stored => builder.bytes(&[&bytes[..3], &[0], &bytes[4..10]].concat()),
        _ => {
            builder.bytes(&bytes[..10]);
            builder.payload(optional)
        }
    };
    let of = builder.stream(|builder| read_nested(builder, &contents, b""));
    let end = header + length;
    let little = ByteOrder::Little;
    let crc = number(bytes, end, 4, little);
    let size = number(bytes, end + 4, 4, little);
    if let (Some(crc), Some(size)) = (crc, size) {
        let notation = FieldNotation::Fixed(little);
        let field = builder.field(&bytes[end..end + 4], notation);
        if crc == Checksum::Crc32.of(&contents) as usize {
            let value = FieldValue::Checksum { kind: Checksum::Crc32, of: of.clone() };
            builder.depends(field, value);
        }
        let field = builder.field(&bytes[end + 4..end + 8], notation);
        if size == contents.len() & 0xffff_ffff {
            builder.is_length(field, of, 0);
        }
    }
    let after = (end + 8).min(bytes.len());
    if crc.is_none() || size.is_none() {
        builder.payload(&bytes[end..after]);
    }
    members.push(builder.part_since(start));
    Some(&bytes[after..])
}

/// The number of bytes before the stream of a member, and those of them that a flag announces.
fn header_bytes(bytes: &[u8]) -> Option<(usize, &[u8])> {
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    let flags = *bytes.get(3)?;
    let mut at = 10;
    if flags & 4 != 0 {
        at += 2 + number(bytes, at, 2, ByteOrder::Little)?;
    }
    for text in [8, 16] {
        if flags & text != 0 {
            at += bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
        }
    }
    if flags & 2 != 0 {
        at += 2;
    }
    Some((at, bytes.get(10..at)?))
}
