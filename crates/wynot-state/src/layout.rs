//! The parts of a value that cannot be divided further.

use crate::dwarf::{Bits, EnumVariant, Kind, Member, Type, TypeId, Types};
use crate::hints::Rules;
use crate::values::{is_text, number};
use std::collections::HashMap;
use std::sync::OnceLock;

/// How deep types may be nested: beyond, something is wrong with them.
const DEEPEST: u32 = 64;

/// How many parts of a type are kept at most.
const MOST_FIXED: u64 = 512;

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// From the object's begin, in bytes.
    pub offset: u64,
    /// In bytes.
    pub size: u64,
    /// What it holds.
    pub content: Content,
    /// It makes no sense without other parts.
    pub unit: Option<Unit>,
}

/// Parts that make no sense without each other: a pointer and how many values it leads to, as in slices
/// and vectors, or a union and what says which of its members is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// Where the parts begin, in the object.
    pub start: u64,
    /// How many values the pointer leads to, if there is one that is counted.
    pub count: Option<u64>,
}

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A number, a truth value, a name of an enumeration.
    Scalar(TypeId),
    /// Some bits of a number.
    Bits(TypeId, Bits),
    /// The address of a value of this type.
    Pointer(TypeId),
    /// Text in a field of its own.
    Text,
    /// Says which variant the rest is.
    Tag(TypeId),
    /// A word of a union, so far from its begin: which of its members it belongs to is not known.
    Union(TypeId, u64),
    /// Nobody knows: it may be a pointer.
    Opaque,
}

impl Content {
    /// Whether it is a pointer, or could be one.
    pub fn may_point(self) -> bool {
        matches!(self, Self::Pointer(_) | Self::Union(..) | Self::Opaque)
    }
}

/// Reads a few bytes of an object.
pub type Read<'a> = dyn Fn(u64, u64) -> Option<&'a [u8]> + 'a;

/// How values of the types of a program are laid out. What does not depend on what a value holds is found
/// out once for each type.
#[derive(Debug)]
pub struct Layouts<'a> {
    types: &'a Types,
    rules: Rules,
    known: Vec<OnceLock<Known>>,
    /// What vectors of Rust hold: their own pointers lead to bytes.
    elements: HashMap<TypeId, TypeId>,
}

/// What does not depend on what a value holds.
#[derive(Debug)]
struct Known {
    /// All parts, if they are the same for all values.
    leaves: Option<Box<[Leaf]>>,
    /// The row at the end, if that has no fixed length.
    open_end: Option<(u64, TypeId)>,
}

impl<'a> Layouts<'a> {
    /// Of these types, with what is known about them.
    pub fn new(types: &'a Types, rules: Rules) -> Self {
        let known = std::iter::repeat_with(OnceLock::new).take(types.len()).collect();
        Self { types, rules, known, elements: elements(types) }
    }

    /// Visits the leaves of so many values of a type that lie one after the other, nearly by offset: what
    /// says which variant something is comes before it.
    pub fn visit_row(&self, of: TypeId, count: u64, read: &Read<'_>, mut visit: impl FnMut(Leaf)) {
        let size = self.types[of].size;
        if let Some(leaves) = &self.known(of).leaves {
            for start in (0..count).map(|index| index * size) {
                for leaf in leaves {
                    visit(Leaf { offset: start + leaf.offset, ..*leaf });
                }
            }
            return;
        }
        let mut walk = self.walk(read, &mut visit);
        for index in 0..count {
            walk.value(of, index * size, 0);
        }
    }

    /// The row at the end of a structure that is as long as there is memory for it: where it begins, and
    /// what it consists of. `char name[]`, and also `char name[1]`, as it had to be written once.
    pub fn open_end(&self, of: TypeId) -> Option<(u64, TypeId)> {
        self.known(of).open_end
    }

