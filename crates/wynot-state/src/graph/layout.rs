//! The layout of values: dividing them into parts that cannot be divided further.

use super::element_types::element_types;
use super::hash_table::INNER_TABLE;
use super::leaf::{Leaf, LeafContent, LeafUnit};
use crate::decode::{ReadBytes, active_variant, is_text, number};
use crate::dwarf::{EnumVariant, Kind, Member, Type, TypeId, Types};
use crate::hints::type_rules::TypeRules;
use std::collections::HashMap;
use std::sync::OnceLock;

/// The depth of nested types beyond which the debug information must be damaged.
const MAX_TYPE_DEPTH: u32 = 64;

/// The number of parts up to which the layout of a type is stored.
const MAX_STORED_LEAVES: u64 = 512;

/// The layouts of the types of a program. What does not depend on the content of a value is computed once
/// for each type.
#[derive(Debug)]
pub struct Layouts<'a> {
    types: &'a Types,
    rules: TypeRules,
    /// The size of an address in bytes, and of the words in which bytes of unknown type are read.
    word: u64,
    fixed: Vec<OnceLock<FixedLayout>>,
    /// The element types of Rust vectors and hash tables, whose own pointers lead to bytes.
    elements: HashMap<TypeId, TypeId>,
}

/// The aspects of a layout that are the same for all values of a type.
#[derive(Debug)]
struct FixedLayout {
    /// All parts, if they do not depend on the content of a value.
    leaves: Option<Box<[Leaf]>>,
    /// The offset and element type of the flexible array member.
    flexible_array: Option<(u64, TypeId)>,
}

impl<'a> Layouts<'a> {
    /// The layouts of these types, with the rules of a hint file.
    pub fn new(types: &'a Types, rules: TypeRules) -> Self {
        let fixed = std::iter::repeat_with(OnceLock::new).take(types.len()).collect();
        let is_pointer = |of: &Type| matches!(of.kind, Kind::Pointer { .. }) && of.size > 0;
        let word = types.iter().find(|(_, of)| is_pointer(of)).map_or(8, |(_, of)| of.size);
        Self { types, rules, word, fixed, elements: element_types(types) }
    }

