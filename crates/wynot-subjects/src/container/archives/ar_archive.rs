//! Archives of ar: members with decimal lengths, the table of symbols, and the table of long names.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::container_layout::{FieldId, FieldValue};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;
use std::collections::BTreeMap;
use std::ops::Range;

const MAGIC: &[u8] = b"!<arch>\n";

const HEADER_BYTES: usize = 60;
const NAME_BYTES: usize = 16;
const SIZE: Range<usize> = 48..58;
const HEADER_END: &[u8] = b"`\n";

/// The name of the table of long names.
const LONG_NAMES: &[u8] = b"//";

/// The start of names that precede the data, each with its length (BSD).
const INLINE_NAME: &[u8] = b"#1/";

/// A member of an archive.
#[derive(Clone, Copy, Debug)]
struct Member<'b> {
    /// Its position in the file.
    at: usize,
    header: &'b [u8],
    data: &'b [u8],
    padding: &'b [u8],
}

/// The entry of a symbol: an offset and a name, which go with a member.
#[derive(Clone, Debug)]
struct Symbol {
    field: FieldId,
    /// The member that the offset is of.
    member: usize,
    spans: [Range<u32>; 2],
}

/// What was found out about an archive while its members were appended.
#[derive(Debug, Default)]
struct Archive {
    symbols: Vec<Symbol>,
    /// Where each member of the file is in the view.
    starts: BTreeMap<usize, u32>,
    /// The first position of the table of long names, and where each name in it ends.
    names: Option<(u32, Vec<u32>)>,
    /// For each member with a long name: the field, and the position of the name in the table.
    long_names: BTreeMap<usize, (FieldId, usize)>,
}

/// Reads an archive: all whole members, and what follows them.
pub(crate) fn read_ar(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(MAGIC) {
        return None;
    }
    let start = builder.at();
    builder.bytes(MAGIC);
    let list = builder.list(Vec::new());
    let mut archive = Archive::default();
    let mut parts: Vec<(usize, Vec<Range<u32>>)> = Vec::new();
    let mut at = MAGIC.len();
    while let Some(member) = next_member(bytes, at) {
        let member_start = builder.at();
        append_member(builder, &mut archive, member);
        archive.starts.insert(at, member_start);
        parts.push((at, builder.part_since(member_start)));
        at += HEADER_BYTES + member.data.len() + member.padding.len();
    }
    builder.payload(&bytes[at..]);
    finish_references(builder, &archive, start, &mut parts);
    builder.fill_list(list, parts.into_iter().map(|(_, part)| part).collect());
    Some(())
}

/// The member at a position, if it is whole.
fn next_member(bytes: &[u8], at: usize) -> Option<Member<'_>> {
    let header = bytes.get(at..at + HEADER_BYTES).filter(|it| it.ends_with(HEADER_END))?;
    let start = at + HEADER_BYTES;
    let end = start.checked_add(decimal(&header[SIZE])?)?;
    let data = bytes.get(start..end)?;
    let has_padding = data.len() % 2 == 1 && bytes.get(end) == Some(&b'\n');
    Some(Member { at, header, data, padding: &bytes[end..end + usize::from(has_padding)] })
}

/// The number at the start of some bytes, of which blanks may follow.
fn decimal(bytes: &[u8]) -> Option<usize> {
    let digits = bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let is_number = bytes[digits..].iter().all(|byte| *byte == b' ');
    let digits = std::str::from_utf8(&bytes[..digits]).ok().filter(|_| is_number)?;
    // Leading zeros would not be written again.
    digits.parse().ok().filter(|value: &usize| value.to_string() == digits)
}

