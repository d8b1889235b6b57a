//! Which member of a union is in use: nothing says so, but what is there fits some better than others.

use crate::dwarf::{Kind, Member, TypeId, Types};
use crate::layout::Content;
use crate::naming::Part;
use crate::values::number;

/// How deep types may be nested.
const DEEPEST: u32 = 16;

/// How well a member fits what is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// It is something else.
    Not,
    /// A pointer that leads nowhere, or a number with something behind it.
    Hardly,
    /// A number that would be an odd one.
    Oddly,
    /// A number.
    Well,
    /// A fraction that would be an odd integer, or a pointer.
    Better,
    /// A pointer to what is there.
    Exactly,
}

/// The member of a union that a part belongs to: the first one of those that fit best.
pub(crate) fn in_use<'m>(
    part: &Part<'_>,
    members: &'m [Member],
    offset: u64,
) -> Option<&'m Member> {
    let covering = members.iter().filter(|member| {
        member.bits.is_none()
            && (member.offset..member.offset + part.types[member.of].size).contains(&offset)
    });
    // Of equal ones, the last one in this order.
    covering.rev().max_by_key(|member| fit(part, member, offset - member.offset))
}

fn fit(part: &Part<'_>, member: &Member, offset: u64) -> Fit {
    let types = part.types;
    let Some(of) = value_at(types, member.of, offset, 0) else { return Fit::Not };
    let size = types[of].size;
    let own = usize::try_from(size).ok().and_then(|size| part.bytes.get(..size));
    match (part.leaf.content, &types[of].kind) {
        (Content::Union(..), Kind::Pointer { to }) => match part.target {
            Some(target) if target == *to => Fit::Exactly,
            Some(_) => Fit::Better,
            None => Fit::Hardly,
        },
        (Content::Union(..), _) if part.target.is_some() => Fit::Not,
        (Content::Union(..), kind) => own.map_or(Fit::Not, |own| number_fit(kind, own, part.bytes)),
        (Content::Scalar(wanted), _) if wanted == of => Fit::Exactly,
        (Content::Pointer(wanted), Kind::Pointer { to }) if wanted == *to => Fit::Exactly,
        (Content::Text, Kind::Character { .. }) => Fit::Exactly,
        _ => Fit::Not,
    }
}

/// How well bytes fit a kind of number.
fn number_fit(kind: &Kind, own: &[u8], all: &[u8]) -> Fit {
    if all[own.len()..].iter().any(|byte| *byte != 0) {
        return Fit::Hardly;
    }
    match kind {
        Kind::Float if is_usual(own) => Fit::Better,
        Kind::Integer { .. } | Kind::Enumeration { .. } => Fit::Well,
        Kind::Float | Kind::Boolean | Kind::Character { .. } => Fit::Oddly,
        _ => Fit::Not,
    }
}

/// Whether bytes are a fraction as people use them; small integers are none.
fn is_usual(bytes: &[u8]) -> bool {
    let usual = |value: f64| (1e-30..1e30).contains(&value.abs());
    if let Ok(bytes) = bytes.try_into() {
        return usual(f64::from_le_bytes(bytes));
    }
    match bytes.try_into() {
        Ok(bytes) => usual(f64::from(f32::from_le_bytes(bytes))) && number(&bytes, true) != 0,
        Err(_) => false,
    }
}

/// The number or pointer that begins so far from the begin of a value.
fn value_at(types: &Types, of: TypeId, offset: u64, depth: u32) -> Option<TypeId> {
    match &types[of].kind {
        _ if depth > DEEPEST => None,
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