    fn known(&self, of: TypeId) -> &Known {
        self.known[of.0 as usize].get_or_init(|| {
            let few = values_in(self.types, of, 0) <= MOST_FIXED;
            let leaves = if few { self.fixed_leaves(of) } else { None };
            Known { leaves, open_end: open_end(self.types, of) }
        })
    }

    fn walk<'r, 'w>(&'w self, read: &'w Read<'r>, visit: &'w mut dyn FnMut(Leaf)) -> Walk<'r, 'w> {
        let Self { types, rules, elements, .. } = self;
        let (unit, element, depends) = (None, None, false);
        Walk { types, rules, read, visit, elements, unit, element, depends }
    }

    /// The leaves of a type whose values all have the same ones.
    fn fixed_leaves(&self, of: TypeId) -> Option<Box<[Leaf]>> {
        let mut leaves = Vec::new();
        let mut visit = |leaf| leaves.push(leaf);
        let read = |_: u64, _: u64| None;
        let mut walk = self.walk(&read, &mut visit);
        walk.value(of, 0, 0);
        let depends = walk.depends;
        // Words depend on where values lie, unless all are whole ones.
        let is_whole = |leaf: &Leaf| match leaf.content {
            Content::Union(..) | Content::Opaque => {
                leaf.offset.is_multiple_of(8) && self.types[of].size.is_multiple_of(8)
            }
            _ => true,
        };
        (!depends && leaves.iter().all(is_whole)).then(|| leaves.into_boxed_slice())
    }
}

/// How many parts the values of a type have at most, nearly.
fn values_in(types: &Types, of: TypeId, depth: u32) -> u64 {
    match &types[of].kind {
        _ if depth > DEEPEST => u64::MAX,
        Kind::Array { of, count } => {
            values_in(types, *of, depth + 1).saturating_mul(count.unwrap_or(0))
        }
        Kind::Structure { members } => members
            .iter()
            .fold(0, |sum: u64, member| sum.saturating_add(values_in(types, member.of, depth + 1))),
        Kind::Union { .. } | Kind::Unknown => types[of].size / 8 + 2,
        _ => 1,
    }
}

/// Visits words of which nothing is known.
pub fn visit_opaque(from: u64, to: u64, visit: &mut dyn FnMut(Leaf)) {
    visit_words(from, to, &mut |offset, size| {
        visit(Leaf { offset, size, content: Content::Opaque, unit: None });
    });
}

/// Visits words, of which the first and the last one may be cut off.
fn visit_words(from: u64, to: u64, visit: &mut dyn FnMut(u64, u64)) {
    let mut offset = from;
    while offset < to {
        // Up to the next multiple of a word.
        let size = (8 - offset % 8).min(to - offset);
        visit(offset, size);
        offset += size;
    }
}

struct Walk<'a, 'b> {
    types: &'b Types,
    rules: &'b Rules,
    read: &'b Read<'a>,
    visit: &'b mut dyn FnMut(Leaf),
    elements: &'b HashMap<TypeId, TypeId>,
    unit: Option<Unit>,
    /// What bytes that a pointer leads to really are.
    element: Option<TypeId>,
    /// Whether what was visited depends on what values hold.
    depends: bool,
}

