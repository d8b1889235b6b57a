//! ZIP: entries with their records in the central directory, and the record at the end.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::{FieldId, FieldValue, ListId, Target};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::{LayoutBuilder, Opening};
use crate::container::read_nested;
use std::ops::Range;

const LITTLE: ByteOrder = ByteOrder::Little;
const FIXED: FieldNotation = FieldNotation::Fixed(LITTLE);
const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const DESCRIPTOR: &[u8] = b"PK\x07\x08";

const LOCAL_BYTES: usize = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;

const STORED: usize = 0;
const DEFLATED: usize = 8;

/// The flag of entries whose checksum and lengths follow their data.
const HAS_DESCRIPTOR: u8 = 8;

/// An entry of an archive.
#[derive(Clone, Debug)]
struct Entry<'b> {
    /// Its bytes in the file: header, data and descriptor.
    span: Range<usize>,
    local: &'b [u8],
    name: &'b [u8],
    extra: &'b [u8],
    data: &'b [u8],
    descriptor: &'b [u8],
    /// Its record in the central directory, without what follows it.
    central: &'b [u8],
    central_name: &'b [u8],
    central_extra: &'b [u8],
    comment: &'b [u8],
    crc: usize,
    length: usize,
    method: usize,
}

/// An entry as it was appended.
#[derive(Clone, Debug)]
struct Appended {
    span: Range<u32>,
    name: Range<u32>,
    method: usize,
    has_descriptor: bool,
    sizes: Sizes,
}

/// What the checksum and the lengths of an entry are about.
#[derive(Clone, Debug)]
struct Sizes {
    data: Target,
    /// The contents, if they are known.
    contents: Option<Target>,
    has_right_checksum: bool,
    has_right_length: bool,
}

/// Reads an archive whose central directory is right.
pub(crate) fn read_zip(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let end = (bytes.len() >= END_BYTES).then(|| find_end(bytes)).flatten()?;
    let (count, size) = (number(bytes, end + 10, 2, LITTLE)?, number(bytes, end + 12, 4, LITTLE)?);
    let directory = number(bytes, end + 16, 4, LITTLE)?;
    if directory.checked_add(size)? != end || count == 0 {
        return None;
    }
    let (entries, rest) = read_directory(bytes, directory, count)?;
    if rest != end {
        return None;
    }
    let start = builder.at();
    let list = builder.list(Vec::new());
    let mut order: Vec<usize> = (0..entries.len()).collect();
    order.sort_by_key(|index| entries[*index].span.start);
    let mut appended: Vec<Option<Appended>> = vec![None; entries.len()];
    let mut at = 0;
    for index in order {
        let entry = &entries[index];
        builder.payload(bytes.get(at..entry.span.start)?);
        appended[index] = Some(append_entry(builder, entry));
        at = entry.span.end;
    }
    builder.payload(bytes.get(at..directory)?);
    let appended: Vec<Appended> = appended.into_iter().flatten().collect();
    let directory = builder.at();
    append_directory(builder, (start, list), &entries, &appended);
    let directory = builder.since(directory);
    append_end(builder, &bytes[end..], (start, list), directory);
    Some(())
}

/// The position of the record at the end, which may have a comment.
fn find_end(bytes: &[u8]) -> Option<usize> {
    let earliest = bytes.len().saturating_sub(END_BYTES + 0xffff);
    (earliest..=bytes.len() - END_BYTES).rev().find(|&at| {
        bytes[at..].starts_with(END)
            && number(bytes, at + 20, 2, LITTLE) == Some(bytes.len() - at - END_BYTES)
    })
}

