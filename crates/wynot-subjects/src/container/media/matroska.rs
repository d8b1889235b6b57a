//! Matroska and WebM: elements with lengths of any size, inside each other; checksums, and positions of other elements.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::{LayoutBuilder, Opening};
use std::ops::Range;

const SIGNATURE: &[u8] = &[0x1a, 0x45, 0xdf, 0xa3];

const SEGMENT: usize = 0x1853_8067;
const CRC: usize = 0xbf;

/// The elements that are positions in the segment: of what is listed at its start, and of clusters.
const POSITIONS: &[usize] = &[0x53ac, 0xf1];

/// The elements that consist of elements.
const NESTING: &[usize] = &[
    0x1a45_dfa3,
    SEGMENT,
    0x114d_9b74,
    0x4dbb,
    0x1549_a966,
    0x1654_ae6b,
    0xae,
    0xe0,
    0xe1,
    0x6d80,
    0x6240,
    0x5034,
    0x5035,
    0x55b0,
    0x55d0,
    0x7670,
    0xe2,
    0xe3,
    0xe4,
    0xe8,
    0x1f43_b675,
    0xa0,
    0x75a1,
    0xa6,
    0x8e,
    0x1c53_bb6b,
    0xbb,
    0xb7,
    0xdb,
    0x1941_a469,
    0x61a7,
    0x1043_a770,
    0x45b9,
    0xb6,
    0x80,
    0x8f,
    0x6944,
    0x6911,
    0x1254_c367,
    0x7373,
    0x63c0,
    0x67c8,
];

/// Elements nest at most this deep.
const MAX_DEPTH: usize = 24;

/// An element of a file.
#[derive(Clone, Debug)]
struct Element {
    id: usize,
    /// Where its length is.
    length: Range<usize>,
    data: Range<usize>,
    /// Whether its length is not stated.
    is_open: bool,
}

/// What reads the elements of a file.
struct ElementReader<'r, 'b> {
    builder: &'r mut LayoutBuilder,
    file: &'r mut FlatFile<'b>,
    notation: FieldNotation,
    /// Where the data of the segment begin.
    segment: usize,
}

/// Reads a file: all whole elements, and what follows them.
pub(crate) fn read_matroska(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(SIGNATURE) {
        return None;
    }
    let mut file = FlatFile::new(builder, bytes, ByteOrder::Big);
    let notation = match builder.opening {
        Opening::Stored => FieldNotation::Ebml,
        Opening::Compressed | Opening::Closed => FieldNotation::WideEbml,
    };
    let mut reader = ElementReader { builder, file: &mut file, notation, segment: 0 };
    reader.read_elements(0..bytes.len(), 0);
    file.append(builder, 0);
    Some(())
}

/// The bytes of a number that begins with as many zeros as bytes follow the first one.
fn width(bytes: &[u8], at: usize) -> Option<usize> {
    let zeros = bytes.get(at)?.leading_zeros() as usize;
    (zeros < 8).then_some(zeros + 1)
}

/// The element at the start of some bytes, if it is whole.
fn next_element(bytes: &[u8], span: Range<usize>) -> Option<Element> {
    let at = span.start;
    let id = width(bytes, at).filter(|width| *width <= 4)?;
    let start = at + id;
    let length = start..start + width(bytes, start)?;
    let mask = (1usize << (7 * length.len())) - 1;
    let value = number(bytes, start, length.len(), ByteOrder::Big)? & mask;
    let is_open = value == mask;
    let end = if is_open { span.end } else { length.end.checked_add(value)? };
    let data = length.end..Some(end).filter(|end| *end <= span.end && length.end <= span.end)?;
    Some(Element { id: number(bytes, at, id, ByteOrder::Big)?, length, data, is_open })
}

impl ElementReader<'_, '_> {
    /// Reads elements one after the other. What is not whole has no structure.
    fn read_elements(&mut self, bytes: Range<usize>, depth: usize) {
        let list = self.builder.list(Vec::new());
        let mut parts = Vec::new();
        let mut at = bytes.start;
        while let Some(element) = next_element(self.file.bytes, at..bytes.end) {
            if !element.is_open {
                let of = self.file.target(element.data.clone());
                let value = FieldValue::Length { of, plus: 0, unit: 1 };
                let Range { start, end } = element.length;
                self.file.add_written(start, end - start, self.notation, value);
            }
            let is_first = at == bytes.start;
            self.read_element(&element, is_first.then_some(bytes.end), depth);
            parts.push(vec![self.file.span(at..element.data.end)]);
            at = element.data.end;
        }
        self.builder.is_payload(self.file.span(at..bytes.end));
        self.builder.fill_list(list, parts);
    }

    /// Reads the data of an element. Only the first one in another has a checksum of all that follows to the end.
    fn read_element(&mut self, element: &Element, end_of_parent: Option<usize>, depth: usize) {
        let Element { id, data, .. } = element.clone();
        if id == SEGMENT {
            self.segment = data.start;
        }
        if NESTING.contains(&id) && depth < MAX_DEPTH {
            self.read_elements(data, depth + 1);
            return;
        }
        let little = FieldNotation::Fixed(ByteOrder::Little);
        if let Some(end) = end_of_parent.filter(|_| id == CRC && data.len() == 4) {
            let checked = data.end..end;
            let sum = Checksum::Crc32.of(&self.file.bytes[checked.clone()]) as u32;
            if self.file.bytes[data.clone()] == sum.to_le_bytes() {
                let of = self.file.target(checked);
                let value = FieldValue::Checksum { kind: Checksum::Crc32, of };
                self.file.add_written(data.start, 4, little, value);
            }
            return;
        }
        let position = self.file.number(data.start, data.len()).filter(|_| POSITIONS.contains(&id));
        if let Some(of) = position.and_then(|position| self.segment.checked_add(position))
            && of < self.file.bytes.len()
            && data.len() <= 8
        {
            self.file.add_distance(data.start, data.len(), of, self.segment);
        }
        self.builder.is_payload(self.file.span(data));
    }
}
