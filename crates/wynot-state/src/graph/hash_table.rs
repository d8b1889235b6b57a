//! Hash tables of Rust's library, in which a pointer leads behind the values.
//!
//! A table is one block: the values, the last one first, and then a control byte for each, which says whether the value is in use.
//! The pointer of the table leads to the first control byte.

use super::memory_object::MemoryObject;
use crate::dwarf::{TypeId, Types};

/// How the name of the type begins that knows the type of the values.
pub(crate) const TABLE: &str = "hashbrown::raw::RawTable<";

/// The name of the type with the pointer and the numbers of a table.
pub(crate) const INNER_TABLE: &str = "hashbrown::raw::RawTableInner";

/// The multiple of bytes at which the control bytes start; as many of them are repeated at the end.
const GROUP_BYTES: u64 = 16;

/// The bit of a control byte whose value is not in use.
const UNUSED_BIT: u8 = 0x80;

/// The size in bytes of the values of a table, up to its control bytes.
pub(crate) fn values_size(types: &Types, of: TypeId, buckets: u64) -> Option<u64> {
    types[of].size.checked_mul(buckets)?.checked_next_multiple_of(GROUP_BYTES)
}

/// The size in bytes of a table of this number of values.
pub(crate) fn table_size(types: &Types, of: TypeId, buckets: u64) -> Option<u64> {
    values_size(types, of, buckets)?.checked_add(buckets)?.checked_add(GROUP_BYTES)
}

/// The offsets of the values of a table that are in use, in ascending order.
pub(crate) fn used_values<'b>(
    types: &Types,
    table: &MemoryObject,
    bytes: &'b [u8],
) -> impl Iterator<Item = u64> + use<'b> {
    let MemoryObject { entry_offset, count, of, .. } = *table;
    let each = types[of].size;
    let is_used = move |bucket: &u64| {
        let control = bytes.get((entry_offset + bucket) as usize);
        control.is_some_and(|control| control & UNUSED_BIT == 0)
    };
    (0..count)
        .rev()
        .filter(is_used)
        .filter_map(move |bucket| entry_offset.checked_sub((bucket + 1) * each))
}