/// The entries that the central directory names, and where it ends.
fn read_directory(bytes: &[u8], start: usize, count: usize) -> Option<(Vec<Entry<'_>>, usize)> {
    let mut entries = Vec::new();
    let mut at = start;
    for _ in 0..count {
        let central = bytes.get(at..at + CENTRAL_BYTES)?;
        let lengths = [28, 30, 32].map(|field| number(central, field, 2, LITTLE));
        let [Some(name), Some(extra), Some(comment)] = lengths else { return None };
        let offset = number(central, 42, 4, LITTLE).filter(|_| central.starts_with(CENTRAL))?;
        let tail = bytes.get(at + CENTRAL_BYTES..at + CENTRAL_BYTES + name + extra + comment)?;
        let compressed = number(central, 20, 4, LITTLE)?;
        let local = bytes.get(offset..offset.checked_add(LOCAL_BYTES)?)?;
        let local_name = number(local, 26, 2, LITTLE).filter(|_| local.starts_with(LOCAL))?;
        let local_extra = number(local, 28, 2, LITTLE)?;
        let name_at = offset + LOCAL_BYTES;
        let data_at = name_at + local_name + local_extra;
        let data_end = data_at.checked_add(compressed).filter(|end| *end <= start)?;
        let (crc, length) = (number(central, 16, 4, LITTLE)?, number(central, 24, 4, LITTLE)?);
        let descriptor = match local[6] & HAS_DESCRIPTOR != 0 {
            true => descriptor_bytes(&bytes[data_end..start], &central[16..28]),
            false => 0,
        };
        entries.push(Entry {
            span: offset..data_end + descriptor,
            local,
            name: bytes.get(name_at..name_at + local_name)?,
            extra: bytes.get(name_at + local_name..data_at)?,
            data: bytes.get(data_at..data_end)?,
            descriptor: &bytes[data_end..data_end + descriptor],
            central,
            central_name: &tail[..name],
            central_extra: &tail[name..name + extra],
            comment: &tail[name + extra..],
            crc,
            length,
            method: number(central, 10, 2, LITTLE)?,
        });
        at += CENTRAL_BYTES + name + extra + comment;
    }
    let mut spans: Vec<&Range<usize>> = entries.iter().map(|entry| &entry.span).collect();
    spans.sort_by_key(|span| span.start);
    let overlaps = spans.windows(2).any(|pair| pair[0].end > pair[1].start);
    (!overlaps).then_some((entries, at))
}

/// The number of bytes of the descriptor that follows data: checksum and lengths, perhaps after a signature.
fn descriptor_bytes(bytes: &[u8], expected: &[u8]) -> usize {
    let signature = if bytes.starts_with(DESCRIPTOR) { DESCRIPTOR.len() } else { 0 };
    match bytes[signature..].starts_with(expected) {
        true => signature + expected.len(),
        false => 0,
    }
}

fn append_entry(builder: &mut LayoutBuilder, entry: &Entry<'_>) -> Appended {
    let start = builder.at();
    let is_open = builder.opening != Opening::Closed && entry.local[6] & 1 == 0;
    let opened = (is_open && entry.method == DEFLATED)
        .then(|| builder.contents_of_stream(entry.data))
        .flatten()
        .filter(|(_, length)| *length == entry.data.len());
    let contents = match &opened {
        Some((contents, _)) => Some(&contents[..]),
        None => (entry.method == STORED).then_some(entry.data),
    };
    let has_right_checksum =
        contents.is_some_and(|contents| Checksum::Crc32.of(contents) as usize == entry.crc);
    let has_right_length = contents.is_some_and(|contents| contents.len() == entry.length);
    let simplifies = builder.opening == Opening::Stored && has_right_length;
    let is_stored = opened.is_some() && simplifies;
    let method = if is_stored { STORED } else { entry.method };
    // With checksum and lengths in the header, the descriptor is of no use.
    let flags = entry.local[6] & if simplifies { !HAS_DESCRIPTOR } else { !0 };
    builder.bytes(&entry.local[..6]);
    builder.bytes(&[flags, entry.local[7], method as u8, entry.local[9]]);
    builder.bytes(&entry.local[10..14]);
    let fields = append_sizes(
        builder,
        if simplifies { &entry.central[16..28] } else { &entry.local[14..26] },
    );
    let name_length = builder.field(&entry.local[26..28], FIXED);
    let extra_length = builder.field(&entry.local[28..30], FIXED);
    let name = builder.bytes(entry.name);
    builder.is_length(name_length, builder.since(name.start), 0);
    let extra = builder.payload(entry.extra);
    builder.is_length(extra_length, builder.since(extra.start), 0);
    let data = builder.at();
    let stream = match &opened {
        Some((contents, _)) if !is_stored => {
            Some(builder.stream(|builder| read_nested(builder, contents, entry.name)))
        }
        Some((contents, _)) => {
            read_nested(builder, contents, entry.name);
            None
        }
        None if entry.method == STORED => {
            read_nested(builder, entry.data, entry.name);
            None
        }
        None => {
            builder.payload(entry.data);
            None
        }
    };
    let data = builder.since(data);
    let is_known = opened.is_some() || entry.method == STORED;
    let contents = is_known.then(|| stream.unwrap_or_else(|| data.clone()));
    let sizes = Sizes { data, contents, has_right_checksum, has_right_length };
    if simplifies || entry.local[14..26] == entry.central[16..28] {
        set_sizes(builder, fields, &sizes);
    }
    if !simplifies && !entry.descriptor.is_empty() {
        let signature = entry.descriptor.len() - 12;
        builder.bytes(&entry.descriptor[..signature]);
        let fields = append_sizes(builder, &entry.descriptor[signature..]);
        set_sizes(builder, fields, &sizes);
    }
    let span = start..builder.at();
    Appended { span, name, method, has_descriptor: !simplifies, sizes }
}

