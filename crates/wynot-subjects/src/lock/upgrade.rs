//! The subject of the upgrades between two lock files.

use super::merged_lines::{LineNames, MergedText};
use super::owners::{LockPair, Owners, Upgrade};
use super::pinned_lines::normal_name;
use super::selection::{Choice, EntryId};
use super::upgrade_needs::{Evidence, known_needs, leading, learn};
use super::{LockError, LockFile, LockKind, LockSide, lines};
use crate::folder::Folder;
use crate::folder::entry::FolderEntry;
use crate::text::error::TextError;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use wynot_core::{Configuration, Dependencies, Grouping};

/// Two lock files of a project with the upgrades between them as deltas.
///
/// A configuration is the project with a lock file that has each package from the side of its upgrade, and with manifests
/// that agree with it. No deltas give the files of the good side, all of them those of the bad side.
#[derive(Debug)]
pub struct UpgradeSubject {
    kind: LockKind,
    good: Folder,
    bad: Folder,
    lock: PathBuf,
    pair: LockPair,
    owners: Owners,
    /// The files that are merged: manifests, and lock files whose packages have lines of their own.
    merged: Vec<(PathBuf, MergedText)>,
    /// The entries that both sides have with different texts, by their indices on the bad side.
    merged_entries: BTreeMap<usize, MergedText>,
    stated: Dependencies,
    presumed: Dependencies,
    levels: [Grouping; 1],
}

/// Why two projects cannot be compared by their lock files.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UpgradeError {
    /// The lock file of the good side cannot be read.
    #[error("{0}")]
    Good(LockError),
    /// The lock file of the bad side cannot be read.
    #[error("{0}")]
    Bad(LockError),
    /// A manifest cannot be compared.
    #[error("{0}: {1}")]
    Manifest(String, TextError),
}

impl UpgradeSubject {
    /// Compares two projects that differ in their lock files, at the path `lock`, and in manifests.
    pub fn between(
        good: Folder,
        bad: Folder,
        kind: LockKind,
        lock: &Path,
    ) -> Result<Self, UpgradeError> {
        let parse = |side: &Folder| LockFile::parse(kind, text_at(side, lock));
        let pair = LockPair {
            good: parse(&good).map_err(UpgradeError::Good)?,
            bad: parse(&bad).map_err(UpgradeError::Bad)?,
        };
        let mut owners = Owners::of(&pair);
        let mut ties = Vec::new();
        let merged = merged_files([&good, &bad], kind, lock, &pair, &mut owners, &mut ties)?;
        let merged_entries = merged_entries(&pair, lock, &mut owners, &mut ties)?;
        let frame = |side: &LockFile| side.text[..side.head].trim_ascii_end().to_vec();
        if frame(&pair.good) != frame(&pair.bad) {
            owners.rest(&lock.to_string_lossy());
        }
        let [stated, presumed] = [Evidence::Stated, Evidence::Presumed]
            .map(|evidence| known_needs(&pair, &owners, &ties, evidence));
        let levels = [Grouping::singles(owners.upgrades.len() as u32)];
        let lock = lock.to_owned();
        Ok(Self {
            kind,
            good,
            bad,
            lock,
            pair,
            owners,
            merged,
            merged_entries,
            stated,
            presumed,
            levels,
        })
    }

    /// The format of the lock files.
    pub fn kind(&self) -> LockKind {
        self.kind
    }

    /// The number of deltas.
    pub fn deltas(&self) -> u32 {
        self.owners.upgrades.len() as u32
    }

    /// The upgrades in the order of the deltas.
    pub fn upgrades(&self) -> &[Upgrade] {
        &self.owners.upgrades
    }

    /// The grouping of the deltas: single ones.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// What upgrades need of each other, as the lock files state it.
    pub fn stated_dependencies(&self) -> &Dependencies {
        &self.stated
    }

    /// What upgrades need of each other, as the lock files state it and as it is usual.
    pub fn presumed_dependencies(&self) -> &Dependencies {
        &self.presumed
    }

    /// Adds the dependencies that follow from a configuration whose build fails and mentions these words.
    pub fn learn(
        &self,
        configuration: &Configuration,
        mentioned: &BTreeSet<String>,
        dependencies: &mut Dependencies,
    ) {
        let mut mentioned = mentioned.clone();
        mentioned.extend(self.packages_at(configuration, &mentioned));
        if matches!(self.kind, LockKind::Requirements | LockKind::Uv) {
            mentioned = mentioned.iter().map(|name| normal_name(name)).collect();
        }
        learn(&self.pair, &self.owners, configuration, &mentioned, dependencies);
    }

