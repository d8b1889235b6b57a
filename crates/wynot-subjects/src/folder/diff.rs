//! A passing and a failing folder, and the deltas between them: files, and changes inside files.

use crate::folder::Folder;
use crate::folder::change::FileChange;
use crate::folder::entry::FolderEntry;
use crate::folder::levels::{FolderLevel, levels};
use crate::folder::segments::segments;
use crate::hunks::renames::renamed_files;
use crate::text::TextSubject;
use crate::text::error::TextError;
use crate::text::unit::Units;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use wynot_core::{Configuration, Grouping};

/// How many times fewer changes a comparison by lines alone must have to be preferred to one by segments.
const FEWER_FACTOR: u32 = 2;

/// A folder that fails, a baseline that passes, and the deltas that turn the baseline into the folder.
///
/// A text file that is in both folders or new has deltas inside; anything else changes as a whole. A file that has another
/// path in the folder is compared with what it was.
#[derive(Debug)]
pub struct FolderSubject {
    baseline: Folder,
    original: Folder,
    /// The leaves of both sides, sorted by path.
    leaves: Vec<Leaf>,
    levels: Vec<Grouping>,
    level_names: Vec<&'static str>,
}

/// What the two sides have at a path.
#[derive(Debug)]
enum Leaf {
    /// The same entry on both sides.
    Same(Arc<Path>, FolderEntry),
    /// Different entries, or one on one side only.
    Changed(Box<FileChange>),
}

impl FolderSubject {
    /// A subject with levels for files, for hunks and for each of the given units inside files; without
    /// units, for files only. Directories get the modes of the original.
    pub fn between(
        baseline: &Folder,
        original: Folder,
        units: Option<&Units>,
    ) -> Result<Self, TextError> {
        let levels: &[FolderLevel] = if units.is_some() {
            &[FolderLevel::File, FolderLevel::Hunk]
        } else {
            &[FolderLevel::File]
        };
        Self::compare(baseline, original, units, levels)
    }

    /// A subject with the given levels before those of the units.
    pub fn with_levels(
        baseline: &Folder,
        original: Folder,
        units: &Units,
        levels: &[FolderLevel],
    ) -> Result<Self, TextError> {
        Self::compare(baseline, original, Some(units), levels)
    }

    fn compare(
        baseline: &Folder,
        original: Folder,
        units: Option<&Units>,
        coarse_levels: &[FolderLevel],
    ) -> Result<Self, TextError> {
        let with_mode = |path: &Arc<Path>, entry: &FolderEntry| match (entry, original.get(path)) {
            (FolderEntry::Directory { .. }, Some(known @ FolderEntry::Directory { .. })) => {
                known.clone()
            }
            _ => entry.clone(),
        };
        let adjusted =
            |(path, entry): (&Arc<Path>, &FolderEntry)| (Arc::clone(path), with_mode(path, entry));
        let baseline: Folder = baseline.entries().map(adjusted).collect();
        let mut sides: BTreeMap<Arc<Path>, [Option<FolderEntry>; 2]> = BTreeMap::new();
        for (side, folder) in [&baseline, &original].into_iter().enumerate() {
            for (path, entry) in folder.leaves() {
                sides.entry(Arc::clone(path)).or_default()[side] = Some(entry.clone());
            }
        }
        let mut renamed = BTreeMap::new();
        if units.is_some() {
            for (from, to) in renamed_files(&baseline, &original) {
                let old = sides.remove(&from).and_then(|[old, _]| old);
                sides.entry(Arc::clone(&to)).or_default()[0] = old;
                renamed.insert(to, from);
            }
        }
        let mut leaves = Vec::new();
        let mut first = 0;
        for (path, [old, new]) in sides {
            // A directory that is empty on one side and has entries on the other exists on both sides.
            let is_directory =
                |folder: &Folder| folder.get(&path).is_some_and(FolderEntry::is_directory);
            let stays = is_directory(&baseline) && is_directory(&original);
            let renamed_from = renamed.remove(&path);
            let is_same = renamed_from.is_none() && (stays || old == new);
            match new.clone().or_else(|| old.clone()).filter(|_| is_same) {
                Some(same) => leaves.push(Leaf::Same(path, same)),
                None => {
                    let text = units
                        .and_then(|units| compare_texts(&path, old.as_ref(), new.as_ref(), units));
                    let text = text.transpose()?;
                    let mode = text.as_ref().and_then(|_| changed_mode(&old, &new));
                    let change = FileChange { path, renamed_from, old, new, text, mode, first };
                    first += change.deltas();
                    leaves.push(Leaf::Changed(Box::new(change)));
                }
            }
        }
        let changes: Vec<&FileChange> = changes_in(&leaves).collect();
        let (levels, level_names) = levels(&changes, first, coarse_levels, units);
        Ok(Self { baseline, original, leaves, levels, level_names })
    }

