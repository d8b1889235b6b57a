//! pcapng: blocks that begin and end with their length, and packets with lengths of their own.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

/// The kind of the first block; its order of bytes follows.
const FIRST: &[u8] = &[0x0a, 0x0d, 0x0d, 0x0a];
const ORDER: &[u8] = &[0x1a, 0x2b, 0x3c, 0x4d];

const PACKET: usize = 6;

/// The bytes of a block of a packet before its two lengths, and before the packet.
const PACKET_LENGTHS: usize = 20;
const PACKET_HEADER: usize = 28;

/// Reads a file: all whole blocks, and what follows them.
pub(crate) fn read_pcapng(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let order = match bytes.get(8..12).filter(|_| bytes.starts_with(FIRST))? {
        ORDER => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut rest = bytes;
    while let Some(block) = next_block(rest, order) {
        let start = builder.at();
        append_block(builder, block, order);
        parts.push(builder.part_since(start));
        rest = &rest[block.len()..];
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The block at the start of some bytes, if it is whole and both its lengths are the same.
fn next_block(bytes: &[u8], order: ByteOrder) -> Option<&[u8]> {
    let length = number(bytes, 4, 4, order).filter(|length| *length >= 12)?;
    let block = bytes.get(..length)?;
    (number(block, length - 4, 4, order) == Some(length)).then_some(block)
}

fn append_block(builder: &mut LayoutBuilder, block: &[u8], order: ByteOrder) {
    let notation = FieldNotation::Fixed(order);
    let start = builder.at();
    let end = block.len() - 4;
    builder.bytes(&block[..4]);
    let first = builder.field(&block[4..8], notation);
    let captured = number(block, PACKET_LENGTHS, 4, order)
        .filter(|_| number(block, 0, 4, order) == Some(PACKET))
        .and_then(|length| PACKET_HEADER.checked_add(length))
        .filter(|captured| *captured <= end);
    match captured {
        Some(captured) => {
            builder.bytes(&block[8..PACKET_LENGTHS]);
            let lengths = [20, 24].map(|at| builder.field(&block[at..at + 4], notation));
            let packet = builder.payload(&block[PACKET_HEADER..captured]);
            let of = builder.since(packet.start);
            builder.is_length(lengths[0], of.clone(), 0);
            if block[20..24] == block[24..28] {
                builder.is_length(lengths[1], of.clone(), 0);
            }
            let padded = captured.next_multiple_of(4);
            let is_padded =
                block[..end].get(captured..padded).is_some_and(|it| it.iter().all(|it| *it == 0));
            let options = match is_padded {
                true => {
                    let padding = builder.field(&[0; 3], FieldNotation::Fill(0));
                    builder.depends(padding, FieldValue::Padding { of, to: 4 });
                    padded
                }
                false => captured,
            };
            builder.payload(&block[options..end]);
        }
        None => drop(builder.payload(&block[8..end])),
    }
    let last = builder.field(&block[end..], notation);
    let of = builder.since(start);
    builder.is_length(first, of.clone(), 0);
    builder.is_length(last, of, 0);
}
