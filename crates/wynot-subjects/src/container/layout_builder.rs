//! The builder of views and layouts: readers of formats append what they have read.

use crate::container::container_layout::{
    ContainerLayout, DependentField, FieldId, FieldValue, ListId, PartList, SpaceId, Target,
};
use crate::container::deflate::inflate;
use crate::container::field_notation::FieldNotation;
use std::ops::Range;

/// What becomes of compressed streams in a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Opening {
    /// They are opened; where the format has uncompressed contents, they stay uncompressed.
    Stored,
    /// They are opened, and compressed anew.
    Compressed,
    /// They stay as they are.
    Closed,
}

/// Streams are not opened inside more streams than this.
const MAX_STREAM_DEPTH: usize = 8;

/// Containers are not read inside more containers than this.
const MAX_NESTED_CONTAINERS: usize = 48;

/// A view in the making. A reader that finds out later that it has been wrong goes back to a [`Checkpoint`].
#[derive(Debug)]
pub(crate) struct LayoutBuilder {
    view: Vec<u8>,
    fields: Vec<DependentField>,
    spaces: Vec<Range<u32>>,
    open_spaces: Vec<SpaceId>,
    /// The space in which each space lies.
    parents: Vec<SpaceId>,
    lists: Vec<PartList>,
    payloads: Vec<Range<u32>>,
    pub(crate) opening: Opening,
    /// The number of bytes that streams may still become.
    max_inflated_bytes: usize,
    /// The number of containers that are being read, one inside the other.
    pub(crate) depth: usize,
}

/// A state of a builder.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Checkpoint([usize; 5]);

impl LayoutBuilder {
    /// An empty view, in which streams may become this number of bytes.
    pub(crate) fn new(opening: Opening, max_inflated_bytes: usize) -> Self {
        Self {
            view: Vec::new(),
            fields: Vec::new(),
            spaces: vec![Range::default()],
            open_spaces: vec![0],
            parents: vec![0],
            lists: Vec::new(),
            payloads: Vec::new(),
            opening,
            max_inflated_bytes,
            depth: 0,
        }
    }

    /// The position at which the next bytes will be.
    pub(crate) fn at(&self) -> u32 {
        self.view.len() as u32
    }

    /// The space in which the next bytes will be.
    pub(crate) fn space(&self) -> SpaceId {
        self.open_spaces.last().copied().unwrap_or_default()
    }

    /// What was appended since a position, all of it in the current space.
    pub(crate) fn since(&self, start: u32) -> Target {
        Target { space: self.space(), span: start..self.at() }
    }

    /// What was appended since a position, as a part.
    pub(crate) fn part_since(&self, start: u32) -> Vec<Range<u32>> {
        let span = start..self.at();
        vec![span]
    }

    /// Whether another container may be read inside the current ones.
    pub(crate) fn can_nest(&self) -> bool {
        self.depth < MAX_NESTED_CONTAINERS
    }

    pub(crate) fn checkpoint(&self) -> Checkpoint {
        let Self { view, fields, spaces, lists, payloads, .. } = self;
        Checkpoint([view.len(), fields.len(), spaces.len(), lists.len(), payloads.len()])
    }

    /// Forgets what was appended since. All streams opened since must be closed.
    pub(crate) fn go_back(
        &mut self,
        Checkpoint([view, fields, spaces, lists, payloads]): Checkpoint,
    ) {
        self.view.truncate(view);
        self.fields.truncate(fields);
        self.spaces.truncate(spaces);
        self.parents.truncate(spaces);
        self.lists.truncate(lists);
        self.payloads.truncate(payloads);
    }