    /// The number of deltas.
    pub fn deltas(&self) -> u32 {
        changes_in(&self.leaves).last().map_or(0, |last| last.first + last.deltas())
    }

    /// The groupings of the deltas from coarse to fine.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// What a group of each level is, in the singular: "file", "line" and so on.
    pub fn level_names(&self) -> &[&'static str] {
        &self.level_names
    }

    /// The entries that are the same on both sides.
    pub(crate) fn unchanged_entries(&self) -> impl Iterator<Item = (&Path, &FolderEntry)> {
        self.leaves.iter().filter_map(|leaf| match leaf {
            Leaf::Same(path, entry) => Some((path.as_ref(), entry)),
            Leaf::Changed(_) => None,
        })
    }

    /// The folder that fails.
    pub fn original(&self) -> &Folder {
        &self.original
    }

    /// The folder of a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Folder {
        let mut result = Folder::default();
        let mut last_parent = None;
        for leaf in &self.leaves {
            let (path, entry) = match leaf {
                Leaf::Same(path, entry) => (path, Some(entry.clone())),
                Leaf::Changed(change) => {
                    let selected = change.select(configuration);
                    (change.path_after(&selected), change.entry(&selected))
                }
            };
            if let Some(entry) = entry {
                // Most entries have the same parent as the one before.
                if last_parent.replace(path.parent()) != Some(path.parent()) {
                    self.insert_parents(&mut result, path);
                }
                result.insert(Arc::clone(path), entry);
            }
        }
        result
    }

    /// Inserts the directories that contain a path, with the modes that they have on either side.
    fn insert_parents(&self, result: &mut Folder, path: &Path) {
        let ancestors: Vec<&Path> = path.ancestors().skip(1).collect();
        for dir in ancestors.into_iter().rev().filter(|dir| !dir.as_os_str().is_empty()) {
            let sides = [self.original.get(dir), self.baseline.get(dir)];
            let mut known = sides.into_iter().flatten().filter(|entry| entry.is_directory());
            if let (Some(known), None) = (known.next(), result.get(dir)) {
                result.insert(dir, known.clone());
            }
        }
    }

    /// The changed paths to which deltas of a configuration belong, each with those of its own deltas,
    /// renumbered from 0.
    pub fn changes_of(
        &self,
        configuration: &Configuration,
    ) -> impl Iterator<Item = (&FileChange, Configuration)> {
        let all = changes_in(&self.leaves).map(|change| (change, change.select(configuration)));
        let touched: Vec<_> = all.filter(|(_, selected)| !selected.is_empty()).collect();
        touched.into_iter()
    }

    /// The deltas of some changed paths, and the number of these paths. A file that was renamed is meant if both of its paths
    /// are.
    pub fn deltas_at(&self, is_meant: impl Fn(&Path) -> bool) -> (Configuration, usize) {
        let (mut deltas, mut paths) = (Configuration::empty(), 0);
        let is_change_meant = |change: &&FileChange| {
            is_meant(&change.path) && change.renamed_from.as_deref().is_none_or(&is_meant)
        };
        for change in changes_in(&self.leaves).filter(is_change_meant) {
            deltas.push(change.first..change.first + change.deltas());
            paths += 1;
        }
        (deltas, paths)
    }
}

/// The paths that differ.
fn changes_in(leaves: &[Leaf]) -> impl DoubleEndedIterator<Item = &FileChange> {
    leaves.iter().filter_map(|leaf| match leaf {
        Leaf::Changed(change) => Some(change.as_ref()),
        Leaf::Same(..) => None,
    })
}

/// The changes inside a file; `None` if it changes as a whole.
fn compare_texts(
    path: &Path,
    old: Option<&FolderEntry>,
    new: Option<&FolderEntry>,
    units: &Units,
) -> Option<Result<TextSubject, TextError>> {
    let (old, new) = match (old, new) {
        (Some(old), Some(new)) => (old.text()?, new.text()?),
        (None, Some(new)) => (b"".as_slice(), new.text()?),
        _ => return None,
    };
    // A file that is empty in the original, or that differs in its mode only, has no deltas inside.
    match new.is_empty() || old == new {
        true => None,
        false => Some(compare_by_segments(path, old, new, units)),
    }
}

