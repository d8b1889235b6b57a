//! What bytes stand for.

use crate::dwarf::{Bits, EnumVariant, Kind, Type, TypeId, Types};

/// The variant that a tag stands for.
pub fn active<'v>(
    types: &Types,
    tag: TypeId,
    variants: &'v [EnumVariant],
    value: &[u8],
) -> Option<&'v EnumVariant> {
    let value = number(value, is_signed(types, tag));
    let stands = |variant: &&EnumVariant| {
        variant.tags.iter().any(|(first, last)| (*first..=*last).contains(&value))
    };
    let other = || variants.iter().find(|variant| variant.tags.is_empty());
    variants.iter().find(stands).or_else(other)
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

/// The address that bytes stand for, four or eight.
pub fn pointer(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        8 => Some(u64::from_le_bytes(bytes.try_into().ok()?)),
        4 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}

/// Some bits of an integer.
pub fn bits_of(bits: Bits, bytes: &[u8]) -> u128 {
    let all = number(bytes, false) as u128;
    (all >> bits.first) & mask(bits.count)
}

/// An integer with some bits of another one.
pub fn with_bits(old: &[u8], bits: Bits, new: &[u8]) -> Vec<u8> {
    let mask = mask(bits.count) << bits.first;
    let mixed = (number(old, false) as u128 & !mask) | (number(new, false) as u128 & mask);
    mixed.to_le_bytes()[..old.len().min(16)].to_vec()
}

/// So many ones.
fn mask(count: u8) -> u128 {
    1_u128.checked_shl(u32::from(count)).unwrap_or(0).wrapping_sub(1)
}
