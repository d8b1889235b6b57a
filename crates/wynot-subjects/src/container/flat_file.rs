//! Files whose parts are found by offsets: fields are collected in any order and appended at the end.

use crate::container::container_layout::{ByteOrder, FieldNotation, FieldValue, Target};
use crate::container::layout_builder::LayoutBuilder;
use std::collections::BTreeMap;
use std::ops::Range;

/// A file without streams. Positions of the file and of the view differ by a constant.
#[derive(Debug)]
pub(crate) struct FlatFile<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) order: ByteOrder,
    base: u32,
    space: u32,
    /// Fields by their positions: width and value.
    fields: BTreeMap<usize, (usize, FieldValue)>,
}

impl<'b> FlatFile<'b> {
    /// A file that will be appended next.
    pub(crate) fn new(builder: &LayoutBuilder, bytes: &'b [u8], order: ByteOrder) -> Self {
        Self { bytes, order, base: builder.at(), space: builder.space(), fields: BTreeMap::new() }
    }

    /// The number at a position.
    pub(crate) fn number(&self, at: usize, width: usize) -> Option<usize> {
        super::byte_numbers::number(self.bytes, at, width, self.order)
    }

    /// The span of the view for some bytes of the file, which are cut off at its end.
    pub(crate) fn span(&self, bytes: Range<usize>) -> Range<u32> {
        let end = bytes.end.min(self.bytes.len());
        let start = bytes.start.min(end);
        self.base + start as u32..self.base + end as u32
    }

    /// Whether some bytes lie in the file.
    pub(crate) fn has(&self, bytes: &Range<usize>) -> bool {
        bytes.start <= bytes.end && bytes.end <= self.bytes.len()
    }

    /// Adds a field, unless there is another one.
    pub(crate) fn add(&mut self, at: usize, width: usize, value: FieldValue) {
        let before = self.fields.range(..at + width).next_back();
        let overlaps = before.is_some_and(|(other, (width, _))| other + width > at);
        if !overlaps && self.has(&(at..at + width)) {
            self.fields.insert(at, (width, value));
        }
    }

    /// Adds a field that is the length of some bytes, in units.
    pub(crate) fn add_length(&mut self, at: usize, width: usize, of: Range<usize>, unit: usize) {
        let of = Target { space: self.space, span: self.span(of) };
        self.add(at, width, FieldValue::Length { of, plus: 0, unit: unit as u32 });
    }

    /// Adds a field that is the offset of a position.
    pub(crate) fn add_offset(&mut self, at: usize, width: usize, of: usize) {
        let (of, from) = (self.base + of.min(self.bytes.len()) as u32, self.base);
        self.add(at, width, FieldValue::Offset { of, from, plus: 0 });
    }

    /// Appends the file. What nothing points to, behind a header of some bytes, consists of parts, too.
    pub(crate) fn append(self, builder: &mut LayoutBuilder, header_bytes: usize) {
        let rest = self.span(header_bytes..self.bytes.len());
        let mut at = 0;
        for (start, (width, value)) in self.fields {
            builder.bytes(&self.bytes[at..start]);
            at = start + width;
            let field = builder.field(&self.bytes[start..at], FieldNotation::Fixed(self.order));
            builder.depends(field, value);
        }
        builder.bytes(&self.bytes[at..]);
        let gaps = builder.gaps(rest).into_iter().map(|gap| vec![gap]).collect();
        builder.list(gaps);
    }
}