/// The changes between two texts by their segments, unless a comparison by lines alone has far fewer of them.
fn compare_by_segments(
    path: &Path,
    old: &[u8],
    new: &[u8],
    units: &Units,
) -> Result<TextSubject, TextError> {
    let segments = segments(path, old, new);
    let by_lines = || TextSubject::between(old, new, units);
    if segments.len() == 1 {
        return by_lines();
    }
    let by_segments = TextSubject::between_segments(old, new, segments, units)?;
    let by_lines = by_lines()?;
    Ok(match by_lines.deltas() * FEWER_FACTOR <= by_segments.deltas() {
        true => by_lines,
        false => by_segments,
    })
}

/// The permission bits of the new entry, if both are files and theirs differ.
fn changed_mode(old: &Option<FolderEntry>, new: &Option<FolderEntry>) -> Option<u32> {
    match (old, new) {
        (Some(FolderEntry::File { mode: was, .. }), Some(FolderEntry::File { mode: is, .. })) => {
            (was != is).then_some(*is)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder_of_texts;
    use proptest::prelude::*;

    fn lines() -> Units {
        "line".parse().unwrap()
    }

    #[test]
    fn files_hunks_and_lines_are_levels() {
        let old = folder_of_texts(&[("a/x", "1\n2\n3\n4\n"), ("a/gone", "g"), ("same", "s")]);
        let new = folder_of_texts(&[("a/x", "1\nB\nC\n4\nE\n"), ("same", "s"), ("b/new", "n")]);
        let subject = FolderSubject::between(&old, new.clone(), Some(&lines())).unwrap();
        assert_eq!(subject.level_names(), ["file", "hunk", "line"]);
        let sizes: Vec<u32> = subject.levels().iter().map(Grouping::len).collect();
        assert_eq!(sizes, [3, 4, 5]);
        assert_eq!(subject.compose(&Configuration::empty()), old);
        assert_eq!(subject.compose(&Configuration::full(5)), new);
        let mixed = subject.compose(&Configuration::from_deltas([1, 4]));
        let expected = folder_of_texts(&[
            ("a/x", "1\nB\n3\n4\n"),
            ("a/gone", "g"),
            ("b/new", "n"),
            ("same", "s"),
        ]);
        assert_eq!(mixed, expected);
    }

    #[test]
    fn anything_but_text_changes_as_a_whole() {
        let mut old = folder_of_texts(&[("tool", "run\n"), ("dir/x", "x\n")]);
        old.insert(Path::new("link"), FolderEntry::Link("tool".into()));
        let mut new = folder_of_texts(&[("dir", "now a file\n")]);
        new.insert(Path::new("tool"), FolderEntry::file(b"run\n".to_vec(), 0o755));
        new.insert(Path::new("link"), FolderEntry::Link("dir".into()));
        new.insert(Path::new("bare"), FolderEntry::Directory { mode: 0o700 });
        let subject = FolderSubject::between(&old, new.clone(), Some(&lines())).unwrap();
        assert_eq!(subject.compose(&Configuration::empty()), old);
        let all = Configuration::full(subject.deltas());
        assert_eq!(subject.compose(&all), new);
    }

    fn some_folder() -> impl Strategy<Value = Folder> {
        let path = proptest::sample::select(
            ["a", "a/b", "a/b/c", "d/e", "d/f", "g", "d", "h/i/j"].as_slice(),
        );
        let text = proptest::sample::select(
            ["", "x\n", "x\ny\n", "y\nz\nx\n", "\0bin", "no end"].as_slice(),
        );
        let kind = 0..5u8;
        proptest::collection::vec((path, text, kind), 0..8).prop_map(|entries| {
            let entry = |(path, text, kind): (&str, &str, u8)| {
                let entry = match kind {
                    0 => FolderEntry::Link(text.replace('\0', "").into()),
                    1 => FolderEntry::Directory { mode: 0o755 },
                    2 => FolderEntry::file(text.as_bytes().to_vec(), 0o755),
                    _ => FolderEntry::file(text.as_bytes().to_vec(), 0o644),
                };
                (Path::new(path).to_owned(), entry)
            };
            entries.into_iter().map(entry).collect()
        })
    }

    proptest! {
        #[test]
        fn no_deltas_give_the_baseline_and_all_of_them_the_original(
            old in some_folder(), new in some_folder(), by_file in any::<bool>()
        ) {
            let units = lines();
            let units = (!by_file).then_some(&units);
            let subject = FolderSubject::between(&old, new.clone(), units).unwrap();
            prop_assert_eq!(subject.compose(&Configuration::empty()), old);
            prop_assert_eq!(subject.compose(&Configuration::full(subject.deltas())), new);
            let levels = subject.levels();
            prop_assert_eq!(levels.len(), subject.level_names().len());
            prop_assert_eq!(levels.last().unwrap().len(), subject.deltas());
        }
    }
}
