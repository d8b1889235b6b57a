//! The shape of a declared type: a hash of everything except for the types that it refers to.

use super::declared_type::{DeclaredKind, DeclaredMember, DeclaredType};
use super::scope::Scopes;
use super::stable_hash::{hash_bytes, mix};
use crate::dwarf::read::entry_index::RankIndex;
use crate::dwarf::read::parallel::{join, thread_count};
use crate::dwarf::types::Kind;
use std::thread;

/// The number of types whose shapes are computed in less time than it takes to start a thread.
const MIN_TYPES_PER_THREAD: usize = 1 << 13;

/// The shapes of all types, computed by several threads.
pub(super) fn shapes<'a>(types: &[DeclaredType<'a>], scopes: &Scopes<'a>) -> Vec<u64> {
    let share = types.len().div_ceil(thread_count()).max(MIN_TYPES_PER_THREAD);
    let shapes = |types: &[DeclaredType<'a>]| -> Vec<u64> {
        types.iter().map(|declared| declared.shape(scopes)).collect()
    };
    thread::scope(|scope| {
        let parts = types.chunks(share).map(|part| scope.spawn(move || shapes(part)));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(join).collect()
    })
}

/// Gives structures without a name the name of their first alias (`typedef`). `ranks` finds the types by their
/// entries.
pub(super) fn name_after_aliases(types: &mut [DeclaredType<'_>], ranks: &RankIndex) {
    for number in 0..types.len() {
        let DeclaredKind::Alias { of: Some(of), named: true } = types[number].kind else {
            continue;
        };
        let name = types[number].name;
        let Some(target) = ranks.rank(of) else { continue };
        let target = &mut types[target];
        let has_keyword = ["struct", "union", "enum"].contains(&target.keyword);
        if target.name.name.is_none() && has_keyword {
            target.name = name;
            target.keyword = "";
        }
    }
}

impl<'a> DeclaredType<'a> {
    /// A hash of the name of the type, if it has one.
    pub(super) fn name_hash(&self, scopes: &Scopes<'a>) -> Option<u64> {
        self.name.name?;
        Some(hash_bytes(scopes.hash(self.name), self.keyword.as_bytes()))
    }

    /// A hash of everything except for the types that the type refers to.
    fn shape(&self, scopes: &Scopes<'a>) -> u64 {
        let mut hash = hash_bytes(scopes.hash(self.name), self.keyword.as_bytes());
        hash = mix(hash, self.size.map_or(0, |size| size.wrapping_add(1)));
        match &self.kind {
            DeclaredKind::Simple(kind) => mix(hash, simple_shape(kind)),
            DeclaredKind::Alias { .. } => mix(hash, 20),
            DeclaredKind::Incomplete => mix(hash, 21),
            DeclaredKind::Pointer { .. } => mix(hash, 22),
            DeclaredKind::Function { parameters, variadic, .. } => {
                mix(mix(mix(hash, 23), parameters.len() as u64), u64::from(*variadic))
            }
            DeclaredKind::Array { count, .. } => mix(mix(hash, 24), count.unwrap_or(u64::MAX)),
            DeclaredKind::Enumeration { signed, names, .. } => {
                names.iter().fold(mix(mix(hash, 25), u64::from(*signed)), |hash, (value, name)| {
                    hash_bytes(mix(mix(hash, *value as u64), (*value >> 64) as u64), name)
                })
            }
            DeclaredKind::Union { members } => members.iter().fold(mix(hash, 26), member_shape),
            DeclaredKind::Structure { members, variants } => {
                let hash = members.iter().fold(mix(hash, 27), member_shape);
                let Some(variants) = variants else { return hash };
                let hash = variants.tag.iter().fold(mix(hash, 28), member_shape);
                variants.variants.iter().fold(hash, |hash, variant| {
                    let tag = variant.tag.map_or(1, |tag| mix(2, tag as u64));
                    variant.members.iter().fold(mix(hash, tag), member_shape)
                })
            }
        }
    }
}

fn member_shape(hash: u64, member: &DeclaredMember<'_>) -> u64 {
    let bits =
        member.bits.map_or(0, |bits| 1 + u64::from(bits.first) + (u64::from(bits.count) << 8));
    hash_bytes(mix(mix(mix(hash, member.offset), bits), u64::from(member.base)), member.name)
}

fn simple_shape(kind: &Kind) -> u64 {
    match kind {
        Kind::Boolean => 1,
        Kind::Integer { signed } => 2 + u64::from(*signed),
        Kind::Character { signed } => 4 + u64::from(*signed),
        Kind::Float => 6,
        Kind::Function => 7,
        _ => 0,
    }
}
