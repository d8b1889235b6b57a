//! The upgrades between two lock files, and what comes with each of them.
//!
//! A package that only one of the files has is no upgrade. It belongs to the first upgrade that needs it, and so do the
//! lines of manifests about it. What no upgrade needs is a delta of its own.

use super::version_range::compare_versions;
use super::{LockEntry, LockFile, LockSide};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use wynot_core::Configuration;

/// A package with its versions on both sides; a delta between two lock files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upgrade {
    /// The name of the package, or of a file whose other changes are meant.
    pub package: String,
    /// The versions of the good side; `None` if it does not have the package.
    pub from: Option<String>,
    /// The versions of the bad side.
    pub to: Option<String>,
}

impl Upgrade {
    /// The upgrade as the subject of a sentence: "the upgrade of serde from 1.0.0 to 1.0.1".
    pub fn in_words(&self) -> String {
        let package = &self.package;
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from == to => format!("the other source of {package} {to}"),
            (Some(from), Some(to)) if from.contains(", ") || to.contains(", ") => {
                format!("the change of {package} from {from} to {to}")
            }
            (Some(from), Some(to)) if compare_versions(from, to) == Ordering::Greater => {
                format!("the downgrade of {self}")
            }
            (Some(_), Some(_)) => format!("the upgrade of {self}"),
            (None, Some(to)) => format!("the addition of {package} {to}"),
            (Some(from), None) => format!("the removal of {package} {from}"),
            (None, None) => format!("the other change of {package}"),
        }
    }
}

impl fmt::Display for Upgrade {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.from, &self.to) {
            (Some(from), Some(to)) if from != to => {
                write!(f, "{} from {from} to {to}", self.package)
            }
            _ => write!(f, "{}", self.in_words()),
        }
    }
}

/// The two lock files that are compared.
#[derive(Clone, Debug)]
pub(crate) struct LockPair {
    pub good: LockFile,
    pub bad: LockFile,
}

impl LockPair {
    pub(crate) fn side(&self, side: LockSide) -> &LockFile {
        match side {
            LockSide::Good => &self.good,
            LockSide::Bad => &self.bad,
        }
    }

    /// The entries that both sides have: those of the project, and packages with the same version in the same place.
    fn kept(&self) -> impl Iterator<Item = (&LockEntry, &LockEntry)> {
        let bad = self.bad.entries.iter().enumerate();
        bad.filter_map(|(index, entry)| {
            let good = &self.good;
            let is_it = |&&other: &&usize| {
                let other = &good.entries[other];
                other.is_same(entry) && other.place == entry.place
            };
            let other = match entry.is_root {
                true => self.counterpart_of_root(LockSide::Bad, index),
                false => good.named(&entry.name).iter().find(is_it).copied(),
            };
            other.map(|other| (&good.entries[other], entry))
        })
    }

    /// The entry of a package of the project on the other side, by its name and place.
    pub(crate) fn counterpart_of_root(&self, side: LockSide, entry: usize) -> Option<usize> {
        let root = &self.side(side).entries[entry];
        let is_it = |other: &LockEntry| {
            other.is_root && other.name == root.name && other.place == root.place
        };
        self.side(side.other()).entries.iter().position(is_it)
    }
}

/// The deltas between two lock files, and the packages that belong to each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Owners {
    pub upgrades: Vec<Upgrade>,
    /// The names by which packages are compared, in the order of the upgrades.
    pub names: Vec<String>,
    /// The packages that both sides have in different versions.
    upgraded: BTreeMap<String, u32>,
    /// The packages that one side has.
    one_sided: BTreeMap<String, u32>,
    /// The delta of all other changes, if there are some.
    pub rest: Option<u32>,
}

impl Owners {
    /// Finds the upgrades between two lock files.
    pub(crate) fn of(pair: &LockPair) -> Self {
        let mut owners = Self::default();
        let (good, bad) = (&pair.good, &pair.bad);
        for name in good.names().filter(|name| !bad.named(name).is_empty()) {
            let (from, to) = (versions(good, name), versions(bad, name));
            if from != to && !has_other_versions_only(pair, name, &from, &to) {
                let label = label(bad, name);
                let delta = owners.add(name, label, described(&from, &to), described(&to, &from));
                owners.upgraded.insert(name.to_owned(), delta);
            }
        }
        for (name, delta) in owners.upgraded.clone() {
            for side in LockSide::BOTH {
                owners.claim(pair, side, &name, delta);
            }
        }
        owners.add_unclaimed(pair);
        owners
    }