/// Appends a checksum and two lengths.
fn append_sizes(builder: &mut LayoutBuilder, sizes: &[u8]) -> [FieldId; 3] {
    [0, 4, 8].map(|at| builder.field(&sizes[at..at + 4], FIXED))
}

/// Says what a checksum and two lengths depend on; those that were wrong stay wrong.
fn set_sizes(builder: &mut LayoutBuilder, fields: [FieldId; 3], sizes: &Sizes) {
    builder.is_length(fields[1], sizes.data.clone(), 0);
    let Some(contents) = &sizes.contents else { return };
    if sizes.has_right_checksum {
        let value = FieldValue::Checksum { kind: Checksum::Crc32, of: contents.clone() };
        builder.depends(fields[0], value);
    }
    if sizes.has_right_length {
        builder.is_length(fields[2], contents.clone(), 0);
    }
}

/// Appends the records of the central directory. An entry goes with its record, and its name shrinks in both places.
fn append_directory(
    builder: &mut LayoutBuilder,
    (start, list): (u32, ListId),
    entries: &[Entry<'_>],
    appended: &[Appended],
) {
    let mut parts = Vec::new();
    let mut names = Vec::new();
    for (entry, local) in entries.iter().zip(appended) {
        let record = builder.at();
        builder.bytes(&entry.central[..8]);
        let flags = entry.central[8] & if local.has_descriptor { !0 } else { !HAS_DESCRIPTOR };
        builder.bytes(&[flags, entry.central[9], local.method as u8, entry.central[11]]);
        builder.bytes(&entry.central[12..16]);
        let fields = append_sizes(builder, &entry.central[16..28]);
        set_sizes(builder, fields, &local.sizes);
        let lengths = [28, 30, 32].map(|at| builder.field(&entry.central[at..at + 2], FIXED));
        builder.bytes(&entry.central[34..42]);
        let offset = builder.field(&entry.central[42..46], FIXED);
        let of = local.span.start;
        builder.depends(offset, FieldValue::Offset { of, from: start, plus: 0, unit: 1 });
        let name = builder.bytes(entry.central_name);
        builder.is_length(lengths[0], builder.since(name.start), 0);
        for (length, bytes) in [(lengths[1], entry.central_extra), (lengths[2], entry.comment)] {
            let span = builder.payload(bytes);
            builder.is_length(length, builder.since(span.start), 0);
        }
        parts.push(vec![local.span.clone(), record..builder.at()]);
        if entry.name == entry.central_name {
            let twins = local.name.clone().zip(name);
            names.push(twins.map(|(here, there)| vec![here..here + 1, there..there + 1]).collect());
        }
    }
    builder.fill_list(list, parts);
    for name in names {
        builder.list(name);
    }
}

/// Appends the record at the end, which counts the entries.
fn append_end(
    builder: &mut LayoutBuilder,
    bytes: &[u8],
    (start, list): (u32, ListId),
    directory: Target,
) {
    builder.bytes(&bytes[..8]);
    for at in [8, 10] {
        let field = builder.field(&bytes[at..at + 2], FIXED);
        if bytes[at..at + 2] == bytes[10..12] {
            builder.depends(field, FieldValue::Count { list, times: 1, plus: 0 });
        }
    }
    let of = directory.span.start;
    let size = builder.field(&bytes[12..16], FIXED);
    builder.is_length(size, directory, 0);
    let offset = builder.field(&bytes[16..20], FIXED);
    builder.depends(offset, FieldValue::Offset { of, from: start, plus: 0, unit: 1 });
    let comment = builder.field(&bytes[20..22], FIXED);
    let text = builder.payload(&bytes[22..]);
    builder.is_length(comment, builder.since(text.start), 0);
}
