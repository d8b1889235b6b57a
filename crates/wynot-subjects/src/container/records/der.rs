//! The distinguished encoding rules of ASN.1: certificates, keys, signed messages.

use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

const SEQUENCE: u8 = 0x30;

/// The bit of tags whose value consists of elements.
const CONSTRUCTED: u8 = 0x20;

/// Reads a file that is one sequence.
pub(crate) fn read_der(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let elements = elements_of(bytes)?;
    let is_sequence = elements.len() == 1 && bytes[0] == SEQUENCE;
    let (_, value) = elements.first().filter(|_| is_sequence)?;
    elements_of(&bytes[value.clone()])?;
    append_elements(builder, bytes, &elements);
    Some(())
}

/// The elements of some bytes, without gaps: where the length of each is, and its value.
fn elements_of(bytes: &[u8]) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut elements = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        // Tags of several bytes are rare.
        if bytes[at] & 0x1f == 0x1f {
            return None;
        }
        let first = *bytes.get(at + 1)?;
        let (start, length) = match first {
            0..=0x7f => (at + 2, usize::from(first)),
            0x81..=0x84 => {
                let digits = bytes.get(at + 2..at + 2 + usize::from(first & 0x7f))?;
                let number =
                    digits.iter().fold(0, |number, digit| number << 8 | usize::from(*digit));
                (at + 2 + digits.len(), number)
            }
            _ => return None,
        };
        let end = start.checked_add(length).filter(|end| *end <= bytes.len())?;
        elements.push((at + 1..start, start..end));
        at = end;
    }
    (!elements.is_empty()).then_some(elements)
}

fn append_elements(
    builder: &mut LayoutBuilder,
    bytes: &[u8],
    elements: &[(Range<usize>, Range<usize>)],
) {
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    for (length, value) in elements {
        let start = builder.at();
        let tag = bytes[length.start - 1];
        builder.bytes(&[tag]);
        let length = builder.field(&bytes[length.clone()], FieldNotation::Der);
        let value_start = builder.at();
        let value = &bytes[value.clone()];
        let is_nested = builder.can_nest() && tag & CONSTRUCTED != 0;
        match is_nested.then(|| elements_of(value)).flatten() {
            Some(elements) => {
                builder.depth += 1;
                append_elements(builder, value, &elements);
                builder.depth -= 1;
            }
            None => drop(builder.payload(value)),
        }
        builder.is_length(length, builder.since(value_start), 0);
        parts.push(builder.part_since(start));
    }
    builder.fill_list(list, parts);
}