    /// The packages in lines of the lock file of a configuration. The lines are given as `PATH:LINE`.
    fn packages_at(&self, configuration: &Configuration, places: &BTreeSet<String>) -> Vec<String> {
        let name = self.lock.to_string_lossy().into_owned();
        let numbers = places.iter().filter_map(|place| {
            let (path, line) = place.rsplit_once(':')?;
            line.parse::<usize>().ok().filter(|_| path.ends_with(&name))
        });
        let mut numbers = numbers.peekable();
        if numbers.peek().is_none() {
            return Vec::new();
        }
        let folder = self.compose(configuration);
        let Ok(lock) = LockFile::parse(self.kind, text_at(&folder, &self.lock)) else {
            return Vec::new();
        };
        let names = entry_names(&lock);
        let at =
            |line: usize| names.get(line.checked_sub(1)?)?.first().map(|(name, _)| name.clone());
        numbers.filter_map(at).collect()
    }

    /// Those of some upgrades that bring the others, if they cannot be installed without them. Else it is all of them.
    pub fn leading(&self, set: &Configuration, dependencies: &Dependencies) -> Configuration {
        leading(&self.pair, &self.owners, set, dependencies)
    }

    /// The project that fails.
    pub fn original(&self) -> &Folder {
        &self.bad
    }

    /// The project of a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Folder {
        if configuration.is_empty() {
            return self.good.clone();
        }
        if configuration.len() == self.deltas() as usize {
            return self.bad.clone();
        }
        let choice = Choice { pair: &self.pair, owners: &self.owners, configuration };
        let mut folder = self.bad.clone();
        let text_of = |id| self.entry_text(id, configuration);
        match self.kind {
            LockKind::Cargo | LockKind::Uv => {
                folder = folder.with_contents(&self.lock, choice.toml(text_of));
            }
            LockKind::Npm => {
                folder = folder.with_contents(&self.lock, choice.package_lock(text_of))
            }
            LockKind::Requirements | LockKind::Go => {}
        }
        for (path, text) in &self.merged {
            folder = folder.with_contents(path, text.compose(configuration));
        }
        if let Some(path) = self.checksums() {
            let all = self.all_checksums(&path);
            folder.insert(path, all);
        }
        folder
    }

    /// The text of an entry in a configuration.
    fn entry_text(&self, (side, index): EntryId, configuration: &Configuration) -> Vec<u8> {
        let lock = self.pair.side(side);
        let merged = self.merged_entries.get(&index).filter(|_| side == LockSide::Bad);
        match (merged, self.kind) {
            (Some(text @ MergedText::Json(..)), _) => {
                let wrapped = text.compose(configuration);
                wrapped[1..wrapped.len() - 1].to_vec()
            }
            (Some(text), _) => text.compose(configuration).trim_ascii_end().to_vec(),
            (None, LockKind::Cargo) if lock.entries[index].is_root => {
                let side = self.owners.side_of_rest(configuration);
                let other = self.pair.counterpart_of_root(LockSide::Bad, index);
                match other.filter(|_| side == LockSide::Good) {
                    Some(other) => {
                        let good = &self.pair.good;
                        good.text_of(&good.entries[other]).to_vec()
                    }
                    None => lock.text_of(&lock.entries[index]).to_vec(),
                }
            }
            (None, _) => lock.text_of(&lock.entries[index]).to_vec(),
        }
    }

    /// The path of the file of checksums, if there is one.
    fn checksums(&self) -> Option<PathBuf> {
        let path = self.lock.with_file_name(self.kind.checksums_name()?);
        [&self.good, &self.bad].iter().any(|side| side.get(&path).is_some()).then_some(path)
    }

    /// The lines of both files of checksums. More of them than needed do no harm.
    fn all_checksums(&self, path: &Path) -> FolderEntry {
        let both = [&self.good, &self.bad].map(|side| text_at(side, path));
        let all: BTreeSet<&[u8]> =
            both.iter().flat_map(|text| lines(text)).map(|(_, l)| l).collect();
        FolderEntry::file(all.into_iter().collect::<Vec<_>>().concat(), 0o644)
    }
}

/// The contents of a file; empty if there is none.
fn text_at<'a>(folder: &'a Folder, path: &Path) -> &'a [u8] {
    folder.get(path).and_then(FolderEntry::text).unwrap_or_default()
}

/// Merges the manifests that differ, and lock files whose packages have lines of their own.
fn merged_files(
    [good, bad]: [&Folder; 2],
    kind: LockKind,
    lock: &Path,
    pair: &LockPair,
    owners: &mut Owners,
    ties: &mut Vec<Vec<u32>>,
) -> Result<Vec<(PathBuf, MergedText)>, UpgradeError> {
    let mut merged = Vec::new();
    let has_lines = matches!(kind, LockKind::Requirements | LockKind::Go);
    for (path, _) in bad.leaves() {
        let is_manifest = kind.manifest_name().is_some_and(|name| path.ends_with(name));
        let (old, new) = (text_at(good, path), text_at(bad, path));
        if !(is_manifest || has_lines && **path == *lock) || old == new {
            continue;
        }
        let file = path.to_string_lossy().into_owned();
        let text = match kind {
            LockKind::Npm => MergedText::by_members(old, new, &file, owners),
            _ => {
                let names = |side: LockSide, text: &[u8]| match kind {
                    LockKind::Cargo => cargo_manifest_names(text),
                    LockKind::Uv => quoted_names(text),
                    _ => entry_names(pair.side(side)),
                };
                MergedText::by_lines(old, new, names, &file, owners, ties)
            }
        };
        let text = text.map_err(|error| UpgradeError::Manifest(file.clone(), error))?;
        merged.push((path.to_path_buf(), text));
    }
    Ok(merged)
}

