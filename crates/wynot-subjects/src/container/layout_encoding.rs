//! Encoding: from a view with edits to the text that a test gets.
//!
//! Fields are computed from what is left. Bytes of a field that an edit touches are written as the edit leaves them, so
//! every edit has a meaning, whatever it does to the structure.

use crate::container::container_layout::{
    ContainerLayout, DependentField, FieldId, FieldValue, ListId, Piece, PieceKind, SpaceId, Target,
};
use crate::container::deflate::deflate;
use std::cell::OnceCell;
use std::ops::Range;

/// The replacement of a span of a view.
pub type ViewEdit<'e> = (Range<u32>, &'e [u8]);

/// Sizes of fields that depend on each other are computed at most this often.
const MAX_ROUNDS: usize = 24;

/// The encoded contents of a space.
#[derive(Debug, Default)]
struct Encoded {
    bytes: Vec<u8>,
    /// The position in `bytes` at which each piece starts, and the end.
    starts: Vec<usize>,
}

/// What is being encoded.
struct Encoder<'a> {
    layout: &'a ContainerLayout,
    view: &'a [u8],
    /// The edits, in order and without overlap.
    edits: &'a [ViewEdit<'a>],
    /// The contents of the spaces that are encoded already.
    contents: Vec<Encoded>,
    /// For each list that a field counts, how many parts are left before each part, and in all.
    left: Vec<OnceCell<Vec<u32>>>,
}

impl ContainerLayout {
    /// The text of a view with edits, which are in order and do not overlap.
    pub fn encode(&self, view: &[u8], edits: &[ViewEdit<'_>]) -> Vec<u8> {
        let contents = self.spaces.iter().map(|_| Encoded::default()).collect();
        let left = vec![OnceCell::new(); self.lists.len()];
        let mut encoder = Encoder { layout: self, view, edits, contents, left };
        // A space lies in one that was opened before it.
        for space in (0..self.spaces.len()).rev() {
            encoder.contents[space] = encoder.encode_space(space);
        }
        encoder.contents.swap_remove(0).bytes
    }
}

impl Encoder<'_> {
    fn encode_space(&self, space: usize) -> Encoded {
        let pieces = &self.layout.spaces[space].pieces;
        let mut streams: Vec<Vec<u8>> = Vec::new();
        let mut sizes: Vec<usize> = Vec::with_capacity(pieces.len());
        for piece in pieces {
            sizes.push(match piece.kind {
                PieceKind::Stream(stream) => {
                    streams.push(self.encode_stream(stream, &piece.span));
                    streams.last().map_or(0, Vec::len)
                }
                _ => self.remaining(&piece.span),
            });
        }
        let starts = self.settle(space, &mut sizes);
        let mut encoded = Encoded { bytes: Vec::with_capacity(starts[pieces.len()]), starts };
        let mut streams = streams.into_iter();
        for (piece, size) in pieces.iter().zip(&sizes) {
            match piece.kind {
                PieceKind::Stream(_) => {
                    encoded.bytes.append(&mut streams.next().unwrap_or_default());
                }
                PieceKind::Field(_) if self.is_intact(&piece.span) => {
                    encoded.bytes.resize(encoded.bytes.len() + size, 0);
                }
                _ => self.append(&piece.span, &mut encoded.bytes),
            }
        }
        self.fill_fields(space, &sizes, &mut encoded);
        encoded
    }

    /// The compressed contents of a stream; nothing if an edit begins before the stream and covers it.
    fn encode_stream(&self, stream: SpaceId, span: &Range<u32>) -> Vec<u8> {
        let is_gone = self
            .overlapping(span)
            .iter()
            .any(|(edit, _)| edit.start < span.start && span.end <= edit.end);
        match is_gone {
            true => Vec::new(),
            false => deflate(&self.contents[stream as usize].bytes),
        }
    }