impl<'b> Walk<'_, 'b> {
    fn value(&mut self, of: TypeId, offset: u64, depth: u32) {
        let types: &'b Types = self.types;
        let known = &types[of];
        match &known.kind {
            Kind::Boolean
            | Kind::Integer { .. }
            | Kind::Character { .. }
            | Kind::Float
            | Kind::Enumeration { .. } => self.leaf(offset, known.size, Content::Scalar(of)),
            Kind::Pointer { to } => {
                let to = self.element.filter(|_| is_text(types, *to)).unwrap_or(*to);
                self.leaf(offset, known.size, Content::Pointer(to));
            }
            Kind::Function => {}
            _ if depth > DEEPEST => visit_opaque(offset, offset + known.size, self.visit),
            Kind::Unknown => visit_opaque(offset, offset + known.size, self.visit),
            Kind::Union { members } => match self.rules.fixed(of) {
                Some(member) => self.members(&members[member..=member], offset, depth),
                None => self.words(of, offset, known.size),
            },
            Kind::Structure { members } => self.structure(of, members, offset, depth),
            Kind::Variants { tag, shared, variants } => {
                self.depends = true;
                self.members(shared, offset, depth);
                if let Some(tag) = tag {
                    self.leaf(offset + tag.offset, types[tag.of].size, Content::Tag(of));
                }
                if let Some(variant) = self.active(tag.as_ref(), variants, offset) {
                    self.members(&variant.members, offset, depth);
                }
            }
            Kind::Array { of: element, count } => {
                self.row(*element, count.unwrap_or(0), offset, known.size, depth);
            }
        }
    }

    fn leaf(&mut self, offset: u64, size: u64, content: Content) {
        if size > 0 {
            (self.visit)(Leaf { offset, size, content, unit: self.unit });
        }
    }

    fn row(&mut self, element: TypeId, count: u64, offset: u64, size: u64, depth: u32) {
        let stride = self.types[element].size;
        if stride == 0 {
            // However many there are, they hold nothing.
            return;
        }
        if stride == 1 && matches!(self.types[element].kind, Kind::Character { .. }) {
            return self.leaf(offset, size.min(count), Content::Text);
        }
        for index in 0..count {
            self.value(element, offset + index * stride, depth + 1);
        }
    }

    fn structure(&mut self, of: TypeId, members: &[Member], offset: u64, depth: u32) {
        let around = (self.unit, self.element);
        self.element = self.elements.get(&of).copied().or(self.element);
        let count = self.count(of, members, offset);
        self.depends |= count.is_some() || self.rules.is_unit(of) || is_counted(members);
        if count.is_some() || self.rules.is_unit(of) {
            self.unit = Some(Unit { start: offset, count });
        }
        if self.rules.is_unit(of) {
            for (index, member) in members.iter().enumerate() {
                self.ruled_member(of, index, member, offset, depth);
            }
        } else {
            self.members(members, offset, depth);
        }
        (self.unit, self.element) = around;
    }

    /// A member of a structure that people know more about than the compiler.
    fn ruled_member(&mut self, of: TypeId, index: usize, member: &Member, start: u64, depth: u32) {
        let read = |at: u64, length: u64| (self.read)(start + at, length);
        let chosen = self.rules.chosen(self.types, of, index, &read);
        let count = self.rules.count(self.types, of, index, &read);
        let unit = self.unit;
        self.unit = unit.map(|unit| Unit { count: count.or(unit.count), ..unit });
        let types: &'b Types = self.types;
        match (chosen, &types[member.of].kind) {
            (Some(chosen), Kind::Union { members }) => {
                self.members(&members[chosen..=chosen], start + member.offset, depth + 1);
            }
            _ => self.members(std::slice::from_ref(member), start, depth),
        }
        self.unit = unit;
    }

    fn members(&mut self, members: &[Member], offset: u64, depth: u32) {
        for member in members {
            let at = offset + member.offset;
            match member.bits {
                // Bits may reach beyond the bytes of an integer of their type.
                Some(bits) => self.leaf(at, bits.bytes() as u64, Content::Bits(member.of, bits)),
                None => self.value(member.of, at, depth + 1),
            }
        }
    }

    fn words(&mut self, of: TypeId, start: u64, size: u64) {
        visit_words(start, start + size, &mut |offset, size| {
            self.leaf(offset, size, Content::Union(of, offset - start));
        });
    }

    /// How many values the pointer of a structure leads to, if it is one of those that know.
    fn count(&self, of: TypeId, members: &[Member], offset: u64) -> Option<u64> {
        let find = |name: &str| members.iter().find(|member| member.name == name);
        let word = |member: &Member| {
            let bytes = (self.read)(offset + member.offset, self.types[member.of].size)?;
            u64::try_from(number(bytes, false)).ok()
        };
        if let (Some(_), Some(length)) = (find("data_ptr"), find("length")) {
            return word(length);
        }
        let name = &self.types[of].name;
        if name.starts_with("alloc::vec::Vec<") || name.starts_with("Vec<") {
            return word(find("len")?);
        }
        if let (Some(_), Some(length)) = (find("_M_dataplus"), find("_M_string_length")) {
            return word(length);
        }
        let (start, finish) = (find("_M_start")?, find("_M_finish")?);
        let Kind::Pointer { to } = self.types[start.of].kind else { return None };
        let size = self.types[to].size;
        word(finish)?.checked_sub(word(start)?)?.checked_div(size)
    }

    fn active<'v>(
        &self,
        tag: Option<&Member>,
        variants: &'v [EnumVariant],
        offset: u64,
    ) -> Option<&'v EnumVariant> {
        let Some(tag) = tag else { return variants.first() };
        let size = self.types[tag.of].size;
        let value = (self.read)(offset + tag.offset, size)?;
        crate::values::active(self.types, tag.of, variants, value)
    }
}

