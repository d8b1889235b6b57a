//! Archives of tar: headers with a length and a checksum, and files padded to blocks.

use crate::container::checksum::{Checksum, TAR_SUM_FIELD};
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;
use std::ops::Range;

const BLOCK_BYTES: usize = 512;
const SIZE: Range<usize> = 124..136;
const MAGIC: Range<usize> = 257..262;

/// Reads an archive: all whole entries, and what follows them.
pub(crate) fn read_tar(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut rest = bytes;
    while let Some((header, data, after)) = next_entry(rest) {
        let start = builder.at();
        builder.bytes(&header[..SIZE.start]);
        let size = builder.field(&header[SIZE], FieldNotation::Octal);
        builder.bytes(&header[SIZE.end..TAR_SUM_FIELD.start]);
        let checksum = builder.field(&header[TAR_SUM_FIELD], FieldNotation::Octal);
        builder.bytes(&header[TAR_SUM_FIELD.end..]);
        let of = builder.since(start);
        builder.depends(checksum, FieldValue::Checksum { kind: Checksum::TarSum, of });
        let data_start = builder.at();
        let name = header[..100].split(|byte| *byte == 0).next().unwrap_or_default();
        read_nested(builder, data, name);
        let of = builder.since(data_start);
        builder.is_length(size, of.clone(), 0);
        let padding = builder.field(&[0; BLOCK_BYTES - 1], FieldNotation::Fill(0));
        builder.depends(padding, FieldValue::Padding { of, to: BLOCK_BYTES as u32 });
        parts.push(builder.part_since(start));
        rest = after;
    }
    if parts.is_empty() {
        return None;
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The header and the data of the first entry, and what follows it.
fn next_entry(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let header = bytes.get(..BLOCK_BYTES).filter(|header| header[MAGIC] == *b"ustar")?;
    let octal = |field: Range<usize>| {
        let digits: Vec<u8> =
            header[field].iter().copied().take_while(u8::is_ascii_digit).collect();
        usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 8).ok()
    };
    let size = octal(SIZE)?;
    if octal(TAR_SUM_FIELD)? as u64 != Checksum::TarSum.of(header) {
        return None;
    }
    let end = BLOCK_BYTES.checked_add(size)?;
    let data = bytes.get(BLOCK_BYTES..end)?;
    let padded = end.checked_next_multiple_of(BLOCK_BYTES)?;
    let padding = bytes.get(end..padded).filter(|padding| padding.iter().all(|it| *it == 0))?;
    Some((header, data, &bytes[end + padding.len()..]))
}
