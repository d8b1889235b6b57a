//! Which upgrades need each other, as far as the lock files tell.
//!
//! The new version of a package may not accept the old version of another one, and the old version of a package not the
//! new one. npm writes the accepted versions down. Of Cargo it is known that it takes versions for each other that are
//! compatible. Packages that depend on each other and change from the same version to the same version belong together.

use super::owners::{LockPair, Owners};
use super::version_range::{is_compatible, is_in_range};
use super::{LockKind, LockSide, Need};
use std::collections::BTreeSet;
use wynot_core::{Configuration, Dependencies};

/// Where dependencies between upgrades come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The lock files say so.
    Stated,
    /// The lock files say so, or it is usual.
    Presumed,
}

/// The dependencies that are known beforehand. `ties` are upgrades that belong together for other reasons.
pub(crate) fn known_needs(
    pair: &LockPair,
    owners: &Owners,
    ties: &[Vec<u32>],
    evidence: Evidence,
) -> Dependencies {
    let mut dependencies = Dependencies::new(owners.upgrades.len() as u32);
    ties.iter().for_each(|tie| dependencies.tie(tie.iter().copied()));
    for ((delta, upgrade), name) in (0..).zip(&owners.upgrades).zip(&owners.names) {
        for side in LockSide::BOTH {
            for need in needs_through_others(pair, side, name) {
                let Some(needed) = owners.upgrade_of(&need.name).filter(|&n| n != delta) else {
                    continue;
                };
                let other = &owners.upgrades[needed as usize];
                let is_in_step = evidence == Evidence::Presumed
                    && (&upgrade.from, &upgrade.to) == (&other.from, &other.to);
                if is_in_step && owners.upgrade_of(name).is_some() {
                    dependencies.tie([delta, needed]);
                } else if !is_accepted(pair, side, need, evidence) {
                    match side {
                        LockSide::Bad => dependencies.add([delta], [needed]),
                        LockSide::Good => dependencies.add([needed], [delta]),
                    }
                }
            }
        }
    }
    dependencies
}

/// What the entries of a package need, and what those need that only this side has.
fn needs_through_others<'a>(pair: &'a LockPair, side: LockSide, name: &str) -> Vec<&'a Need> {
    let (lock, other) = (pair.side(side), pair.side(side.other()));
    let mut seen = BTreeSet::from([name.to_owned()]);
    let mut pending = vec![name.to_owned()];
    let mut found = Vec::new();
    while let Some(name) = pending.pop() {
        for need in lock.named(&name).iter().flat_map(|&entry| &lock.entries[entry].needs) {
            match other.named(&need.name).is_empty() {
                false => found.push(need),
                true if seen.insert(need.name.clone()) => pending.push(need.name.clone()),
                true => {}
            }
        }
    }
    found
}

/// Whether a need of one side can be satisfied by the other one.
fn is_accepted(pair: &LockPair, side: LockSide, need: &Need, evidence: Evidence) -> bool {
    let (lock, other) = (pair.side(side), pair.side(side.other()));
    let versions = other.named(&need.name).iter().map(|&entry| &other.entries[entry].version);
    match lock.kind {
        LockKind::Npm => {
            let range = need.range.as_deref().unwrap_or("*");
            versions.into_iter().any(|version| is_in_range(range, version) != Some(false))
        }
        LockKind::Cargo if evidence == Evidence::Presumed => {
            let only = lock.named(&need.name).first();
            let own = only.map(|&entry| lock.entries[entry].version.as_str());
            let wanted = need.version.as_deref().or(own).unwrap_or_default();
            versions.into_iter().any(|version| is_compatible(version, wanted))
        }
        _ => true,
    }
}

/// Adds what is learned from an unresolved configuration if its build mentions these words: an upgraded package does not go with one
/// that is not.
pub(crate) fn learn(
    pair: &LockPair,
    owners: &Owners,
    configuration: &Configuration,
    mentioned: &BTreeSet<String>,
    dependencies: &mut Dependencies,
) {
    let deltas = (0..).zip(&owners.names).filter(|(_, name)| mentioned.contains(*name));
    let (applied, missing): (Vec<u32>, Vec<u32>) =
        deltas.map(|(delta, _)| delta).partition(|&delta| configuration.contains(delta));
    let has_edges = pair.bad.entries.iter().any(|entry| !entry.needs.is_empty());
    let package = |delta: u32| owners.names[delta as usize].as_str();
    let is_edge = |a: u32, b: u32| {
        LockSide::BOTH.into_iter().any(|side| {
            let needs =
                |a, b: &str| needs_through_others(pair, side, a).iter().any(|n| n.name == b);
            needs(package(a), package(b)) || needs(package(b), package(a))
        })
    };
    let applied = match applied.is_empty() {
        true if has_edges => configuration.iter().collect(),
        _ => applied,
    };
    for &delta in &applied {
        for &needed in &missing {
            let all = Configuration::full(owners.upgrades.len() as u32);
            let is_new = !dependencies.with_needs(&[delta].into(), &all).contains(needed);
            if is_new && (!has_edges || is_edge(delta, needed)) {
                dependencies.add([delta], [needed]);
            }
        }
    }
}

/// The upgrades of a set that no other one of it needs, if those need all the others. Else it is the whole set.
pub(crate) fn leading(
    pair: &LockPair,
    owners: &Owners,
    set: &Configuration,
    dependencies: &Dependencies,
) -> Configuration {
    let name = |delta: u32| owners.names[delta as usize].as_str();
    let is_needed = |delta: &u32| {
        let others = set.iter().filter(|other| other != delta);
        others.into_iter().any(|other| {
            let needs = needs_through_others(pair, LockSide::Bad, name(other));
            needs.iter().any(|need| need.name == name(*delta))
        })
    };
    let leading: Configuration = set.iter().filter(|delta| !is_needed(delta)).collect();
    match set.is_subset(&dependencies.with_needs(&leading, set)) {
        true => leading,
        false => set.clone(),
    }
}
