//! WebAssembly: sections, and functions with their bodies.

use crate::container::byte_numbers::varint;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

const HEADER_BYTES: usize = 8;
const FUNCTIONS: u8 = 3;
const CODE: u8 = 10;

/// Reads a module: all whole sections, and what follows them.
pub(crate) fn read_wasm(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(b"\0asm") || bytes.len() < HEADER_BYTES {
        return None;
    }
    builder.bytes(&bytes[..HEADER_BYTES]);
    let list = builder.list(Vec::new());
    let functions = builder.list(Vec::new());
    let mut types: Vec<Range<u32>> = Vec::new();
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut rest = &bytes[HEADER_BYTES..];
    while let Some((length, start)) = varint(rest, 1) {
        let end = usize::try_from(length).ok().and_then(|length| start.checked_add(length));
        let Some(data) = end.and_then(|end| rest.get(start..end)) else { break };
        let section = builder.at();
        builder.bytes(&rest[..1]);
        let field = builder.field(&rest[1..start], FieldNotation::Varint);
        let data_start = builder.at();
        let items = match rest[0] {
            FUNCTIONS => {
                append_items(builder, data, functions, |data, at| varint(data, at).map(|it| it.1))
            }
            CODE => append_items(builder, data, functions, end_of_body),
            _ => None,
        };
        match (rest[0], items) {
            (FUNCTIONS, Some(items)) => types = items,
            (CODE, Some(bodies)) if bodies.len() == types.len() => {
                let pairs = types.iter().zip(bodies);
                let both = pairs.map(|(kind, body)| vec![kind.clone(), body]).collect();
                builder.fill_list(functions, both);
            }
            (_, Some(items)) => {
                builder.fill_list(functions, items.into_iter().map(|item| vec![item]).collect());
            }
            (_, None) => drop(builder.payload(data)),
        }
        builder.is_length(field, builder.since(data_start), 0);
        parts.push(builder.part_since(section));
        rest = &rest[start + data.len()..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The position after the body of a function at a position.
fn end_of_body(data: &[u8], at: usize) -> Option<usize> {
    let (length, start) = varint(data, at)?;
    start.checked_add(usize::try_from(length).ok()?).filter(|end| *end <= data.len())
}

/// Appends a number and as many items, and returns where they are; `None` if the data are something else.
fn append_items(
    builder: &mut LayoutBuilder,
    data: &[u8],
    list: u32,
    end_of: impl Fn(&[u8], usize) -> Option<usize>,
) -> Option<Vec<Range<u32>>> {
    let (count, start) = varint(data, 0)?;
    let mut items = Vec::new();
    let mut at = start;
    while at < data.len() {
        let end = end_of(data, at)?;
        items.push(at..end);
        at = end;
    }
    if items.len() as u64 != count {
        return None;
    }
    let field = builder.field(&data[..start], FieldNotation::Varint);
    builder.depends(field, FieldValue::Count { list, times: 1, plus: 0 });
    let mut spans = Vec::new();
    for item in items {
        let body = &data[item];
        let span = builder.at();
        match varint(body, 0).filter(|(_, start)| *start < body.len()) {
            Some((_, start)) => {
                let length = builder.field(&body[..start], FieldNotation::Varint);
                let code = builder.payload(&body[start..]);
                builder.is_length(length, builder.since(code.start), 0);
            }
            None => drop(builder.bytes(body)),
        }
        spans.push(span..builder.at());
    }
    Some(spans)
}
