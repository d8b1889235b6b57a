//! Decoding bytes: numbers, pointers, bit-fields and the tags of variants.

use crate::dwarf::{Bits, EnumVariant, Kind, Type, TypeId, Types};

/// Reads bytes of a value: an offset and a length, in bytes.
pub type ReadBytes<'a> = dyn Fn(u64, u64) -> Option<&'a [u8]> + 'a;

/// The variant that a tag selects.
pub fn active_variant<'v>(
    types: &Types,
    tag: TypeId,
    variants: &'v [EnumVariant],
    value: &[u8],
) -> Option<&'v EnumVariant> {
    let value = number(value, is_signed(types, tag));
    let is_selected = |variant: &&EnumVariant| {
        variant.tags.iter().any(|(first, last)| (*first..=*last).contains(&value))
    };
    let default = || variants.iter().find(|variant| variant.tags.is_empty());
    variants.iter().find(is_selected).or_else(default)
}

/// Whether values of a type are bytes of text.
pub fn is_text(types: &Types, of: TypeId) -> bool {
    let Type { name, size, kind } = &types[of];
    *size == 1
        && match kind {
            Kind::Character { .. } => true,
            Kind::Integer { signed: false } => name == "u8",
            _ => false,
        }
}

/// The offset of the tag in values of a type with variants, in bytes.
pub fn tag_offset(types: &Types, of: TypeId) -> u64 {
    match &types[of].kind {
        Kind::Variants { tag: Some(tag), .. } => tag.offset,
        _ => 0,
    }
}

/// Whether values of a type can be negative.
pub fn is_signed(types: &Types, of: TypeId) -> bool {
    matches!(
        types[of].kind,
        Kind::Integer { signed: true }
            | Kind::Character { signed: true }
            | Kind::Enumeration { signed: true, .. }
    )
}

/// The little-endian number that up to 16 bytes encode.
pub fn number(bytes: &[u8], signed: bool) -> i128 {
    let negative = signed && bytes.last().is_some_and(|byte| byte & 0x80 != 0);
    let mut all = [if negative { 0xff } else { 0 }; 16];
    let length = bytes.len().min(16);
    all[..length].copy_from_slice(&bytes[..length]);
    i128::from_le_bytes(all)
}

/// The address that four or eight bytes encode.
pub fn pointer(bytes: &[u8]) -> Option<u64> {
    match bytes.len() {
        8 => Some(u64::from_le_bytes(bytes.try_into().ok()?)),
        4 => Some(u64::from(u32::from_le_bytes(bytes.try_into().ok()?))),
        _ => None,
    }
}

/// The value of a bit-field.
pub fn bits_of(bits: Bits, bytes: &[u8]) -> u128 {
    let all = number(bytes, false) as u128;
    (all >> bits.first) & mask(bits.count)
}

/// The bytes of `old` with the bit-field replaced by that of `new`.
pub fn with_bits(old: &[u8], bits: Bits, new: &[u8]) -> Vec<u8> {
    let mask = mask(bits.count) << bits.first;
    let mixed = (number(old, false) as u128 & !mask) | (number(new, false) as u128 & mask);
    mixed.to_le_bytes()[..old.len().min(16)].to_vec()
}

/// A number whose lowest `count` bits are set.
fn mask(count: u8) -> u128 {
    1_u128.checked_shl(u32::from(count)).unwrap_or(0).wrapping_sub(1)
}