fn append_member(builder: &mut LayoutBuilder, archive: &mut Archive, member: Member<'_>) {
    let Member { header, data, .. } = member;
    let name = header[..NAME_BYTES].trim_ascii_end();
    let long_name = name.strip_prefix(b"/").and_then(decimal);
    let inline_name = name.strip_prefix(INLINE_NAME).and_then(decimal);
    let inline_name = inline_name.filter(|length| *length <= data.len());
    let mut inline_length = None;
    if let Some(offset) = long_name {
        builder.bytes(&header[..1]);
        let field = builder.field(&header[1..NAME_BYTES], FieldNotation::Decimal);
        archive.long_names.insert(member.at, (field, offset));
    } else if inline_name.is_some() {
        builder.bytes(INLINE_NAME);
        let field = &header[INLINE_NAME.len()..NAME_BYTES];
        inline_length = Some(builder.field(field, FieldNotation::Decimal));
    } else {
        builder.bytes(&header[..NAME_BYTES]);
    }
    builder.bytes(&header[NAME_BYTES..SIZE.start]);
    let size = builder.field(&header[SIZE], FieldNotation::Decimal);
    builder.bytes(HEADER_END);
    let start = builder.at();
    let (inline_name, contents) = data.split_at(inline_name.unwrap_or_default());
    builder.payload(inline_name);
    if let Some(field) = inline_length {
        builder.is_length(field, builder.since(start), 0);
    }
    match name {
        b"/" => append_symbols(builder, archive, contents, 4),
        b"/SYM64/" => append_symbols(builder, archive, contents, 8),
        LONG_NAMES => {
            let start = builder.payload(contents).start;
            let ends = contents.iter().zip(start + 1..).filter(|(byte, _)| **byte == b'\n');
            archive.names = Some((start, ends.map(|(_, end)| end).collect()));
        }
        _ if inline_name.is_empty() => read_nested(builder, contents, name.trim_ascii_end()),
        _ => read_nested(builder, contents, inline_name),
    }
    let of = builder.since(start);
    builder.is_length(size, of.clone(), 0);
    // The view always has a byte for this, unless the archive ends without it.
    if data.len() % 2 == 0 || !member.padding.is_empty() {
        let padding = builder.field(b"\n", FieldNotation::Fill(b'\n'));
        builder.depends(padding, FieldValue::Padding { of, to: 2 });
    }
}

/// Appends a table of symbols: their number, an offset for each, and their names.
fn append_symbols(builder: &mut LayoutBuilder, archive: &mut Archive, data: &[u8], width: usize) {
    let value = |at: usize| number(data, at, width, ByteOrder::Big);
    let count = value(0).filter(|count| *count < data.len() / width);
    let Some(count) = count else {
        builder.payload(data);
        return;
    };
    let notation = FieldNotation::Fixed(ByteOrder::Big);
    let count_field = builder.field(&data[..width], notation);
    let offsets: Vec<(FieldId, u32, usize)> = (1..=count)
        .map(|index| {
            let (start, bytes) = (builder.at(), &data[index * width..(index + 1) * width]);
            let member = value(index * width).unwrap_or_default();
            (builder.field(bytes, notation), start, member)
        })
        .collect();
    let mut rest = &data[(count + 1) * width..];
    let mut parts = Vec::new();
    for (field, start, member) in offsets {
        let end = rest.iter().position(|byte| *byte == 0).map_or(rest.len(), |end| end + 1);
        let name = builder.bytes(&rest[..end]);
        rest = &rest[end..];
        let spans = [start..start + width as u32, name];
        parts.push(spans.to_vec());
        archive.symbols.push(Symbol { field, member, spans });
    }
    builder.payload(rest);
    let list = builder.list(parts);
    builder.depends(count_field, FieldValue::Count { list, times: 1, plus: 0 });
}

/// Says what symbols and long names belong to. Both go with their members.
fn finish_references(
    builder: &mut LayoutBuilder,
    archive: &Archive,
    start: u32,
    parts: &mut [(usize, Vec<Range<u32>>)],
) {
    let mut found: BTreeMap<usize, Vec<Range<u32>>> = BTreeMap::new();
    for symbol in &archive.symbols {
        if let Some(of) = archive.starts.get(&symbol.member) {
            builder.depends(
                symbol.field,
                FieldValue::Offset { of: *of, from: start, plus: 0, unit: 1 },
            );
            found.entry(symbol.member).or_default().extend(symbol.spans.clone());
        }
    }
    let mut named = BTreeMap::new();
    for (member, (field, offset)) in &archive.long_names {
        let Some((from, ends)) = &archive.names else { break };
        let of = u32::try_from(*offset).ok().and_then(|offset| from.checked_add(offset));
        let Some(of) = of.filter(|of| ends.last().is_some_and(|end| of < end)) else { continue };
        builder.depends(*field, FieldValue::Offset { of, from: *from, plus: 0, unit: 1 });
        let end = ends[ends.partition_point(|end| *end <= of)];
        // Members of the same name share it.
        if named.insert(of, *member).is_none() {
            found.entry(*member).or_default().push(of..end);
        }
    }
    for (member, part) in parts {
        part.extend(found.remove(member).unwrap_or_default());
        part.sort_by_key(|span| span.start);
        part.dedup();
    }
}