/// What the vectors among types hold: the first of the types that their names are made of.
fn elements(types: &Types) -> HashMap<TypeId, TypeId> {
    let held = |of: &Type| {
        let inside = of.name.strip_prefix("alloc::vec::Vec<")?;
        let mut depth = 0;
        let end = inside.find(|c: char| {
            depth += i32::from("<([".contains(c)) - i32::from(">)]".contains(c));
            depth < 0 || (depth == 0 && c == ',')
        })?;
        Some(inside[..end].to_owned())
    };
    let vectors: Vec<(TypeId, String)> =
        types.iter().filter_map(|(id, of)| Some((id, held(of)?))).collect();
    if vectors.is_empty() {
        return HashMap::new();
    }
    let names: HashMap<&str, TypeId> =
        types.iter().map(|(id, of)| (of.name.as_str(), id)).collect();
    vectors.into_iter().filter_map(|(id, name)| Some((id, *names.get(name.as_str())?))).collect()
}

/// Whether a structure looks like one that knows how many values its pointer leads to.
fn is_counted(members: &[Member]) -> bool {
    const NAMES: [&str; 4] = ["data_ptr", "len", "_M_string_length", "_M_finish"];
    members.iter().any(|member| NAMES.contains(&member.name.as_str()))
}

fn open_end(types: &Types, of: TypeId) -> Option<(u64, TypeId)> {
    let Kind::Structure { members } = &types[of].kind else { return None };
    let last = members.iter().max_by_key(|member| member.offset)?;
    match types[last.of].kind {
        Kind::Array { of, count: None | Some(0 | 1) } => Some((last.offset, of)),
        _ => None,
    }
}

/// The structures that pointers among the members of a type lead to, so far from its begin.
pub fn pointees(types: &Types, of: TypeId, at: u64) -> Vec<TypeId> {
    let mut found = Vec::new();
    collect_pointees(types, of, at, 0, &mut found);
    found
}

fn collect_pointees(types: &Types, of: TypeId, at: u64, depth: u32, found: &mut Vec<TypeId>) {
    match &types[of].kind {
        _ if depth > DEEPEST => {}
        Kind::Pointer { to } if at == 0 => {
            if matches!(types[*to].kind, Kind::Structure { .. } | Kind::Union { .. }) {
                found.push(*to);
            }
        }
        Kind::Structure { members } | Kind::Union { members } => {
            for Member { offset, of, bits, .. } in members {
                let inside = at.checked_sub(*offset).filter(|at| *at < types[*of].size);
                if let (Some(at), None) = (inside, bits) {
                    collect_pointees(types, *of, at, depth + 1, found);
                }
            }
        }
        Kind::Array { of: element, .. } if types[*element].size > 0 => {
            collect_pointees(types, *element, at % types[*element].size, depth + 1, found);
        }
        _ => {}
    }
}
