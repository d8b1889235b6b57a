//! The entries of a configuration of upgrades: those that the project needs, each from the side of its upgrade.

use super::owners::{LockPair, Owners};
use super::toml_lock::cargo_dependencies;
use super::version_range::{compare_versions, is_compatible, numbers};
use super::{LockKind, LockSide, Need};
use std::collections::{BTreeMap, BTreeSet};
use wynot_core::Configuration;

/// An entry, by its side and its index.
pub(crate) type EntryId = (LockSide, usize);

/// A configuration of the upgrades between two lock files.
#[derive(Clone, Copy)]
pub(crate) struct Choice<'a> {
    pub pair: &'a LockPair,
    pub owners: &'a Owners,
    pub configuration: &'a Configuration,
}

impl<'a> Choice<'a> {
    /// The entries that the project needs, ordered by name and version.
    pub(crate) fn entries(&self) -> Vec<EntryId> {
        let roots = self.pair.bad.entries.iter().enumerate().filter(|(_, entry)| entry.is_root);
        let mut pending: Vec<EntryId> = roots.map(|(index, _)| (LockSide::Bad, index)).collect();
        let mut found: BTreeSet<EntryId> = pending.iter().copied().collect();
        while let Some(id) = pending.pop() {
            for (origin, need) in self.needs(id) {
                if let Some(target) = self.target(origin, need)
                    && found.insert(target)
                {
                    pending.push(target);
                }
            }
        }
        let mut found: Vec<EntryId> = found.into_iter().collect();
        found.sort_by(|&a, &b| {
            let (a, b) = (self.entry(a), self.entry(b));
            let names = a.name.cmp(&b.name);
            names.then_with(|| compare_versions(&a.version, &b.version))
        });
        found
    }

