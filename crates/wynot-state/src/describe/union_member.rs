//! Guessing which member of a union is in use: the one that fits the bytes best.

use super::value_part::ValuePart;
use crate::decode::number;
use crate::dwarf::{Kind, Member, TypeId, Types};
use crate::graph::leaf::LeafContent;

/// The depth of nested types to which a member is searched.
const MAX_TYPE_DEPTH: u32 = 16;

/// How well a member fits the bytes, from worst to best.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// The bytes cannot be a value of the member.
    Impossible,
    /// A fraction that is hardly ever one, such as the bytes of two integers.
    VeryUnlikely,
    /// A pointer to no object, or a number with other bytes after it.
    Unlikely,
    /// A number that would be an unusual one.
    Unusual,
    /// A number.
    Likely,
    /// A fraction that would be an unusual integer, or a pointer to an object of another type.
    VeryLikely,
    /// A pointer to an object of its type, or a part that is known to be of this type.
    Exact,
}

/// The member of a union that a part belongs to: the first one of those that fit best.
pub(crate) fn best_fitting_member<'m>(
    part: &ValuePart<'_>,
    members: &'m [Member],
    offset: u64,
) -> Option<&'m Member> {
    let covering = members.iter().filter(|member| {
        member.bits.is_none()
            && (member.offset..member.offset + part.types[member.of].size).contains(&offset)
    });
    // Of members that fit equally, `max_by_key` takes the last one, which is the first in the type.
    covering.rev().max_by_key(|member| fit(part, member, offset - member.offset))
}

fn fit(part: &ValuePart<'_>, member: &Member, offset: u64) -> Fit {
    let types = part.types;
    let Some(of) = value_at(types, member.of, offset, 0) else { return Fit::Impossible };
    let size = types[of].size;
    let own = usize::try_from(size).ok().and_then(|size| part.bytes.get(..size));
    match (part.leaf.content, &types[of].kind) {
        (LeafContent::Union(..), Kind::Pointer { to }) => match part.target {
            Some(target) if target == *to => Fit::Exact,
            Some(_) => Fit::VeryLikely,
            None => Fit::Unlikely,
        },
        (LeafContent::Union(..), _) if part.target.is_some() => Fit::Impossible,
        (LeafContent::Union(..), kind) => {
            own.map_or(Fit::Impossible, |own| number_fit(kind, own, part.bytes))
        }
        (LeafContent::Scalar(wanted), _) if wanted == of => Fit::Exact,
        (LeafContent::Pointer(wanted), Kind::Pointer { to }) if wanted == *to => Fit::Exact,
        (LeafContent::Text, Kind::Character { .. }) => Fit::Exact,
        _ => Fit::Impossible,
    }
}

/// How well bytes fit a kind of number.
fn number_fit(kind: &Kind, own: &[u8], all: &[u8]) -> Fit {
    if all[own.len()..].iter().any(|byte| *byte != 0) {
        return Fit::Unlikely;
    }
    match kind {
        Kind::Float if is_usual_float(own) => Fit::VeryLikely,
        Kind::Float if own.iter().any(|byte| *byte != 0) => Fit::VeryUnlikely,
        Kind::Integer { .. } | Kind::Enumeration { .. } => Fit::Likely,
        Kind::Float | Kind::Boolean | Kind::Character { .. } => Fit::Unusual,
        _ => Fit::Impossible,
    }
}

/// Whether bytes are a floating-point number of usual size. The bytes of small integers are not.
fn is_usual_float(bytes: &[u8]) -> bool {
    let usual = |value: f64| (1e-30..1e30).contains(&value.abs());
    if let Ok(bytes) = bytes.try_into() {
        return usual(f64::from_le_bytes(bytes));
    }
    match bytes.try_into() {
        Ok(bytes) => usual(f64::from(f32::from_le_bytes(bytes))) && number(&bytes, true) != 0,
        Err(_) => false,
    }
}

/// The type of the number or pointer that starts at an offset of a value.
fn value_at(types: &Types, of: TypeId, offset: u64, depth: u32) -> Option<TypeId> {
    match &types[of].kind {
        _ if depth > MAX_TYPE_DEPTH => None,
        Kind::Structure { members } | Kind::Union { members } => {
            members.iter().filter(|member| member.bits.is_none()).find_map(|member| {
                let inside = offset.checked_sub(member.offset)?;
                let within = inside < types[member.of].size;
                within.then(|| value_at(types, member.of, inside, depth + 1))?
            })
        }
        Kind::Array { of: element, .. } => {
            let inside = offset.checked_rem(types[*element].size)?;
            value_at(types, *element, inside, depth + 1)
        }
        _ => (offset == 0).then_some(of),
    }
}
