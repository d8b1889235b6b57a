//! What types look like from outside: all that they are, except for what they refer to.

use super::index::Ranks;
use super::raw::{Form, Raw, RawMember, Scopes, hash_bytes, mix};
use super::reading::{finish, threads};
use super::types::Kind;
use std::thread;

/// What each one looks like, found out by several threads.
pub(super) fn of_all<'a>(raws: &[Raw<'a>], scopes: &Scopes<'a>) -> Vec<u64> {
    let share = raws.len().div_ceil(threads()).max(SMALL);
    let looks =
        |raws: &[Raw<'a>]| -> Vec<u64> { raws.iter().map(|raw| raw.looks(scopes)).collect() };
    thread::scope(|scope| {
        let parts = raws.chunks(share).map(|part| scope.spawn(move || looks(part)));
        let parts: Vec<_> = parts.collect();
        parts.into_iter().flat_map(finish).collect()
    })
}

/// So many are looked at in less time than it takes to begin another thread.
const SMALL: usize = 1 << 13;

/// Structures without names are called by the first other name that they have. `numbers` are those of the
/// entries.
pub(super) fn name_after_aliases(raws: &mut [Raw<'_>], numbers: &Ranks) {
    for number in 0..raws.len() {
        let Form::Alias { of: Some(of), named: true } = raws[number].form else { continue };
        let named = raws[number].named;
        let Some(target) = numbers.of(of) else { continue };
        let target = &mut raws[target];
        let nameless = ["struct", "union", "enum"].contains(&target.keyword);
        if target.named.name.is_none() && nameless {
            target.named = named;
            target.keyword = "";
        }
    }
}

impl<'a> Raw<'a> {
    /// A number for the name of a type, if it has one.
    pub(super) fn name_hash(&self, scopes: &Scopes<'a>) -> Option<u64> {
        self.named.name?;
        Some(hash_bytes(scopes.hash(self.named), self.keyword.as_bytes()))
    }

    /// A number for all that a type is, except for what it refers to.
    pub(super) fn looks(&self, scopes: &Scopes<'a>) -> u64 {
        let mut hash = hash_bytes(scopes.hash(self.named), self.keyword.as_bytes());
        hash = mix(hash, self.size.map_or(0, |size| size.wrapping_add(1)));
        match &self.form {
            Form::Simple(kind) => mix(hash, simple(kind)),
            Form::Alias { .. } => mix(hash, 20),
            Form::Declared => mix(hash, 21),
            Form::Pointer { .. } => mix(hash, 22),
            Form::Function { parameters, open, .. } => {
                mix(mix(mix(hash, 23), parameters.len() as u64), u64::from(*open))
            }
            Form::Array { count, .. } => mix(mix(hash, 24), count.unwrap_or(u64::MAX)),
            Form::Enumeration { signed, names, .. } => {
                names.iter().fold(mix(mix(hash, 25), u64::from(*signed)), |hash, (value, name)| {
                    hash_bytes(mix(mix(hash, *value as u64), (*value >> 64) as u64), name)
                })
            }
            Form::Union { members } => members.iter().fold(mix(hash, 26), member_looks),
            Form::Structure { members, variants } => {
                let hash = members.iter().fold(mix(hash, 27), member_looks);
                let Some(variants) = variants else { return hash };
                let hash = variants.tag.iter().fold(mix(hash, 28), member_looks);
                variants.variants.iter().fold(hash, |hash, variant| {
                    let tag = variant.tag.map_or(1, |tag| mix(2, tag as u64));
                    variant.members.iter().fold(mix(hash, tag), member_looks)
                })
            }
        }
    }
}

fn member_looks(hash: u64, member: &RawMember<'_>) -> u64 {
    let bits =
        member.bits.map_or(0, |bits| 1 + u64::from(bits.first) + (u64::from(bits.count) << 8));
    hash_bytes(mix(mix(mix(hash, member.offset), bits), u64::from(member.base)), member.name)
}

fn simple(kind: &Kind) -> u64 {
    match kind {
        Kind::Boolean => 1,
        Kind::Integer { signed } => 2 + u64::from(*signed),
        Kind::Character { signed } => 4 + u64::from(*signed),
        Kind::Float => 6,
        Kind::Function => 7,
        _ => 0,
    }
}