    fn add(&mut self, name: &str, label: &str, from: Option<String>, to: Option<String>) -> u32 {
        self.names.push(name.to_owned());
        self.upgrades.push(Upgrade { package: label.to_owned(), from, to });
        self.upgrades.len() as u32 - 1
    }

    /// Adds a delta for each package on one side that no upgrade needs. Those that the project needs come first, since
    /// others may come with them. What an unchanged package needs all at once comes with a changed package that uses it,
    /// and has turned on one of its features.
    fn add_unclaimed(&mut self, pair: &LockPair) {
        for is_for_project in [true, false] {
            for side in LockSide::BOTH {
                let (lock, other) = (pair.side(side), pair.side(side.other()));
                let roots = lock.entries.iter().filter(|entry| entry.is_root);
                let needed: BTreeSet<&str> = roots
                    .flat_map(|root| root.needs.iter().map(|need| need.name.as_str()))
                    .collect();
                for name in lock.names().filter(|name| other.named(name).is_empty()) {
                    if self.one_sided.contains_key(name) || is_for_project && !needed.contains(name)
                    {
                        continue;
                    }
                    let user = self.owner_of_users(lock, name).filter(|_| !needed.contains(name));
                    let delta = user.unwrap_or_else(|| {
                        let found = described(&versions(lock, name), &[]);
                        let (from, to) = match side {
                            LockSide::Good => (found, None),
                            LockSide::Bad => (None, found),
                        };
                        self.add(name, label(lock, name), from, to)
                    });
                    self.one_sided.insert(name.to_owned(), delta);
                    self.claim(pair, side, name, delta);
                }
            }
        }
    }

    /// The delta of a changed package that needs a package which needs this one; of one that is only on this side, if
    /// there is one.
    fn owner_of_users(&self, lock: &LockFile, name: &str) -> Option<u32> {
        let indirect = users(lock, name).into_iter().flat_map(|user| users(lock, user));
        self.owner_among(&indirect.collect())
    }

    fn owner_among(&self, packages: &BTreeSet<&str>) -> Option<u32> {
        let one_sided = packages.iter().filter_map(|user| self.one_sided.get(*user)).min();
        let upgraded = || packages.iter().filter_map(|user| self.upgraded.get(*user)).min();
        one_sided.or_else(upgraded).copied()
    }

    /// The delta to which it belongs that an entry of both sides needs a package on one of them only.
    pub(crate) fn owner_of_need(
        &self,
        pair: &LockPair,
        entry: &LockEntry,
        need: &str,
    ) -> Option<u32> {
        let of_user = || {
            let users =
                LockSide::BOTH.into_iter().flat_map(|side| users(pair.side(side), &entry.name));
            self.owner_among(&users.collect())
        };
        self.owner(need).or_else(|| of_user().filter(|_| !entry.is_root))
    }

    /// Gives a delta the packages on one side that it needs, directly or through others of them.
    fn claim(&mut self, pair: &LockPair, side: LockSide, name: &str, delta: u32) {
        let (lock, other) = (pair.side(side), pair.side(side.other()));
        let mut pending = vec![name.to_owned()];
        while let Some(name) = pending.pop() {
            let needs = lock.named(&name).iter().flat_map(|&entry| &lock.entries[entry].needs);
            for need in needs {
                let is_one_sided =
                    !lock.named(&need.name).is_empty() && other.named(&need.name).is_empty();
                if is_one_sided && !self.one_sided.contains_key(&need.name) {
                    self.one_sided.insert(need.name.clone(), delta);
                    pending.push(need.name.clone());
                }
            }
        }
    }

    /// The delta of a package that both sides have in different versions.
    pub(crate) fn upgrade_of(&self, name: &str) -> Option<u32> {
        self.upgraded.get(name).copied()
    }