/// Merges the entries of the project itself that differ, and for uv others that differ in more than their version.
fn merged_entries(
    pair: &LockPair,
    lock: &Path,
    owners: &mut Owners,
    ties: &mut Vec<Vec<u32>>,
) -> Result<BTreeMap<usize, MergedText>, UpgradeError> {
    let mut merged = BTreeMap::new();
    let file = lock.to_string_lossy().into_owned();
    let kind = pair.bad.kind;
    for (index, entry) in pair.bad.entries.iter().enumerate() {
        let same =
            pair.good.named(&entry.name).iter().find(|&&e| pair.good.entries[e].is_same(entry));
        let other = match entry.is_root {
            true => pair.counterpart_of_root(LockSide::Bad, index),
            false => same.copied().filter(|_| kind == LockKind::Uv),
        };
        let Some(other) = other.map(|other| &pair.good.entries[other]) else { continue };
        let (old, new) = (pair.good.text_of(other), pair.bad.text_of(entry));
        if old == new {
            continue;
        }
        let text = match kind {
            LockKind::Npm => {
                let [old, new] = [old, new].map(|text| [b"{", text, b"}"].concat());
                MergedText::by_members(&old, &new, &file, owners)
            }
            LockKind::Uv => {
                let [old, new] = [old, new].map(|text| [text, b"\n"].concat());
                MergedText::by_lines(&old, &new, |_, text| uv_names(text), &file, owners, ties)
            }
            _ => {
                note_other_needs(entry, other, &file, owners);
                continue;
            }
        };
        let text = text.map_err(|error| UpgradeError::Manifest(file.clone(), error))?;
        merged.insert(index, text);
    }
    Ok(merged)
}

/// Makes sure that there is a delta for differences of a project's entry of Cargo that belong to no package.
fn note_other_needs(
    entry: &super::LockEntry,
    other: &super::LockEntry,
    file: &str,
    owners: &mut Owners,
) {
    let names = |entry: &super::LockEntry| -> BTreeSet<String> {
        entry.needs.iter().map(|need| need.name.clone()).collect()
    };
    let (these, others) = (names(entry), names(other));
    if entry.version != other.version
        || these.symmetric_difference(&others).any(|name| owners.owner(name).is_none())
    {
        owners.rest(file);
    }
}

/// The packages that the lines of a `Cargo.toml` are about.
fn cargo_manifest_names(text: &[u8]) -> LineNames {
    let mut section = String::new();
    let names = lines(text).map(|(_, line)| {
        let line = String::from_utf8_lossy(line).trim().to_owned();
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
        }
        let table = section.rsplit_once("dependencies.").map(|(_, name)| name.to_owned());
        let is_list = section.ends_with("dependencies") && !line.starts_with(['[', '#']);
        let key =
            is_list.then(|| line.split(['=', '.', ' ']).next().unwrap_or_default().to_owned());
        let renamed = line.split_once("package = \"").and_then(|(_, rest)| rest.split('"').next());
        let name = renamed.map(str::to_owned).filter(|_| key.is_some()).or(table).or(key);
        let name = name.map(|name| name.trim_matches('"').to_owned());
        name.filter(|name| !name.is_empty()).map(|name| (name, line)).into_iter().collect()
    });
    names.collect()
}

/// The packages of the requirements in quotation marks, such as `"flask>=2.3"`.
fn quoted_names(text: &[u8]) -> LineNames {
    let names = lines(text).map(|(_, line)| {
        let line = String::from_utf8_lossy(line).into_owned();
        let quoted = line.split('"').skip(1).step_by(2);
        let name = |text: &str| {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            normal_name(text.split(|c| !is_part(c)).next().unwrap_or_default())
        };
        quoted.map(|text| (name(text), text.to_owned())).filter(|(n, _)| !n.is_empty()).collect()
    });
    names.collect()
}

/// The packages in lines of an entry of uv such as `{ name = "flask" }`.
fn uv_names(text: &[u8]) -> LineNames {
    let names = lines(text).map(|(_, line)| {
        let line = String::from_utf8_lossy(line).into_owned();
        let name = line.split_once("{ name = \"").and_then(|(_, rest)| rest.split('"').next());
        name.map(|name| (name.to_owned(), line.clone())).into_iter().collect()
    });
    names.collect()
}

/// The packages to whose entries lines belong.
fn entry_names(lock: &LockFile) -> LineNames {
    let name = |at: usize| {
        let entry = lock.entries.iter().find(|entry| entry.text.contains(&at));
        entry.map(|entry| (entry.name.clone(), entry.version.clone()))
    };
    lines(&lock.text).map(|(at, _)| name(at).into_iter().collect()).collect()
}