    /// Computes the sizes of fields that depend on their values, until they no longer change; returns where pieces start.
    fn settle(&self, space: usize, sizes: &mut [usize]) -> Vec<usize> {
        let pieces = &self.layout.spaces[space].pieces;
        let dynamic: Vec<(usize, FieldId)> = pieces
            .iter()
            .enumerate()
            .filter_map(|(index, piece)| match piece.kind {
                PieceKind::Field(field) => Some((index, field, piece)),
                _ => None,
            })
            .filter(|(_, field, piece)| {
                self.field(*field).notation.is_dynamic() && self.is_intact(&piece.span)
            })
            .map(|(index, field, _)| (index, field))
            .collect();
        let mut starts = starts_of(sizes);
        for _ in 0..MAX_ROUNDS {
            let mut is_settled = true;
            for (index, field) in &dynamic {
                let value = self.value(*field, space, &starts, None);
                let size = self.field(*field).notation.written(value, &[]).len();
                is_settled &= std::mem::replace(&mut sizes[*index], size) == size;
            }
            if is_settled {
                break;
            }
            starts = starts_of(sizes);
        }
        starts
    }

    /// Writes the values of the fields of a space: checksums last, those of few bytes before those of many.
    fn fill_fields(&self, space: usize, sizes: &[usize], encoded: &mut Encoded) {
        let pieces = &self.layout.spaces[space].pieces;
        let mut checksums: Vec<(usize, usize, FieldId)> = Vec::new();
        for (index, piece) in pieces.iter().enumerate() {
            let PieceKind::Field(field) = piece.kind else { continue };
            if !self.is_intact(&piece.span) {
                continue;
            }
            match &self.field(field).value {
                Some(FieldValue::Checksum { of, .. }) => {
                    checksums.push((of.span.len(), index, field));
                }
                _ => self.fill(field, (space, index), sizes, encoded),
            }
        }
        checksums.sort_unstable();
        for (_, index, field) in checksums {
            self.fill(field, (space, index), sizes, encoded);
        }
    }

    /// Writes the value of one field.
    fn fill(
        &self,
        id: FieldId,
        (space, index): (usize, usize),
        sizes: &[usize],
        encoded: &mut Encoded,
    ) {
        let value = self.value(id, space, &encoded.starts, Some(&encoded.bytes));
        let field = self.field(id);
        let before = &self.view[field.span.start as usize..field.span.end as usize];
        let bytes = field.notation.written(value, before);
        let start = encoded.starts[index];
        if bytes.len() == sizes[index] {
            encoded.bytes[start..start + bytes.len()].copy_from_slice(&bytes);
        }
    }

    fn field(&self, id: FieldId) -> &DependentField {
        &self.layout.fields[id as usize]
    }

    /// The value of a field of a space whose pieces start at some positions of its bytes.
    fn value(&self, id: FieldId, space: usize, starts: &[usize], bytes: Option<&[u8]>) -> u64 {
        let number = |value: i64| value.max(0) as u64;
        let place = |of: &Target| match of.space as usize == space {
            true => self.range_in(of, starts),
            false => self.range_in(of, &self.contents[of.space as usize].starts),
        };
        match &self.field(id).value {
            None => 0,
            Some(FieldValue::Length { of, plus, unit }) => {
                number(place(of).len() as i64 + plus) / u64::from((*unit).max(1))
            }
            Some(FieldValue::Offset { of, from, plus, unit }) => {
                let at = |position: u32| {
                    let target = Target { space: space as SpaceId, span: position..position };
                    self.range_in(&target, starts).start as i64
                };
                ((at(*of) - at(*from) + plus) / i64::from((*unit).max(1))) as u64
            }
            Some(FieldValue::Count { list, times, plus }) => {
                self.parts_left(*list, usize::MAX) * times + plus
            }
            Some(FieldValue::Index { list, part }) => self.parts_left(*list, *part as usize),
            Some(FieldValue::Number { list, parts }) => {
                let is_left = |part: &&u32| {
                    let number = |first: u32| self.parts_left(*list, first as usize);
                    number(**part) < number(**part + 1)
                };
                let part = parts.iter().find(is_left);
                part.map_or(0, |part| 1 + self.parts_left(*list, *part as usize))
            }
            Some(FieldValue::Behind { list, part }) => {
                self.parts_left(*list, usize::MAX) - self.parts_left(*list, *part as usize + 1)
            }
            Some(FieldValue::Search { list, field }) => {
                field.of(self.parts_left(*list, usize::MAX))
            }
            Some(FieldValue::Padding { of, to }) => {
                let to = (*to).max(1) as usize;
                let span = &self.field(id).span;
                let is_inside = of.space as usize == space
                    && of.span.start <= span.start
                    && span.end <= of.span.end;
                let own = Target { space: of.space, span: span.clone() };
                let own = if is_inside { place(&own).len() } else { 0 };
                let length = place(of).len() - own;
                (length.next_multiple_of(to) - length) as u64
            }
            Some(FieldValue::Checksum { kind, of }) => {
                let of_space = match of.space as usize == space {
                    true => bytes.unwrap_or_default(),
                    false => &self.contents[of.space as usize].bytes,
                };
                kind.of(of_space.get(place(of)).unwrap_or_default())
            }
        }
    }

