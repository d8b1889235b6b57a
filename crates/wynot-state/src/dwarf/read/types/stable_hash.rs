//! Hashes that are the same in all runs.
//!
//! Those of the standard library are not, and the identifiers of types have to be the same in all runs.

/// Mixes a number into a hash.
pub(in crate::dwarf::read) fn mix(hash: u64, value: u64) -> u64 {
    let mut mixed = (hash ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed ^= mixed >> 32;
    mixed = mixed.wrapping_add(hash.rotate_left(23)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 29)
}

/// Mixes bytes into a hash.
pub(super) fn hash_bytes(hash: u64, bytes: &[u8]) -> u64 {
    let mut hash = mix(hash, bytes.len() as u64);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(word));
    }
    hash
}
