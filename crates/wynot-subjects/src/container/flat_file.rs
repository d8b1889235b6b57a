//! Files whose parts are found by offsets: fields are collected in any order and appended at the end.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::{FieldValue, Target};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use std::collections::BTreeMap;
use std::ops::Range;

/// A file without streams. Positions of the file and of the view differ by a constant, and by one more behind each seam.
#[derive(Debug)]
pub(crate) struct FlatFile<'b> {
    pub(crate) bytes: &'b [u8],
    pub(crate) order: ByteOrder,
    base: u32,
    space: u32,
    /// Fields by their positions.
    fields: BTreeMap<usize, FlatField>,
    /// Positions without padding at which the view has a byte of it, since edits may make it necessary; in order.
    seams: Vec<usize>,
    /// What pads the seams.
    paddings: BTreeMap<usize, (FieldNotation, FieldValue)>,
}

/// A field of a flat file.
#[derive(Debug)]
struct FlatField {
    width: usize,
    notation: FieldNotation,
    value: FieldValue,
}

impl<'b> FlatFile<'b> {
    /// A file that will be appended next.
    pub(crate) fn new(builder: &LayoutBuilder, bytes: &'b [u8], order: ByteOrder) -> Self {
        Self::with_seams(builder, bytes, order, Vec::new())
    }

    /// A file that will be appended next, with padding at some positions, in order, at which it has none.
    pub(crate) fn with_seams(
        builder: &LayoutBuilder,
        bytes: &'b [u8],
        order: ByteOrder,
        seams: Vec<usize>,
    ) -> Self {
        let (base, space) = (builder.at(), builder.space());
        let (fields, paddings) = (BTreeMap::new(), BTreeMap::new());
        Self { bytes, order, base, space, fields, seams, paddings }
    }

    /// The number at a position.
    pub(crate) fn number(&self, at: usize, width: usize) -> Option<usize> {
        super::byte_numbers::number(self.bytes, at, width, self.order)
    }

    /// The span of the view for some bytes of the file, which are cut off at its end. Padding at a seam is in the span
    /// if bytes on both sides of it are.
    pub(crate) fn span(&self, bytes: Range<usize>) -> Range<u32> {
        let end = bytes.end.min(self.bytes.len());
        let start = bytes.start.min(end);
        let end = self.base + (end + self.seams.partition_point(|seam| *seam < end)) as u32;
        self.start(start).min(end)..end
    }

    /// The position of the view for a position of the file, behind padding.
    fn start(&self, at: usize) -> u32 {
        self.base + (at + self.seams.partition_point(|seam| *seam <= at)) as u32
    }

    /// Some bytes of the file as a target.
    pub(crate) fn target(&self, bytes: Range<usize>) -> Target {
        Target { space: self.space, span: self.span(bytes) }
    }

    /// Whether some bytes lie in the file.
    pub(crate) fn has(&self, bytes: &Range<usize>) -> bool {
        bytes.start <= bytes.end && bytes.end <= self.bytes.len()
    }

    /// Adds a field, unless there is another one.
    pub(crate) fn add(&mut self, at: usize, width: usize, value: FieldValue) {
        self.add_written(at, width, FieldNotation::Fixed(self.order), value);
    }

    /// Adds a field in some notation, unless there is another one.
    pub(crate) fn add_written(
        &mut self,
        at: usize,
        width: usize,
        notation: FieldNotation,
        value: FieldValue,
    ) {
        let before = self.fields.range(..at + width).next_back();
        let overlaps = before.is_some_and(|(other, field)| other + field.width > at);
        let next_seam = self.seams.get(self.seams.partition_point(|seam| *seam <= at));
        let has_seam = next_seam.is_some_and(|seam| *seam < at + width);
        if !overlaps && !has_seam && width > 0 && self.has(&(at..at + width)) {
            self.fields.insert(at, FlatField { width, notation, value });
        }
    }

    /// Adds a field that is the length of some bytes, in units.
    pub(crate) fn add_length(&mut self, at: usize, width: usize, of: Range<usize>, unit: usize) {
        let of = self.target(of);
        self.add(at, width, FieldValue::Length { of, plus: 0, unit: unit as u32 });
    }

    /// Adds a field that is the offset of a position.
    pub(crate) fn add_offset(&mut self, at: usize, width: usize, of: usize) {
        self.add_distance(at, width, of, 0);
    }

    /// Adds a field that is the distance of a position from another one.
    pub(crate) fn add_distance(&mut self, at: usize, width: usize, of: usize, from: usize) {
        self.add_distance_in(1, (at, width), of, from);
    }

    /// Adds a field that is the distance of a position from another one, in units of some bytes.
    pub(crate) fn add_distance_in(
        &mut self,
        unit: u32,
        (at, width): (usize, usize),
        of: usize,
        from: usize,
    ) {
        let [of, from] = [of, from].map(|at| self.start(at.min(self.bytes.len())));
        self.add(at, width, FieldValue::Offset { of, from, plus: 0, unit });
    }

    /// Adds bytes of one value, or a seam, that pad others to a multiple of a number of bytes.
    pub(crate) fn add_padding(
        &mut self,
        bytes: Range<usize>,
        fill: u8,
        of: Range<usize>,
        to: usize,
    ) {
        let value = FieldValue::Padding { of: self.target(of), to: to as u32 };
        let notation = FieldNotation::Fill(fill);
        let is_filled =
            self.bytes.get(bytes.clone()).is_some_and(|it| it.iter().all(|it| *it == fill));
        if !bytes.is_empty() && is_filled {
            self.add_written(bytes.start, bytes.len(), notation, value);
        } else if bytes.is_empty() && self.seams.binary_search(&bytes.start).is_ok() {
            self.paddings.insert(bytes.start, (notation, value));
        }
    }

    /// Appends the file. What nothing points to, behind a header of some bytes, consists of parts, too.
    pub(crate) fn append(mut self, builder: &mut LayoutBuilder, header_bytes: usize) {
        let rest = self.span(header_bytes..self.bytes.len());
        let mut seams = std::mem::take(&mut self.seams).into_iter().peekable();
        let mut at = 0;
        let fields = std::mem::take(&mut self.fields);
        for (start, FlatField { width, notation, value }) in fields {
            while let Some(seam) = seams.next_if(|seam| *seam <= start) {
                builder.bytes(&self.bytes[at..seam]);
                self.append_seam(builder, seam);
                at = seam;
            }
            builder.bytes(&self.bytes[at..start]);
            at = start + width;
            let field = builder.field(&self.bytes[start..at], notation);
            builder.depends(field, value);
        }
        for seam in seams {
            builder.bytes(&self.bytes[at..seam]);
            self.append_seam(builder, seam);
            at = seam;
        }
        builder.bytes(&self.bytes[at..]);
        let gaps = builder.gaps(rest).into_iter().map(|gap| vec![gap]).collect();
        builder.list(gaps);
    }

    /// Appends the padding of a seam, which is never necessary where none was added.
    fn append_seam(&mut self, builder: &mut LayoutBuilder, seam: usize) {
        let nothing = FieldValue::Padding { of: builder.since(builder.at()), to: 1 };
        let padding = self.paddings.remove(&seam);
        let (notation, value) = padding.unwrap_or((FieldNotation::Fill(0), nothing));
        let field = builder.field(&[0], notation);
        builder.depends(field, value);
    }
}
