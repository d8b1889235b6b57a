//! The wire format of protocol buffers: fields of messages, without their schema.

use crate::container::byte_numbers::varint;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;
use std::ops::Range;

/// The largest number of a field that is believed.
const MAX_FIELD_NUMBER: u64 = 1 << 19;

/// A whole file has at least this number of fields, or fields inside fields.
const MIN_FIELDS: usize = 3;

/// A field of a message: its bytes, and those of its value if it has a length.
#[derive(Clone, Debug)]
struct WireField {
    bytes: Range<usize>,
    /// The length and the value.
    delimited: Option<(Range<usize>, Range<usize>)>,
}

/// Reads a file that is a message.
pub(crate) fn read_protobuf(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let fields = fields_of(bytes)?;
    let delimited = fields.iter().filter_map(|field| field.delimited.clone());
    let values: Vec<Range<usize>> = delimited.map(|(_, value)| value).collect();
    let has_messages = values.iter().any(|value| {
        value.len() > 3
            && !is_text(&bytes[value.clone()])
            && fields_of(&bytes[value.clone()]).is_some()
    });
    if values.is_empty() || (fields.len() < MIN_FIELDS && !has_messages) {
        return None;
    }
    append_message(builder, bytes, &fields);
    Some(())
}

/// The fields of a message, without gaps; `None` if it is none.
fn fields_of(bytes: &[u8]) -> Option<Vec<WireField>> {
    let mut fields = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let (tag, value) = varint(bytes, at)?;
        if !(1..=MAX_FIELD_NUMBER).contains(&(tag >> 3)) {
            return None;
        }
        let mut delimited = None;
        let end = match tag & 7 {
            0 => varint(bytes, value)?.1,
            1 => value + 8,
            5 => value + 4,
            2 => {
                let (length, start) = varint(bytes, value)?;
                let end = start.checked_add(usize::try_from(length).ok()?)?;
                delimited = Some((value..start, start..end));
                end
            }
            _ => return None,
        };
        if end > bytes.len() {
            return None;
        }
        fields.push(WireField { bytes: at..end, delimited });
        at = end;
    }
    (!fields.is_empty()).then_some(fields)
}

/// Whether bytes are a text rather than a message.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes).is_ok_and(|text| !text.chars().any(|it| it < ' ' && it != '\n'))
}

fn append_message(builder: &mut LayoutBuilder, bytes: &[u8], fields: &[WireField]) {
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    for field in fields {
        let start = builder.at();
        let Some((length, value)) = &field.delimited else {
            parts.push(vec![builder.bytes(&bytes[field.bytes.clone()])]);
            continue;
        };
        builder.bytes(&bytes[field.bytes.start..length.start]);
        let length = builder.field(&bytes[length.clone()], FieldNotation::Varint);
        let value_start = builder.at();
        let value = &bytes[value.clone()];
        let is_nested = builder.can_nest() && !is_text(value);
        match is_nested.then(|| fields_of(value)).flatten() {
            Some(fields) => {
                builder.depth += 1;
                append_message(builder, value, &fields);
                builder.depth -= 1;
            }
            None => read_nested(builder, value, b""),
        }
        builder.is_length(length, builder.since(value_start), 0);
        parts.push(builder.part_since(start));
    }
    builder.fill_list(list, parts);
}
