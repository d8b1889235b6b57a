//! The assembly of layouts: spaces are cut into pieces, at first and whenever edits have become part of a view.

use crate::container::Container;
use crate::container::container_layout::{
    ContainerLayout, DependentField, FieldId, FieldValue, PartList, Piece, PieceKind, Space,
    SpaceId, Target,
};
use crate::container::layout_encoding::ViewEdit;
use std::collections::BTreeSet;
use std::ops::Range;

impl ContainerLayout {
    /// A layout of fields, lists and payloads, with spaces and the spaces in which these lie.
    pub(crate) fn assemble(
        mut fields: Vec<DependentField>,
        lists: Vec<PartList>,
        payloads: Vec<Range<u32>>,
        spans: &[Range<u32>],
        parents: Vec<SpaceId>,
    ) -> Self {
        fields.sort_by_key(|field| (field.span.start, field.span.end));
        let mut children: Vec<Vec<SpaceId>> = vec![Vec::new(); spans.len()];
        for (space, parent) in parents.iter().enumerate().skip(1) {
            children[*parent as usize].push(space as SpaceId);
        }
        let spaces = children.iter().enumerate();
        let spaces = spaces.map(|(space, inner)| cut(space, spans, inner, &fields)).collect();
        Self { lists, payloads, is_guessed: false, fields, spaces, parents }
    }

    /// The container after edits of its view: the same structure without what is gone. Other than by reading the encoded
    /// text, nothing is recognised anew, and nothing is forgotten because too little of it is left.
    pub fn after(&self, view: &[u8], edits: &[ViewEdit<'_>]) -> Container {
        let moved = Moved::new(edits);
        let is_intact = |field: &&DependentField| moved.is_intact(&field.span);
        let mut kept_parts: Vec<KeptParts> = Vec::new();
        let mut lists = Vec::new();
        for list in &self.lists {
            let parts = list.parts.iter().map(|part| moved.spans(part));
            let parts: Vec<Vec<Range<u32>>> = parts.collect();
            kept_parts.push(KeptParts::new(parts.iter().map(|part| !part.is_empty())));
            let parts = parts.into_iter().filter(|it| !it.is_empty()).collect();
            lists.push(PartList { parts, is_only_counted: list.is_only_counted });
        }
        let fields = self.fields.iter().filter(is_intact).map(|field| DependentField {
            span: moved.span(&field.span),
            value: field.value.as_ref().map(|value| value.moved(&moved, &kept_parts)),
            notation: field.notation,
        });
        let spans: Vec<Range<u32>> =
            self.spaces.iter().map(|space| moved.span(&space.span)).collect();
        let payloads = moved.spans(&self.payloads);
        let mut layout =
            Self::assemble(fields.collect(), lists, payloads, &spans, self.parents.clone());
        layout.is_guessed = self.is_guessed;
        Container { view: moved.apply(view), layout }
    }
}

/// Cuts a space, in which some other spaces lie, into pieces.
fn cut(space: usize, spans: &[Range<u32>], inner: &[SpaceId], all: &[DependentField]) -> Space {
    let span = spans[space].clone();
    let streams: Vec<(Range<u32>, SpaceId)> = inner
        .iter()
        .map(|&child| (spans[child as usize].clone(), child))
        .filter(|(stream, _)| !stream.is_empty())
        .collect();
    // Only fields of the space itself depend on positions inside of it.
    let first = all.partition_point(|field| field.span.start < span.start);
    let end = all.partition_point(|field| field.span.start < span.end);
    let fields = &all[first..end.max(first)];
    let mut borders: BTreeSet<u32> = [span.start, span.end].into_iter().collect();
    borders.extend(streams.iter().flat_map(|(stream, _)| [stream.start, stream.end]));
    for field in fields {
        borders.extend([field.span.start, field.span.end]);
        let value = field.value.as_ref();
        borders.extend(value.map(|value| value.borders(space)).unwrap_or_default());
    }
    let stream_from = |at: u32| {
        let behind = streams.partition_point(|(stream, _)| stream.start <= at);
        behind.checked_sub(1).map(|last| &streams[last])
    };
    let is_inside = |at: &u32| {
        let is_in_stream =
            stream_from(*at).is_some_and(|(stream, _)| stream.start < *at && *at < stream.end);
        span.start <= *at && *at <= span.end && !is_in_stream
    };
    let borders: Vec<u32> = borders.into_iter().filter(is_inside).collect();
    let piece = |pair: &[u32]| {
        let span = pair[0]..pair[1];
        let field = fields.partition_point(|field| field.span.start < span.start);
        let is_field = fields.get(field).is_some_and(|it| it.span == span && it.value.is_some());
        let kind = match stream_from(span.start).filter(|(stream, _)| *stream == span) {
            Some((_, child)) => PieceKind::Stream(*child),
            None if is_field => PieceKind::Field((first + field) as FieldId),
            None => PieceKind::Bytes,
        };
        Piece { span, kind }
    };
    Space { pieces: borders.windows(2).map(piece).collect(), span }
}

/// The parts of a list that edits have left.
struct KeptParts {
    is_kept: Vec<bool>,
    /// For each part, the number of those before it that are left.
    before: Vec<u32>,
}

impl KeptParts {
    fn new(is_kept: impl Iterator<Item = bool>) -> Self {
        let is_kept: Vec<bool> = is_kept.collect();
        let count = |kept: &mut u32, is_kept: &bool| {
            let before = *kept;
            *kept += u32::from(*is_kept);
            Some(before)
        };
        let before = is_kept.iter().chain([&false]).scan(0, count).collect();
        Self { is_kept, before }
    }

