//! What objects and their parts are called, as a programmer would write it.

use crate::dwarf::{Kind, Member, TypeId, Types};
use crate::graph::{Found, Graph, ObjectId};
use crate::layout::{Content, Leaf, Read};
use crate::memory::Memory;
use crate::union_members;
use crate::values;
pub use crate::wording::{destination, summary, value};

/// How many pointers are followed in a name. Nobody wants to read longer ones.
const STEPS: u32 = 8;

/// How many equal pointers in a row are counted instead of told.
const RUN: u32 = 4;

/// The expression for a part of an object: `list->next->value`.
pub fn expression<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, leaf: &Leaf) -> String {
    expression_after(graph, id, leaf, STEPS)
}

/// The variable, or the pointer that leads to an object.
pub fn whole<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> String {
    whole_after(graph, id, STEPS)
}

/// The variable that an object was found from, by its number.
pub fn variable<M: Memory>(graph: &Graph<'_, M>, id: ObjectId) -> u32 {
    graph.way(id).variable
}

/// The same as [`expression`], with so many pointers at most.
fn expression_after<M: Memory>(
    graph: &Graph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
    steps: u32,
) -> String {
    let object = graph.object(id);
    let whole = whole_after(graph, id, steps);
    if matches!(object.found, Found::Variable(_)) {
        return format!("{whole}{}", inside(graph, id, leaf).0);
    }
    let size = graph.types[object.of].size;
    if object.text.is_some() {
        return match leaf.content {
            Content::Text => whole,
            _ => format!("bytes {} to {} of {whole}", leaf.offset, leaf.offset + leaf.size),
        };
    }
    if size == 0 || (leaf.offset >= size.saturating_mul(object.count) && !is_open(graph, id, leaf))
    {
        return format!("word {} of *{whole}", leaf.offset / 8);
    }
    let (rest, _) = inside(graph, id, leaf);
    match (object.count, rest.strip_prefix('.')) {
        (1, Some(member)) => format!("{whole}->{member}"),
        (1, None) if rest.is_empty() => format!("*{whole}"),
        (1, None) => format!("(*{whole}){rest}"),
        _ => format!("{whole}[{}]{rest}", leaf.offset / size),
    }
}

/// The same as [`whole`], with so many pointers at most. The same pointer many times, as in a list, is one.
fn whole_after<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, steps: u32) -> String {
    let way = graph.way(id);
    let (object, offset) = match graph.object(id).found {
        Found::Variable(index) => return graph.roots[index as usize].name.clone(),
        Found::Pointer { object, offset } => (object, offset),
    };
    if steps == 0 {
        let root = &graph.roots[way.variable as usize].name;
        return format!("{root}{{... {} pointers}}", way.depth);
    }
    let Some(pointer) = graph.leaf_at(object, offset) else {
        return format!("*{}", whole_after(graph, object, steps - 1));
    };
    let (rest, _) = inside(graph, object, &pointer);
    match rest.strip_prefix('.') {
        Some(member) if way.run >= RUN => {
            let before = whole_after(graph, way.start, steps - 1);
            format!("{before}{{->{member} {} times}}", way.run)
        }
        _ => expression_after(graph, object, &pointer, steps - 1),
    }
}

/// Whether a part belongs to the row at the end of an object that is as long as there is room.
fn is_open<M: Memory>(graph: &Graph<'_, M>, id: ObjectId, leaf: &Leaf) -> bool {
    let object = graph.object(id);
    let open = graph.layouts.open_end(object.of).filter(|_| object.allocated);
    open.is_some_and(|(start, _)| leaf.offset >= start && leaf.content != Content::Opaque)
}

/// From one of the values of an object to one of its parts: `.fld[1].rtx`, and the type of that part.
pub(crate) fn inside<M: Memory>(
    graph: &Graph<'_, M>,
    id: ObjectId,
    leaf: &Leaf,
) -> (String, TypeId) {
    let object = graph.object(id);
    let size = graph.types[object.of].size.max(1);
    let base = if object.count <= 1 { 0 } else { leaf.offset / size * size };
    let content = graph.content(id);
    let read = |at: u64, length: u64| {
        let at = usize::try_from(base + at).ok()?;
        content.get(at..at.checked_add(length as usize)?)
    };
    let target = graph.target(id, leaf).map(|spot| graph.object(spot.object).of);
    let bytes = graph.bytes(id, leaf);
    let part = Part { types: graph.types, leaf, bytes, target };
    part.path(object.of, leaf.offset - base, &read)
}

