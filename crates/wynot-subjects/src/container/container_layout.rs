//! The layout of a container: which bytes of its view are parts that can go, and which fields depend on others.
//!
//! A *view* is the container with its compressed streams opened. Positions are positions in the view. A *space* is the
//! view itself or the contents of one stream: inside a space, bytes follow each other as they do in the encoded text.

use crate::container::checksum::Checksum;
use crate::container::field_notation::FieldNotation;
use std::ops::Range;

/// The index of a space; 0 is the whole text.
pub(crate) type SpaceId = u32;

/// The index of a list of parts.
pub(crate) type ListId = u32;

/// The index of a field.
pub(crate) type FieldId = u32;

/// Parts of a container that can go one by one: chunks, entries, rows. What can go together is one part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartList {
    /// The spans of each part, in order.
    pub parts: Vec<Vec<Range<u32>>>,
    /// Whether the parts are only counted, since they go as parts of other lists.
    pub is_only_counted: bool,
}

/// A span of a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub space: SpaceId,
    pub span: Range<u32>,
}

/// The start of a binary search in a table of records of 16 bytes, as fonts have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SearchField {
    /// The bytes of the largest power of two of records.
    Range,
    /// The exponent of that power.
    Selector,
    /// The bytes of the other records.
    Shift,
}

impl SearchField {
    /// The value for a number of records.
    pub(crate) fn of(self, count: u64) -> u64 {
        let exponent = count.checked_ilog2().unwrap_or_default();
        match self {
            Self::Range => 16 << exponent,
            Self::Selector => u64::from(exponent),
            Self::Shift => (count * 16).saturating_sub(16 << exponent),
        }
    }
}

/// What a field depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FieldValue {
    /// A length in the encoded text: with `plus` bytes more, in units of some bytes.
    Length { of: Target, plus: i64, unit: u32 },
    /// The distance between two positions of the space of the field, with `plus` bytes more, in units of some bytes. It
    /// may be negative.
    Offset { of: u32, from: u32, plus: i64, unit: u32 },
    /// The number of parts of a list that are left, each counted `times` times, and `plus` more.
    Count { list: ListId, times: u64, plus: u64 },
    /// The number of parts of a list that are left before one of them.
    Index { list: ListId, part: u32 },
    /// The number, from 1, of the first one of some parts of a list that is left; 0 if none is.
    Number { list: ListId, parts: Vec<u32> },
    /// The number of parts of a list that are left behind one of them.
    Behind { list: ListId, part: u32 },
    /// What a search among the parts of a list that are left begins with.
    Search { list: ListId, field: SearchField },
    /// A checksum of encoded bytes.
    Checksum { kind: Checksum, of: Target },
    /// What a length lacks to the next multiple of a number of bytes. If the field lies in the target, it does not count.
    Padding { of: Target, to: u32 },
}

/// A field that depends on other bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DependentField {
    pub span: Range<u32>,
    pub notation: FieldNotation,
    /// `None` if the field depends on nothing after all, or says something else than it should.
    pub value: Option<FieldValue>,
}

/// The contents of a compressed stream, or the whole text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    pub span: Range<u32>,
    /// The pieces that it consists of, without gaps.
    pub pieces: Vec<Piece>,
}

/// What a piece of a space is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PieceKind {
    Bytes,
    Field(FieldId),
    /// The compressed contents of another space.
    Stream(SpaceId),
}

/// A piece of a space. All positions on which a field depends are borders of pieces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub span: Range<u32>,
    pub kind: PieceKind,
}

/// The layout of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerLayout {
    /// The lists of parts, those around others first.
    pub lists: Vec<PartList>,
    /// The stretches of bytes that have no further structure.
    pub payloads: Vec<Range<u32>>,
    /// Whether the format is unknown, so that lengths and checksums may be what they seem by chance.
    pub is_guessed: bool,
    pub(crate) fields: Vec<DependentField>,
    pub(crate) spaces: Vec<Space>,
    /// The space in which each space lies.
    pub(crate) parents: Vec<SpaceId>,
}

impl ContainerLayout {
    /// Whether nothing is known about the container.
    pub fn is_trivial(&self) -> bool {
        self.lists.iter().all(|list| list.parts.is_empty())
            && self.spaces.len() == 1
            && self.fields.iter().all(|field| field.value.is_none())
    }

    /// The number of fields that are computed.
    pub fn computed_fields(&self) -> usize {
        self.fields.iter().filter(|field| field.value.is_some()).count()
    }

    /// Whether a position belongs to a field that is computed.
    pub fn is_computed(&self, at: u32) -> bool {
        let behind = self.fields.partition_point(|field| field.span.start <= at);
        behind.checked_sub(1).is_some_and(|last| {
            let field = &self.fields[last];
            field.value.is_some() && field.span.contains(&at)
        })
    }
}
