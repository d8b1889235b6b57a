//! Short texts that lie in the object that points to them, as those of `std::string` do.

use crate::dwarf::Kind;
use crate::graph::leaf::{Leaf, LeafContent};
use crate::graph::memory_copy::MemoryCopy;
use crate::graph::memory_graph::MemoryGraph;
use crate::graph::memory_object::ObjectId;

/// The number of words before a part among which the pointer to its text is searched.
const MAX_WORDS_BEFORE: u64 = 4;

/// The text that a part of a union belongs to, if a pointer to characters in the same object, shortly before it, leads to
/// the text.
pub(crate) fn inner_text<'a, M: MemoryCopy>(
    graph: &MemoryGraph<'a, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> Option<&'a [u8]> {
    if !matches!(leaf.content, LeafContent::Union(..)) {
        return None;
    }
    let word = graph.layouts.word();
    let mut starts = (1..=MAX_WORDS_BEFORE).rev().filter_map(|words| {
        let pointer = graph.pointer_at(id, leaf.offset.checked_sub(words * word)?)?;
        let LeafContent::Pointer(to) = pointer.content else { return None };
        let target = graph.target(id, &pointer).filter(|target| target.object == id)?;
        let is_text = matches!(graph.types[to].kind, Kind::Character { .. });
        let is_before = (pointer.offset..=leaf.offset).contains(&target.offset);
        (is_text && is_before).then_some(target.offset)
    });
    let start = starts.next()?;
    graph.content(id).get(usize::try_from(start).ok()?..)
}