    /// The delta that a package belongs to.
    pub(crate) fn owner(&self, name: &str) -> Option<u32> {
        self.upgrade_of(name).or_else(|| self.one_sided.get(name).copied())
    }

    /// The delta that a line about a package belongs to.
    pub(crate) fn owner_or_rest(&mut self, name: &str, file: &str) -> u32 {
        match self.owner(name) {
            Some(owner) => owner,
            None => self.rest(file),
        }
    }

    /// The delta of all other changes, which are named after the file with the first of them.
    pub(crate) fn rest(&mut self, file: &str) -> u32 {
        match self.rest {
            Some(rest) => rest,
            None => {
                let rest = self.add(file, file, None, None);
                self.rest = Some(rest);
                rest
            }
        }
    }

    /// The side that a package is taken from in a configuration, for a need of an entry of the side `origin`.
    pub(crate) fn side(
        &self,
        name: &str,
        origin: LockSide,
        pair: &LockPair,
        configuration: &Configuration,
    ) -> LockSide {
        match self.upgrade_of(name) {
            Some(delta) if configuration.contains(delta) => LockSide::Bad,
            Some(_) => LockSide::Good,
            None if pair.side(origin).named(name).is_empty() => origin.other(),
            None => origin,
        }
    }

    /// The side of everything that belongs to no package.
    pub(crate) fn side_of_rest(&self, configuration: &Configuration) -> LockSide {
        match self.rest {
            Some(rest) if !configuration.contains(rest) => LockSide::Good,
            _ => LockSide::Bad,
        }
    }
}

/// Whether one side has all versions of the other and more, which changed packages need. These versions come with them.
fn has_other_versions_only(
    pair: &LockPair,
    name: &str,
    from: &[(&str, &str)],
    to: &[(&str, &str)],
) -> bool {
    let is_within = |these: &[_], those: &[_]| these.iter().all(|version| those.contains(version));
    let is_one_within = is_within(from, to) || is_within(to, from);
    is_one_within
        && !pair.kept().any(|(good, bad)| {
            let needed = |side: LockSide, entry: &LockEntry| {
                let lock = pair.side(side);
                let need = entry.needs.iter().find(|need| need.name == name)?;
                lock.needed_version(entry, need).map(str::to_owned)
            };
            needed(LockSide::Good, good) != needed(LockSide::Bad, bad)
        })
}

/// The packages that need a package.
fn users<'a>(lock: &'a LockFile, name: &str) -> BTreeSet<&'a str> {
    let needs = |entry: &&LockEntry| entry.needs.iter().any(|need| need.name == name);
    lock.entries.iter().filter(needs).map(|entry| entry.name.as_str()).collect()
}

/// The name of a package as a lock file writes it.
fn label<'a>(lock: &'a LockFile, name: &'a str) -> &'a str {
    lock.named(name).first().map_or(name, |&entry| &lock.entries[entry].label)
}

/// The versions and sources of a package, in order.
fn versions<'a>(lock: &'a LockFile, name: &str) -> Vec<(&'a str, &'a str)> {
    let entries = lock.named(name).iter().map(|&entry| &lock.entries[entry]);
    let mut found: Vec<(&str, &str)> =
        entries.map(|entry| (entry.version.as_str(), entry.source.as_str())).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// The versions of one side that the other one does not have; all of them if it has them all.
fn described(these: &[(&str, &str)], others: &[(&str, &str)]) -> Option<String> {
    let list = |versions: Vec<&(&str, &str)>| {
        let mut numbers: Vec<&str> = versions.into_iter().map(|(version, _)| *version).collect();
        numbers.dedup();
        numbers.join(", ")
    };
    let own: Vec<_> = these.iter().filter(|version| !others.contains(version)).collect();
    let has_own = |these: &[(&str, &str)], others: &[(&str, &str)]| {
        these.iter().any(|version| !others.contains(version))
    };
    Some(match has_own(these, others) && (others.is_empty() || has_own(others, these)) {
        true => list(own),
        false => list(these.iter().collect()),
    })
}
