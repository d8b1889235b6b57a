//! The parts of a value that cannot be divided further.

use crate::program::{Bits, Kind, Member, Type, TypeId, Types, Variant};

/// How deep types may be nested: beyond, something is wrong with them.
const DEEPEST: u32 = 64;

/// A part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// From the object's begin, in bytes.
    pub offset: u64,
    pub size: u64,
    pub content: Content,
    /// It is part of something that knows how many values its pointer leads to.
    pub counted: Option<Counted>,
}

/// A pointer and how many values it leads to, as in slices and vectors: neither makes sense without the
/// other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// Where both begin, in the object.
    pub start: u64,
    pub count: u64,
}

/// What a part holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// A number, a truth value, a name of an enumeration.
    Scalar(TypeId),
    /// Some bits of a number.
    Bits(TypeId, Bits),
    Pointer(TypeId),
    /// Text in a field of its own.
    Text,
    /// Says which variant the rest is.
    Tag(TypeId),
    /// Nobody knows: it may be a pointer.
    Opaque,
}

/// Reads a few bytes of an object.
pub type Read<'a> = dyn Fn(u64, u64) -> Option<&'a [u8]> + 'a;

/// Visits the leaves of so many values of a type that lie one after the other, by offset.
pub fn visit_row<'a>(
    types: &Types,
    of: TypeId,
    count: u64,
    read: &Read<'a>,
    visit: &mut dyn FnMut(Leaf),
) {
    let mut walk = Walk { types, read, visit, counted: None };
    let size = types[of].size;
    for index in 0..count {
        walk.value(of, index * size, 0);
    }
}

/// Visits words of which nothing is known.
pub fn visit_opaque(from: u64, to: u64, visit: &mut dyn FnMut(Leaf)) {
    let mut offset = from;
    while offset < to {
        // Up to the next multiple of a word.
        let size = (8 - offset % 8).min(to - offset);
        visit(Leaf { offset, size, content: Content::Opaque, counted: None });
        offset += size;
    }
}

struct Walk<'a, 'b> {
    types: &'b Types,
    read: &'b Read<'a>,
    visit: &'b mut dyn FnMut(Leaf),
    counted: Option<Counted>,
}

impl Walk<'_, '_> {
    fn value(&mut self, of: TypeId, offset: u64, depth: u32) {
        let of_type = &self.types[of];
        let size = of_type.size;
        let counted = self.counted;
        let mut leaf = |content| {
            if size > 0 {
                (self.visit)(Leaf { offset, size, content, counted });
            }
        };
        match &of_type.kind {
            Kind::Boolean
            | Kind::Integer { .. }
            | Kind::Character { .. }
            | Kind::Float
            | Kind::Enumeration { .. } => leaf(Content::Scalar(of)),
            Kind::Pointer { to } => leaf(Content::Pointer(*to)),
            Kind::Function => {}
            Kind::Unknown | Kind::Union { .. } => visit_opaque(offset, offset + size, self.visit),
            _ if depth > DEEPEST => visit_opaque(offset, offset + size, self.visit),
            Kind::Structure { members } => {
                let around = self.counted;
                let count = self.count(&of_type.name, members, offset);
                self.counted = count.map(|count| Counted { start: offset, count }).or(around);
                self.members(members, offset, depth);
                self.counted = around;
            }
            Kind::Variants { tag, shared, variants } => {
                self.members(shared, offset, depth);
                if let Some(tag) = tag {
                    let size = self.types[tag.of].size;
                    let at = offset + tag.offset;
                    (self.visit)(Leaf { offset: at, size, content: Content::Tag(of), counted });
                }
                if let Some(variant) = self.active(tag.as_ref(), variants, offset) {
                    self.members(&variant.members, offset, depth);
                }
            }
            Kind::Array { of: element, count } => {
                let Some(count) = *count else { return };
                if matches!(self.types[*element].kind, Kind::Character { .. })
                    && self.types[*element].size == 1
                {
                    return leaf(Content::Text);
                }
                let stride = self.types[*element].size;
                for index in 0..count {
                    self.value(*element, offset + index * stride, depth + 1);
                }
            }
        }
    }

    fn members(&mut self, members: &[Member], offset: u64, depth: u32) {
        for member in members {
            let at = offset + member.offset;
            match member.bits {
                Some(bits) => {
                    let size = self.types[member.of].size;
                    let content = Content::Bits(member.of, bits);
                    (self.visit)(Leaf { offset: at, size, content, counted: self.counted });
                }
                None => self.value(member.of, at, depth + 1),
            }
        }
    }

    /// How many values the pointer of a structure leads to, if it is one of those that know.
    fn count(&self, name: &str, members: &[Member], offset: u64) -> Option<u64> {
        let find = |name: &str| members.iter().find(|member| member.name == name);
        let word = |member: &Member| {
            let bytes = (self.read)(offset + member.offset, self.types[member.of].size)?;
            u64::try_from(number(bytes, false)).ok()
        };
        if let (Some(_), Some(length)) = (find("data_ptr"), find("length")) {
            return word(length);
        }
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
        variants: &'v [Variant],
        offset: u64,
    ) -> Option<&'v Variant> {
        let Some(tag) = tag else { return variants.first() };
        let size = self.types[tag.of].size;
        let value = (self.read)(offset + tag.offset, size)?;
        active(self.types, tag.of, variants, value)
    }
}

/// The variant that a tag stands for.
pub fn active<'v>(
    types: &Types,
    tag: TypeId,
    variants: &'v [Variant],
    value: &[u8],
) -> Option<&'v Variant> {
    let value = number(value, is_signed(types, tag));
    let stands = |variant: &&Variant| {
        variant.tags.iter().any(|(first, last)| (*first..=*last).contains(&value))
    };
    let other = || variants.iter().find(|variant| variant.tags.is_empty());
    variants.iter().find(stands).or_else(other)
}

/// The row at the end of a structure that is as long as there is memory for it: where it begins, and what
/// it consists of. `char name[]`, and also `char name[1]`, as it had to be written once.
pub fn open_end(types: &Types, of: TypeId) -> Option<(u64, TypeId)> {
    let Kind::Structure { members } = &types[of].kind else { return None };
    let last = members.iter().max_by_key(|member| member.offset)?;
    match types[last.of].kind {
        Kind::Array { of, count: None | Some(0 | 1) } => Some((last.offset, of)),
        _ => None,
    }
}

/// Whether values of a type are units of text: bytes.
pub fn is_text(types: &Types, of: TypeId) -> bool {
    let Type { name, size, kind } = &types[of];
    *size == 1
        && match kind {
            Kind::Character { .. } => true,
            Kind::Integer { signed: false } => name == "u8",
            _ => false,
        }
}

/// Where the tag of a type with variants lies.
pub fn tag_offset(types: &Types, of: TypeId) -> u64 {
    match &types[of].kind {
        Kind::Variants { tag: Some(tag), .. } => tag.offset,
        _ => 0,
    }
}

/// Whether values of a type can be below zero.
pub fn is_signed(types: &Types, of: TypeId) -> bool {
    matches!(
        types[of].kind,
        Kind::Integer { signed: true }
            | Kind::Character { signed: true }
            | Kind::Enumeration { signed: true, .. }
    )
}

/// The number that bytes stand for, the lowest ones first; up to 16 of them.
pub fn number(bytes: &[u8], signed: bool) -> i128 {
    let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    let length = bytes.len().min(16);
    all[..length].copy_from_slice(&bytes[..length]);
    i128::from_le_bytes(all)
}

/// The eight bytes of an address.
pub fn address(bytes: &[u8]) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.try_into().ok()?))
}