    pub(crate) fn entry(&self, (side, index): EntryId) -> &'a super::LockEntry {
        &self.pair.side(side).entries[index]
    }

    /// What an entry needs, and the side whose entry says so. An entry that both sides have needs what they agree on, and
    /// the rest as the upgrades say that it belongs to.
    pub(crate) fn needs(&self, id: EntryId) -> Vec<(LockSide, &'a Need)> {
        let (side, index) = id;
        let entry = self.entry(id);
        let counterpart = match entry.is_root {
            true => self.pair.counterpart_of_root(side, index),
            false => {
                let other = self.pair.side(side.other());
                let is_same = |other_entry: &&usize| other.entries[**other_entry].is_same(entry);
                other.named(&entry.name).iter().find(is_same).copied()
            }
        };
        let own = entry.needs.iter().map(|need| (side, need));
        let Some(counterpart) = counterpart else { return own.collect() };
        let other = self.entry((side.other(), counterpart));
        let has = |needs: &[Need], need: &Need| needs.iter().any(|n| n.name == need.name);
        let applies = |origin: LockSide, need: &Need| {
            let owner = self.owners.owner_of_need(self.pair, entry, &need.name);
            let owner = owner.or(self.owners.rest);
            let is_applied = owner.is_none_or(|owner| self.configuration.contains(owner));
            is_applied == (origin == LockSide::Bad)
        };
        let own = own.filter(|(_, need)| has(&other.needs, need) || applies(side, need));
        let others = other.needs.iter().filter(|need| !has(&entry.needs, need));
        let others = others.map(|need| (side.other(), need));
        own.chain(others.filter(|(origin, need)| applies(*origin, need))).collect()
    }

    /// The entry that satisfies a need as well as possible.
    fn target(&self, origin: LockSide, need: &Need) -> Option<EntryId> {
        let side = self.owners.side(&need.name, origin, self.pair, self.configuration);
        let lock = self.pair.side(side);
        let candidates = lock.named(&need.name);
        let wanted = need.version.clone().or_else(|| {
            let lock = self.pair.side(origin);
            lock.named(&need.name).first().map(|&only| lock.entries[only].version.clone())
        });
        let wanted = wanted.unwrap_or_default();
        let version = |index: &&usize| lock.entries[**index].version.clone();
        let exact = candidates.iter().find(|index| version(index) == wanted);
        let compatible = || candidates.iter().rev().find(|i| is_compatible(&version(i), &wanted));
        let chosen = exact.or_else(compatible).or_else(|| candidates.last());
        match chosen {
            Some(&index) => Some(self.canonical((side, index))),
            None => {
                let roots = &self.pair.bad.entries;
                let root = roots.iter().position(|e| e.is_root && e.name == need.name);
                root.map(|index| (LockSide::Bad, index))
            }
        }
    }

    /// The entry of the bad side, if both sides have the same one.
    fn canonical(&self, id: EntryId) -> EntryId {
        let (entry, bad) = (self.entry(id), &self.pair.bad);
        let same = bad.named(&entry.name).iter().find(|&&other| bad.entries[other].is_same(entry));
        same.map_or(id, |&same| (LockSide::Bad, same))
    }

    /// The text of a lock file of Cargo or uv. `text_of` gives the text of an entry.
    pub(crate) fn toml(&self, text_of: impl Fn(EntryId) -> Vec<u8>) -> Vec<u8> {
        let frame = self.pair.side(self.owners.side_of_rest(self.configuration));
        let mut text = frame.text[..frame.head].trim_ascii_end().to_vec();
        let entries = self.entries();
        let counts = self.version_counts(&entries);
        for &id in &entries {
            text.extend(b"\n\n");
            let entry = text_of(id);
            match frame.kind {
                LockKind::Cargo => text.extend(self.with_cargo_needs(id, &entry, &counts)),
                _ => text.extend(entry),
            }
        }
        text.push(b'\n');
        if frame.tail < frame.text.len() {
            text.push(b'\n');
            text.extend(&frame.text[frame.tail..]);
        }
        text
    }

    /// For each name, its versions among some entries, and how often each occurs.
    fn version_counts(&self, entries: &[EntryId]) -> BTreeMap<&'a str, BTreeMap<&'a str, usize>> {
        let mut counts: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
        for &id in entries {
            let entry = self.entry(id);
            *counts.entry(&entry.name).or_default().entry(&entry.version).or_default() += 1;
        }
        counts
    }

    /// The text of an entry of Cargo with its dependencies as they are in this configuration. Cargo names their versions
    /// if there are several.
    fn with_cargo_needs(
        &self,
        id: EntryId,
        text: &[u8],
        counts: &BTreeMap<&str, BTreeMap<&str, usize>>,
    ) -> Vec<u8> {
        let text = String::from_utf8_lossy(text).into_owned();
        let mut targets: Vec<(String, EntryId)> = Vec::new();
        for (origin, need) in self.needs(id) {
            let Some(target) = self.target(origin, need) else { continue };
            let entry = self.entry(target);
            let versions = counts.get(entry.name.as_str());
            let name = match versions {
                Some(versions) if versions.get(entry.version.as_str()).is_some_and(|&n| n > 1) => {
                    let source = need.source.as_deref().unwrap_or_default();
                    format!("{} {} {source}", entry.name, entry.version).trim_end().to_owned()
                }
                Some(versions) if versions.len() > 1 => format!("{} {}", entry.name, entry.version),
                _ => entry.name.clone(),
            };
            targets.push((name, target));
        }
        targets.sort_by(|(a, first), (b, second)| {
            let (first, second) = (self.entry(*first), self.entry(*second));
            let names = first.name.cmp(&second.name);
            names
                .then_with(|| numbers(&first.version).cmp(&numbers(&second.version)))
                .then(a.cmp(b))
        });
        targets.dedup();
        let lines: String = targets.iter().map(|(name, _)| format!(" \"{name}\",\n")).collect();
        let list = format!("dependencies = [\n{lines}]");
        match (cargo_dependencies(&text), targets.is_empty()) {
            (None, true) => text,
            (None, false) => format!("{text}\n{list}"),
            (Some((start, end)), true) => format!("{}{}", text[..start].trim_end(), &text[end..]),
            (Some((start, end)), false) => format!("{}{list}{}", &text[..start], &text[end..]),
        }
        .into_bytes()
    }
}