    /// The types.
    pub fn types(&self) -> &'a Types {
        self.types
    }

    /// The size of an address in bytes.
    pub fn word(&self) -> u64 {
        self.word
    }

    /// Whether a hint says that pools start with values of a type.
    pub fn is_pool(&self, of: TypeId) -> bool {
        self.rules.is_pool(of)
    }

    /// Visits the parts of consecutive values of a type, in the order of their offsets, except that a tag comes
    /// before the variant that it selects.
    pub fn visit_values(
        &self,
        of: TypeId,
        count: u64,
        read: &ReadBytes<'_>,
        mut visit: impl FnMut(Leaf),
    ) {
        let size = self.types[of].size;
        if let Some(leaves) = &self.fixed(of).leaves {
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

    /// The offset and the element type of a structure's flexible array member, which is as long as its memory
    /// allows: `char name[]`, or `char name[1]` as before C99.
    pub fn flexible_array(&self, of: TypeId) -> Option<(u64, TypeId)> {
        self.fixed(of).flexible_array
    }

    fn fixed(&self, of: TypeId) -> &FixedLayout {
        self.fixed[of.0 as usize].get_or_init(|| {
            let few = max_leaves(self.types, of, self.word, 0) <= MAX_STORED_LEAVES;
            let leaves = if few { self.fixed_leaves(of) } else { None };
            FixedLayout { leaves, flexible_array: flexible_array(self.types, of) }
        })
    }

    fn walk<'r, 'w>(
        &'w self,
        read: &'w ReadBytes<'r>,
        visit: &'w mut dyn FnMut(Leaf),
    ) -> Walk<'r, 'w> {
        let Self { types, rules, elements, word, .. } = self;
        let (unit, element, depends) = (None, None, false);
        Walk { types, rules, word: *word, read, visit, elements, unit, element, depends }
    }

    /// The parts of a type, if all of its values have the same ones.
    fn fixed_leaves(&self, of: TypeId) -> Option<Box<[Leaf]>> {
        let mut leaves = Vec::new();
        let mut visit = |leaf| leaves.push(leaf);
        let read = |_: u64, _: u64| None;
        let mut walk = self.walk(&read, &mut visit);
        walk.value(of, 0, 0);
        let depends = walk.depends;
        // Words of unknown type depend on the alignment of the value, unless all are whole words.
        let is_whole = |leaf: &Leaf| match leaf.content {
            LeafContent::Union(..) | LeafContent::Opaque => {
                leaf.offset.is_multiple_of(self.word)
                    && self.types[of].size.is_multiple_of(self.word)
            }
            _ => true,
        };
        (!depends && leaves.iter().all(is_whole)).then(|| leaves.into_boxed_slice())
    }
}

/// An upper bound for the number of parts of a value, or nearly one.
fn max_leaves(types: &Types, of: TypeId, word: u64, depth: u32) -> u64 {
    match &types[of].kind {
        _ if depth > MAX_TYPE_DEPTH => u64::MAX,
        Kind::Array { of, count } => {
            max_leaves(types, *of, word, depth + 1).saturating_mul(count.unwrap_or(0))
        }
        Kind::Structure { members } => members.iter().fold(0, |sum: u64, member| {
            sum.saturating_add(max_leaves(types, member.of, word, depth + 1))
        }),
        Kind::Union { .. } | Kind::Unknown => types[of].size / word + 2,
        _ => 1,
    }
}

/// Visits the words of unknown type between two offsets.
pub fn visit_opaque(from: u64, to: u64, word: u64, visit: &mut dyn FnMut(Leaf)) {
    visit_words(from, to, word, &mut |offset, size| {
        visit(Leaf { offset, size, content: LeafContent::Opaque, unit: None });
    });
}

/// Visits the words between two offsets; the first and the last one may be incomplete.
fn visit_words(from: u64, to: u64, word: u64, visit: &mut dyn FnMut(u64, u64)) {
    let mut offset = from;
    while offset < to {
        // A word ends at a multiple of its size.
        let size = (word - offset % word).min(to - offset);
        visit(offset, size);
        offset += size;
    }
}

/// A walk through the parts of a value.
struct Walk<'a, 'b> {
    types: &'b Types,
    rules: &'b TypeRules,
    word: u64,
    read: &'b ReadBytes<'a>,
    visit: &'b mut dyn FnMut(Leaf),
    elements: &'b HashMap<TypeId, TypeId>,
    unit: Option<LeafUnit>,
    /// The element type of the vector around the part, whose pointer leads to bytes.
    element: Option<TypeId>,
    /// Whether the parts visited so far depend on the content of the value.
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
            | Kind::Enumeration { .. } => self.leaf(offset, known.size, LeafContent::Scalar(of)),
            Kind::Pointer { to } => {
                let to = self.element.filter(|_| is_text(types, *to)).unwrap_or(*to);
                self.leaf(offset, known.size, LeafContent::Pointer(to));
            }
            Kind::Function => {}
            _ if depth > MAX_TYPE_DEPTH => {
                visit_opaque(offset, offset + known.size, self.word, self.visit)
            }
            Kind::Unknown => visit_opaque(offset, offset + known.size, self.word, self.visit),
            Kind::Union { members } => match self.rules.only_member(of) {
                Some(member) => self.members(&members[member..=member], offset, depth),
                None => self.words(of, offset, known.size),
            },
            Kind::Structure { members } => self.structure(of, members, offset, depth),
            Kind::Variants { tag, shared, variants } => {
                self.depends = true;
                self.members(shared, offset, depth);
                if let Some(tag) = tag {
                    self.leaf(offset + tag.offset, types[tag.of].size, LeafContent::Tag(of));
                }
                if let Some(variant) = self.active(tag.as_ref(), variants, offset) {
                    self.members(&variant.members, offset, depth);
                }
            }
            Kind::Array { of: element, count } => {
                self.array(*element, count.unwrap_or(0), offset, known.size, depth);
            }
        }
    }

    fn leaf(&mut self, offset: u64, size: u64, content: LeafContent) {
        if size > 0 {
            (self.visit)(Leaf { offset, size, content, unit: self.unit });
        }
    }

    fn array(&mut self, element: TypeId, count: u64, offset: u64, size: u64, depth: u32) {
        let stride = self.types[element].size;
        if stride == 0 {
            return;
        }
        if stride == 1 && matches!(self.types[element].kind, Kind::Character { .. }) {
            return self.leaf(offset, size.min(count), LeafContent::Text);
        }
        for index in 0..count {
            self.value(element, offset + index * stride, depth + 1);
        }
    }

    fn structure(&mut self, of: TypeId, members: &[Member], offset: u64, depth: u32) {
        let around = (self.unit, self.element);
        self.element = self.elements.get(&of).copied().or(self.element);
        let count = self.count(of, members, offset);
        let is_table = self.types[of].name == INNER_TABLE && self.element.is_some();
        if is_table && count.is_none() {
            // Empty tables lead to bytes that all of them share.
            self.element = None;
        }
        let has_rules = self.rules.has_rules_for(of);
        self.depends |= count.is_some() || has_rules || is_counted(members);
        if count.is_some() || has_rules {
            self.unit = Some(LeafUnit { start: offset, count, is_table });
        }
        if has_rules {
            for (index, member) in members.iter().enumerate() {
                self.ruled_member(of, index, member, offset, depth);
            }
        } else {
            self.members(members, offset, depth);
        }
        (self.unit, self.element) = around;
    }

    /// A member of a structure that a hint file has rules about.
    fn ruled_member(&mut self, of: TypeId, index: usize, member: &Member, start: u64, depth: u32) {
        let read = |at: u64, length: u64| (self.read)(start + at, length);
        let chosen = self.rules.member_in_use(self.types, of, index, &read);
        let count = self.rules.count(self.types, of, index, &read);
        let unit = self.unit;
        self.unit = unit.map(|unit| LeafUnit { count: count.or(unit.count), ..unit });
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
                // A bit-field may extend beyond the bytes of its type.
                Some(bits) => {
                    self.leaf(at, bits.bytes() as u64, LeafContent::Bits(member.of, bits))
                }
                None => self.value(member.of, at, depth + 1),
            }
        }
    }

    fn words(&mut self, of: TypeId, start: u64, size: u64) {
        visit_words(start, start + size, self.word, &mut |offset, size| {
            self.leaf(offset, size, LeafContent::Union(of, offset - start));
        });
    }

    /// The number of values that the pointer of a structure leads to, for the vectors, slices and strings of
    /// the standard libraries of Rust and C++.
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
        if name == INNER_TABLE {
            // The table that all empty maps share has one control byte, and no values.
            return word(find("bucket_mask")?).filter(|mask| *mask > 0)?.checked_add(1);
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
        active_variant(self.types, tag.of, variants, value)
    }
}

/// Whether a structure may be one that stores how many values its pointer leads to.
fn is_counted(members: &[Member]) -> bool {
    const NAMES: [&str; 5] = ["data_ptr", "len", "_M_string_length", "_M_finish", "bucket_mask"];
    members.iter().any(|member| NAMES.contains(&member.name.as_str()))
}

fn flexible_array(types: &Types, of: TypeId) -> Option<(u64, TypeId)> {
    let Kind::Structure { members } = &types[of].kind else { return None };
    let last = members.iter().max_by_key(|member| member.offset)?;
    match types[last.of].kind {
        Kind::Array { of, count: None | Some(0 | 1) } => Some((last.offset, of)),
        _ => None,
    }
}

/// The structures and unions that pointers at an offset of a type lead to.
pub fn pointees(types: &Types, of: TypeId, at: u64) -> Vec<TypeId> {
    let mut found = Vec::new();
    collect_pointees(types, of, at, 0, &mut found);
    found
}

fn collect_pointees(types: &Types, of: TypeId, at: u64, depth: u32, found: &mut Vec<TypeId>) {
    match &types[of].kind {
        _ if depth > MAX_TYPE_DEPTH => {}
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