    /// The bytes of a space that a target has become.
    fn range_in(&self, of: &Target, starts: &[usize]) -> Range<usize> {
        let pieces = &self.layout.spaces[of.space as usize].pieces;
        let at = |position: u32| {
            let index = pieces.partition_point(|piece: &Piece| piece.span.start < position);
            starts.get(index).copied().unwrap_or_default()
        };
        let (start, end) = (at(of.span.start), at(of.span.end));
        start..end.max(start)
    }

    /// The number of parts of a list that are left, among the first ones.
    fn parts_left(&self, list: ListId, first: usize) -> u64 {
        let Some(left) = self.left.get(list as usize) else { return 0 };
        let left = left.get_or_init(|| {
            let mut left = vec![0];
            for spans in &self.layout.lists[list as usize].parts {
                let is_left = spans.iter().any(|span| !self.is_gone(span));
                left.push(left[left.len() - 1] + u32::from(is_left));
            }
            left
        });
        u64::from(left[first.min(left.len() - 1)])
    }

    /// The edits that overlap a span or begin in it.
    fn overlapping(&self, span: &Range<u32>) -> &[ViewEdit<'_>] {
        let first = self
            .edits
            .partition_point(|(edit, _)| edit.end <= span.start && edit.start < span.start);
        let rest = &self.edits[first..];
        &rest[..rest.partition_point(|(edit, _)| edit.start < span.end)]
    }

    /// Whether no edit changes a span.
    fn is_intact(&self, span: &Range<u32>) -> bool {
        self.overlapping(span).is_empty()
    }

    /// Whether nothing is left of a span.
    fn is_gone(&self, span: &Range<u32>) -> bool {
        self.remaining(span) == 0
    }

    /// The number of bytes that edits leave of a span.
    fn remaining(&self, span: &Range<u32>) -> usize {
        let mut left = span.len();
        for (edit, text) in self.overlapping(span) {
            left -= (edit.end.min(span.end) - edit.start.max(span.start)) as usize;
            left += if edit.start >= span.start { text.len() } else { 0 };
        }
        left
    }

    /// Appends what edits leave of a span. A replacement belongs to the span in which its edit begins.
    fn append(&self, span: &Range<u32>, bytes: &mut Vec<u8>) {
        let mut copied = span.start;
        for (edit, text) in self.overlapping(span) {
            bytes.extend_from_slice(&self.view[copied as usize..edit.start.max(copied) as usize]);
            if edit.start >= span.start {
                bytes.extend_from_slice(text);
            }
            copied = edit.end.min(span.end).max(copied);
        }
        bytes.extend_from_slice(&self.view[copied as usize..span.end as usize]);
    }
}

/// Where pieces of some sizes start, and the end.
fn starts_of(sizes: &[usize]) -> Vec<usize> {
    let mut at = 0;
    let ends = sizes.iter().map(|size| {
        at += size;
        at
    });
    std::iter::once(0).chain(ends).collect()
}