    /// Appends bytes that only plain edits change.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Range<u32> {
        let start = self.at();
        self.view.extend_from_slice(bytes);
        start..self.at()
    }

    /// Appends bytes without further structure.
    pub(crate) fn payload(&mut self, bytes: &[u8]) -> Range<u32> {
        let span = self.bytes(bytes);
        self.is_payload(span.clone());
        span
    }

    /// Says that bytes appended before have no further structure.
    pub(crate) fn is_payload(&mut self, span: Range<u32>) {
        if !span.is_empty() {
            self.payloads.push(span);
        }
    }

    /// Appends a field. It is plain bytes until it has a value.
    pub(crate) fn field(&mut self, bytes: &[u8], notation: FieldNotation) -> FieldId {
        let span = self.bytes(bytes);
        self.fields.push(DependentField { span, notation, value: None });
        self.fields.len() as FieldId - 1
    }

    /// Says what a field depends on.
    pub(crate) fn depends(&mut self, field: FieldId, value: FieldValue) {
        if let Some(field) = self.fields.get_mut(field as usize) {
            field.value = Some(value);
        }
    }

    /// Says that a field is the length of a target.
    pub(crate) fn is_length(&mut self, field: FieldId, of: Target, plus: i64) {
        self.depends(field, FieldValue::Length { of, plus, unit: 1 });
    }

    /// Adds a list of parts; lists of parts inside these come later.
    pub(crate) fn list(&mut self, parts: Vec<Vec<Range<u32>>>) -> ListId {
        self.lists.push(PartList { parts, is_only_counted: false });
        self.lists.len() as ListId - 1
    }

    /// Adds a list of parts that go as parts of other lists; it is what fields count.
    pub(crate) fn counted_list(&mut self, parts: Vec<Vec<Range<u32>>>) -> ListId {
        self.lists.push(PartList { parts, is_only_counted: true });
        self.lists.len() as ListId - 1
    }

    /// The index that the next list will have.
    pub(crate) fn next_list(&self) -> ListId {
        self.lists.len() as ListId
    }

    /// The stretches of a span that belong to no part, payload or field.
    pub(crate) fn gaps(&self, span: Range<u32>) -> Vec<Range<u32>> {
        let parts = self.lists.iter().flat_map(|list| list.parts.iter().flatten());
        let fields = self.fields.iter().map(|field| &field.span);
        let mut covered: Vec<&Range<u32>> = parts.chain(&self.payloads).chain(fields).collect();
        covered.retain(|other| other.start < span.end && span.start < other.end);
        covered.sort_by_key(|other| other.start);
        let mut gaps = Vec::new();
        let mut at = span.start;
        for other in covered {
            if at < other.start {
                gaps.push(at..other.start);
            }
            at = at.max(other.end);
        }
        if at < span.end {
            gaps.push(at..span.end);
        }
        gaps
    }

    /// Fills a list that was added before its parts were read.
    pub(crate) fn fill_list(&mut self, list: ListId, parts: Vec<Vec<Range<u32>>>) {
        if let Some(list) = self.lists.get_mut(list as usize) {
            list.parts = parts;
        }
    }

    /// The contents of a stream at the start of some bytes, and its length, if streams are opened here.
    pub(crate) fn contents_of_stream(&mut self, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
        if self.opening == Opening::Closed || self.open_spaces.len() > MAX_STREAM_DEPTH {
            return None;
        }
        let stream = inflate(bytes, self.max_inflated_bytes);
        let (contents, length) = stream.filter(|(contents, _)| !contents.is_empty())?;
        self.max_inflated_bytes -= contents.len();
        Some((contents, length))
    }

    /// Appends what `append` appends as the contents of a stream, which is compressed anew. The target is the contents.
    pub(crate) fn stream(&mut self, append: impl FnOnce(&mut Self)) -> Target {
        let (start, space, parent) = (self.at(), self.spaces.len() as SpaceId, self.space());
        self.spaces.push(start..start);
        self.parents.push(parent);
        self.open_spaces.push(space);
        append(self);
        self.open_spaces.pop();
        let span = start..self.at();
        self.spaces[space as usize] = span.clone();
        Target { space, span }
    }

    /// The view and its layout.
    pub(crate) fn finish(mut self) -> (Vec<u8>, ContainerLayout) {
        self.spaces[0] = 0..self.at();
        let Self { view, fields, lists, payloads, spaces, parents, .. } = self;
        (view, ContainerLayout::assemble(fields, lists, payloads, &spaces, parents))
    }
}
