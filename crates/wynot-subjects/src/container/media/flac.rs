//! FLAC: blocks of metadata, of which the last one is marked, and frames with two checksums.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::{FieldId, FieldValue, Target};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

const SIGNATURE: &[u8] = b"fLaC";

const BIG: FieldNotation = FieldNotation::Fixed(ByteOrder::Big);

/// The bit of the kind of the last block.
const LAST: u8 = 0x80;

/// Reads a file: all whole blocks, then all whole frames, and what follows them.
pub(crate) fn read_flac(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    builder.bytes(SIGNATURE);
    let blocks = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut kinds: Vec<FieldId> = Vec::new();
    let mut at = SIGNATURE.len();
    let mut is_last = false;
    while let Some(length) = number(bytes, at + 1, 3, ByteOrder::Big).filter(|_| !is_last) {
        let Some(data) = bytes.get(at + 4..at + 4 + length) else { break };
        let start = builder.at();
        is_last = bytes[at] & LAST != 0;
        kinds.push(builder.field(&bytes[at..at + 1], FieldNotation::LastBlock));
        let field = builder.field(&bytes[at + 1..at + 4], BIG);
        let data_start = builder.payload(data).start;
        let of = Target { space: builder.space(), span: data_start..builder.at() };
        builder.is_length(field, of, 0);
        parts.push(builder.part_since(start));
        at += 4 + length;
    }
    for (part, field) in kinds.into_iter().enumerate().filter(|_| is_last) {
        builder.depends(field, FieldValue::Behind { list: blocks, part: part as u32 });
    }
    builder.fill_list(blocks, parts);
    let list = builder.list(Vec::new());
    let mut frames: Vec<Vec<Range<u32>>> = Vec::new();
    for frame in frames_of(bytes, at) {
        builder.payload(&bytes[at..frame.start]);
        let start = builder.at();
        append_frame(builder, &bytes[frame.clone()]);
        frames.push(builder.part_since(start));
        at = frame.end;
    }
    builder.payload(&bytes[at..]);
    builder.fill_list(list, frames);
    Some(())
}

/// The frames whose checksums are right, from a position to the end.
fn frames_of(bytes: &[u8], from: usize) -> Vec<Range<usize>> {
    let is_start = |at: usize| header_bytes(&bytes[at..]).is_some();
    let starts: Vec<usize> = (from..bytes.len()).filter(|at| is_start(*at)).collect();
    let mut frames = Vec::new();
    let mut open: Option<usize> = None;
    let mut checksum = 0;
    for (index, start) in starts.iter().enumerate() {
        let next = starts.get(index + 1).copied().unwrap_or(bytes.len());
        // With its checksum, a frame has the checksum 0.
        checksum = Checksum::crc16_from(checksum, &bytes[*start..next]);
        let first = *open.get_or_insert(*start);
        if checksum == 0 {
            frames.push(first..next);
            (open, checksum) = (None, 0);
        }
    }
    frames
}

/// The bytes of the header of the frame at the start of some bytes, its checksum included.
fn header_bytes(bytes: &[u8]) -> Option<usize> {
    let header = bytes.get(..5).filter(|it| it[0] == 0xff && it[1] & 0xfe == 0xf8)?;
    let number = match header[4].leading_ones() as usize {
        0 => 1,
        ones @ 2..=7 => ones,
        _ => return None,
    };
    let block = match header[2] >> 4 {
        0 => return None,
        6 => 1,
        7 => 2,
        _ => 0,
    };
    let rate = match header[2] & 15 {
        12 => 1,
        13 | 14 => 2,
        15 => return None,
        _ => 0,
    };
    let end = 4 + number + block + rate;
    let is_right = Checksum::Crc8.of(bytes.get(..end)?) == u64::from(*bytes.get(end)?);
    is_right.then_some(end + 1)
}

/// Appends a frame whose checksums are right.
fn append_frame(builder: &mut LayoutBuilder, bytes: &[u8]) {
    let header = header_bytes(bytes).unwrap_or(1).min(bytes.len().saturating_sub(2));
    let start = builder.at();
    builder.bytes(&bytes[..header.saturating_sub(1)]);
    let of = builder.since(start);
    let field = builder.field(&bytes[header.saturating_sub(1)..header], BIG);
    builder.depends(field, FieldValue::Checksum { kind: Checksum::Crc8, of });
    builder.payload(&bytes[header..bytes.len() - 2]);
    let of = builder.since(start);
    let field = builder.field(&bytes[bytes.len() - 2..], BIG);
    builder.depends(field, FieldValue::Checksum { kind: Checksum::Crc16, of });
}
