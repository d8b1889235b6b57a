//! RIFF and IFF: chunks with lengths, padded to even ones; WAV, AVI, WebP, AIFF.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;
use std::ops::Range;

/// The kinds of chunks that consist of a name and chunks.
const NESTING: &[&[u8]] = &[b"RIFF", b"RIFX", b"FORM", b"LIST", b"CAT "];

/// The bytes of a chunk before its data.
const HEADER_BYTES: usize = 8;

/// Reads a file that is one chunk, and what follows it.
pub(crate) fn read_riff(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let order = match bytes.get(..4)? {
        b"RIFF" => ByteOrder::Little,
        b"RIFX" | b"FORM" => ByteOrder::Big,
        _ => return None,
    };
    let is_likely = |length: &usize| *length >= 4 && length.saturating_add(8) <= bytes.len();
    // A file that is cut off is still one, but four letters alone do not make an IFF.
    number(bytes, 4, 4, order).filter(|length| is_likely(length) || bytes.starts_with(b"RIFF"))?;
    append_chunks(builder, bytes, order);
    Some(())
}

/// Appends chunks, the last of which may be cut off.
fn append_chunks(builder: &mut LayoutBuilder, mut rest: &[u8], order: ByteOrder) {
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    while let (Some(kind), Some(length)) = (rest.get(..4), number(rest, 4, 4, order)) {
        let start = builder.at();
        let whole = HEADER_BYTES.checked_add(length).and_then(|end| rest.get(HEADER_BYTES..end));
        let data = whole.unwrap_or(&rest[HEADER_BYTES..]);
        builder.bytes(kind);
        let field = builder.field(&rest[4..8], FieldNotation::Fixed(order));
        let data_start = builder.at();
        match NESTING.contains(&kind) && data.len() >= 4 && builder.can_nest() {
            true => {
                builder.bytes(&data[..4]);
                builder.depth += 1;
                append_chunks(builder, &data[4..], order);
                builder.depth -= 1;
            }
            false => read_nested(builder, data, b""),
        }
        let of = builder.since(data_start);
        let mut end = HEADER_BYTES + data.len();
        if whole.is_some() {
            builder.is_length(field, of.clone(), 0);
            let is_padded = length % 2 == 1 && rest.get(end) == Some(&0);
            if is_padded || length % 2 == 0 {
                // The view always has a byte for this.
                let padding = builder.field(&[0], FieldNotation::Fill(0));
                builder.depends(padding, FieldValue::Padding { of, to: 2 });
                end += usize::from(is_padded);
            }
        }
        parts.push(builder.part_since(start));
        rest = &rest[end..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
}