/// A part of a value, and what it holds.
pub(crate) struct Part<'p> {
    pub types: &'p Types,
    pub leaf: &'p Leaf,
    pub bytes: &'p [u8],
    /// The type of what it points to.
    pub target: Option<TypeId>,
}

impl<'p> Part<'p> {
    /// From a value to the part.
    fn path(&self, of: TypeId, offset: u64, read: &Read<'_>) -> (String, TypeId) {
        let types = self.types;
        let mut text = String::new();
        let (mut of, mut offset, mut base) = (of, offset, 0);
        loop {
            let member = match &types[of].kind {
                Kind::Array { of: element, .. } => {
                    let size = types[*element].size;
                    if matches!(self.leaf.content, Content::Text) || size == 0 {
                        return (text, of);
                    }
                    text.push_str(&format!("[{}]", offset / size));
                    base += offset / size * size;
                    (of, offset) = (*element, offset % size);
                    continue;
                }
                Kind::Structure { members } => {
                    self.member(members, offset).or_else(|| self.open_member(members, offset))
                }
                Kind::Union { members } => union_members::in_use(self, members, offset),
                Kind::Variants { tag, shared, variants } => {
                    if matches!(self.leaf.content, Content::Tag(of_leaf) if of_leaf == of) {
                        return (text, of);
                    }
                    let active = match tag {
                        Some(tag) => read(base + tag.offset, types[tag.of].size)
                            .and_then(|value| values::active(types, tag.of, variants, value)),
                        None => variants.first(),
                    };
                    let inside = active.map_or(&[][..], |variant| &variant.members);
                    self.member(shared, offset).or_else(|| self.member(inside, offset))
                }
                _ => return (text, of),
            };
            let Some(Member { name, offset: begin, of: inner, .. }) = member else {
                return (text, of);
            };
            // Members of base classes need not be told apart.
            if !name.is_empty() && *name != types[*inner].name && !is_plumbing(types, of, name) {
                text.push('.');
                text.push_str(name);
            }
            base += begin;
            (of, offset) = (*inner, offset - begin);
        }
    }

    /// The member that the part belongs to.
    pub fn member<'m>(&self, members: &'m [Member], offset: u64) -> Option<&'m Member> {
        members.iter().find(|member| self.is_in(member, offset))
    }

    /// The row at the end of a structure, if the part belongs to that.
    fn open_member<'m>(&self, members: &'m [Member], offset: u64) -> Option<&'m Member> {
        let last = members.iter().max_by_key(|member| member.offset)?;
        let is_row = matches!(self.types[last.of].kind, Kind::Array { .. });
        (is_row && offset >= last.offset).then_some(last)
    }

    /// Whether the part belongs to a member.
    pub fn is_in(&self, member: &Member, offset: u64) -> bool {
        // Empty bases lie where something else lies.
        let end = member.offset + self.types[member.of].size;
        match (self.leaf.content, member.bits) {
            (Content::Bits(_, bits), Some(own)) => own == bits && offset == member.offset,
            (_, Some(_)) => false,
            _ => offset >= member.offset && offset + self.leaf.size <= end,
        }
    }
}

/// Whether a member is how a library keeps what it is asked to keep, and no name that people use.
fn is_plumbing(types: &Types, of: TypeId, member: &str) -> bool {
    const RUST: [&str; 8] = [
        "alloc::vec::",
        "alloc::raw_vec::",
        "alloc::string::",
        "alloc::boxed::",
        "core::ptr::",
        "core::num::",
        "std::ffi::",
        "std::sys::",
    ];
    const NAMES: [&str; 7] =
        ["data_ptr", "_M_impl", "_M_start", "_M_dataplus", "_M_p", "_M_t", "_M_head_impl"];
    let owner = &types[of].name;
    NAMES.contains(&member)
        || (RUST.iter().any(|library| owner.starts_with(library))
            && !matches!(member, "len" | "cap"))
}