    /// The index that a part has among those that are left, or that of the next one.
    fn index(&self, part: u32) -> u32 {
        self.before[(part as usize).min(self.is_kept.len())]
    }

    fn is_kept(&self, part: u32) -> bool {
        self.is_kept.get(part as usize) == Some(&true)
    }
}

/// Where the bytes of a view are after edits.
struct Moved<'e> {
    edits: &'e [ViewEdit<'e>],
    /// For each edit, the position after it in the edited view.
    ends: Vec<u32>,
}

impl<'e> Moved<'e> {
    fn new(edits: &'e [ViewEdit<'e>]) -> Self {
        let (mut at, mut shift) = (Vec::new(), 0i64);
        for (span, text) in edits {
            shift += text.len() as i64 - span.len() as i64;
            at.push((i64::from(span.end) + shift) as u32);
        }
        Self { edits, ends: at }
    }

    /// The new position of a position; of one that is gone, the end of what takes its place.
    fn position(&self, at: u32) -> u32 {
        let behind = self.edits.partition_point(|(span, _)| span.start < at);
        match behind.checked_sub(1) {
            None => at,
            Some(last) => self.ends[last] + at.saturating_sub(self.edits[last].0.end),
        }
    }

    fn span(&self, span: &Range<u32>) -> Range<u32> {
        let (start, end) = (self.position(span.start), self.position(span.end));
        start..end.max(start)
    }

    /// The spans of which anything is left.
    fn spans(&self, spans: &[Range<u32>]) -> Vec<Range<u32>> {
        spans.iter().map(|span| self.span(span)).filter(|span| !span.is_empty()).collect()
    }

    fn is_intact(&self, span: &Range<u32>) -> bool {
        let behind = self.edits.partition_point(|(edit, _)| edit.start < span.end);
        behind.checked_sub(1).is_none_or(|last| self.edits[last].0.end <= span.start)
    }

    fn apply(&self, view: &[u8]) -> Vec<u8> {
        let mut result = Vec::new();
        let mut copied = 0;
        for (span, text) in self.edits {
            result.extend_from_slice(&view[copied..span.start as usize]);
            result.extend_from_slice(text);
            copied = span.end as usize;
        }
        result.extend_from_slice(&view[copied..]);
        result
    }
}

impl FieldValue {
    /// The positions of a space on which the value depends.
    fn borders(&self, space: usize) -> Vec<u32> {
        match self {
            Self::Length { of, .. } | Self::Checksum { of, .. } | Self::Padding { of, .. } => {
                match of.space as usize == space {
                    true => vec![of.span.start, of.span.end],
                    false => Vec::new(),
                }
            }
            Self::Offset { of, from, .. } => vec![*of, *from],
            Self::Count { .. }
            | Self::Index { .. }
            | Self::Number { .. }
            | Self::Behind { .. }
            | Self::Search { .. } => Vec::new(),
        }
    }

    /// The value after edits, which have left some parts of the lists.
    fn moved(&self, moved: &Moved<'_>, kept_parts: &[KeptParts]) -> Self {
        let target = |of: &Target| Target { space: of.space, span: moved.span(&of.span) };
        match self {
            Self::Length { of, plus, unit } => {
                Self::Length { of: target(of), plus: *plus, unit: *unit }
            }
            Self::Checksum { kind, of } => Self::Checksum { kind: *kind, of: target(of) },
            Self::Padding { of, to } => Self::Padding { of: target(of), to: *to },
            Self::Offset { of, from, plus, unit } => {
                let (of, from) = (moved.position(*of), moved.position(*from));
                Self::Offset { of, from, plus: *plus, unit: *unit }
            }
            Self::Count { .. } | Self::Search { .. } => self.clone(),
            Self::Behind { list, part } => {
                let kept = &kept_parts[*list as usize];
                // Behind a part that is gone, one more is left than behind the next one.
                let index = kept.index(*part + 1);
                match index.checked_sub(1) {
                    Some(part) => Self::Behind { list: *list, part },
                    None => Self::Count { list: *list, times: 1, plus: 0 },
                }
            }
            Self::Index { list, part } => {
                Self::Index { list: *list, part: kept_parts[*list as usize].index(*part) }
            }
            Self::Number { list, parts } => {
                let kept = &kept_parts[*list as usize];
                let parts = parts.iter().filter(|part| kept.is_kept(**part));
                Self::Number { list: *list, parts: parts.map(|part| kept.index(*part)).collect() }
            }
        }
    }
}
