//! A passing and a failing folder, and the deltas between them: files, and the changes inside them.

use crate::scopes::{Level, levels};
use crate::{Entry, Folder, Subject, Unfit, Units};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;
use wynot_core::{Configuration, Grouping};

/// Two folders, and the deltas that lead from one to the other.
///
/// A file that is text on both sides, or new, is compared inside; anything else changes as a whole.
#[derive(Debug)]
pub struct Folders {
    baseline: Folder,
    original: Folder,
    /// What is the same on both sides, and where something differs, in the order of the paths.
    places: Vec<Place>,
    levels: Vec<Grouping>,
    names: Vec<&'static str>,
}

#[derive(Debug)]
enum Place {
    Same(Rc<Path>, Entry),
    Changed(Box<FileChange>),
}

/// What differs at one path.
#[derive(Debug)]
pub struct FileChange {
    /// The path.
    pub path: Rc<Path>,
    /// What was there, if it did not only lead to something else.
    pub old: Option<Entry>,
    /// What is there instead.
    pub new: Option<Entry>,
    /// The changes inside; `None` if the file changes as a whole.
    pub inside: Option<Subject>,
    /// The number of its first delta.
    pub(crate) first: u32,
}

impl FileChange {
    fn deltas(&self) -> u32 {
        self.inside.as_ref().map_or(1, Subject::deltas)
    }

    /// Which of its changes a configuration has, counted from its first.
    pub fn chosen(&self, configuration: &Configuration) -> Configuration {
        let all = self.first..self.first + self.deltas();
        let mut chosen = Configuration::empty();
        for run in configuration.ranges() {
            let (from, to) = (run.start.max(all.start), run.end.min(all.end));
            if from < to {
                chosen.push(from - all.start..to - all.start);
            }
        }
        chosen
    }

    /// What is there when some of its changes are made.
    fn entry(&self, chosen: &Configuration) -> Option<Entry> {
        match (&self.inside, chosen.len() as u32) {
            (_, 0) => self.old.clone(),
            (Some(inside), some) if some < self.deltas() => {
                let mut bytes = Vec::new();
                inside.compose(chosen, &mut bytes);
                let mode = match &self.new {
                    Some(Entry::File { mode, .. }) => *mode,
                    _ => 0o644,
                };
                Some(Entry::file(bytes, mode))
            }
            _ => self.new.clone(),
        }
    }
}

impl Folders {
    /// The deltas between two folders, cut by the given units inside files; without units, by files only.
    /// Directories have the modes of the original.
    pub fn between(
        baseline: &Folder,
        original: Folder,
        units: Option<&Units>,
    ) -> Result<Self, Unfit> {
        let levels: &[Level] =
            if units.is_some() { &[Level::File, Level::Hunk] } else { &[Level::File] };
        Self::made(baseline, original, units, levels)
    }

    /// The same, with levels of one's choice before the units.
    pub fn by_scope(
        baseline: &Folder,
        original: Folder,
        units: &Units,
        levels: &[Level],
    ) -> Result<Self, Unfit> {
        Self::made(baseline, original, Some(units), levels)
    }

    fn made(
        baseline: &Folder,
        original: Folder,
        units: Option<&Units>,
        scopes: &[Level],
    ) -> Result<Self, Unfit> {
        let mode_of = |path: &Rc<Path>, entry: &Entry| match (entry, original.get(path)) {
            (Entry::Directory { .. }, Some(known @ Entry::Directory { .. })) => known.clone(),
            _ => entry.clone(),
        };
        let alike = |(path, entry): (&Rc<Path>, &Entry)| (Rc::clone(path), mode_of(path, entry));
        let baseline: Folder = baseline.entries().map(alike).collect();
        let mut sides: BTreeMap<Rc<Path>, [Option<Entry>; 2]> = BTreeMap::new();
        for (side, folder) in [&baseline, &original].into_iter().enumerate() {
            for (path, entry) in folder.leaves() {
                sides.entry(Rc::clone(path)).or_default()[side] = Some(entry.clone());
            }
        }
        let mut places = Vec::new();
        let mut first = 0;
        for (path, [old, new]) in sides {
            // A directory that is empty on one side only is there on both.
            let is_directory = |folder: &Folder| folder.get(&path).is_some_and(Entry::is_directory);
            let stays = is_directory(&baseline) && is_directory(&original);
            match new.clone().or_else(|| old.clone()).filter(|_| stays || old == new) {
                Some(same) => places.push(Place::Same(path, same)),
                None => {
                    let cut = units.and_then(|units| inside(old.as_ref(), new.as_ref(), units));
                    let change = FileChange { path, old, new, inside: cut.transpose()?, first };
                    first += change.deltas();
                    places.push(Place::Changed(Box::new(change)));
                }
            }
        }
        let changes: Vec<&FileChange> = changed(&places).collect();
        let (levels, names) = levels(&changes, first, scopes, units);
        Ok(Self { baseline, original, places, levels, names })
    }

    /// How many deltas there are.
    pub fn deltas(&self) -> u32 {
        changed(&self.places).last().map_or(0, |last| last.first + last.deltas())
    }

    /// Files, then what is inside them.
    pub fn levels(&self) -> &[Grouping] {
        &self.levels
    }

    /// What the deltas of each level are.
    pub fn names(&self) -> &[&'static str] {
        &self.names
    }

    /// The folder that fails.
    pub fn original(&self) -> &Folder {
        &self.original
    }

    /// The folder of a configuration.
    pub fn compose(&self, configuration: &Configuration) -> Folder {
        let mut result = Folder::default();
        let mut way = None;
        for place in &self.places {
            let (path, entry) = match place {
                Place::Same(path, entry) => (path, Some(entry.clone())),
                Place::Changed(change) => {
                    (&change.path, change.entry(&change.chosen(configuration)))
                }
            };
            if let Some(entry) = entry {
                // The one before has mostly come the same way.
                if way.replace(path.parent()) != Some(path.parent()) {
                    self.open_way(&mut result, path);
                }
                result.insert(Rc::clone(path), entry);
            }
        }
        result
    }

    /// Makes the directories on the way to a path, with the modes they have.
    fn open_way(&self, result: &mut Folder, path: &Path) {
        let ancestors: Vec<&Path> = path.ancestors().skip(1).collect();
        for dir in ancestors.into_iter().rev().filter(|dir| !dir.as_os_str().is_empty()) {
            let sides = [self.original.get(dir), self.baseline.get(dir)];
            let mut known = sides.into_iter().flatten().filter(|entry| entry.is_directory());
            if let (Some(known), None) = (known.next(), result.get(dir)) {
                result.insert(dir, known.clone());
            }
        }
    }

    /// The files that a difference touches, and which changes inside them.
    pub fn touched(
        &self,
        difference: &Configuration,
    ) -> impl Iterator<Item = (&FileChange, Configuration)> {
        let all = changed(&self.places).map(|change| (change, change.chosen(difference)));
        let touched: Vec<_> = all.filter(|(_, chosen)| !chosen.is_empty()).collect();
        touched.into_iter()
    }
}

fn changed(places: &[Place]) -> impl DoubleEndedIterator<Item = &FileChange> {
    places.iter().filter_map(|place| match place {
        Place::Changed(change) => Some(change.as_ref()),
        Place::Same(..) => None,
    })
}

/// The changes inside a file, where it is worth looking.
fn inside(
    old: Option<&Entry>,
    new: Option<&Entry>,
    units: &Units,
) -> Option<Result<Subject, Unfit>> {
    let (old, new) = match (old, new) {
        (Some(Entry::File { mode: was, .. }), Some(Entry::File { mode: is, .. })) if was != is => {
            return None;
        }
        (Some(old), Some(new)) => (old.text()?, new.text()?),
        (None, Some(new)) => (b"".as_slice(), new.text()?),
        _ => return None,
    };
    // A file that becomes empty or is new and empty has nothing inside.
    if new.is_empty() { None } else { Some(Subject::between(old, new, units)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn folder(files: &[(&str, &str)]) -> Folder {
        let entry = |(path, text): &(&str, &str)| {
            (Path::new(path).to_owned(), Entry::file(text.as_bytes().to_vec(), 0o644))
        };
        files.iter().map(entry).collect()
    }

    fn lines() -> Units {
        "line".parse().unwrap()
    }

    #[test]
    fn files_hunks_and_lines_are_levels() {
        let old = folder(&[("a/x", "1\n2\n3\n4\n"), ("a/gone", "g"), ("same", "s")]);
        let new = folder(&[("a/x", "1\nB\nC\n4\nE\n"), ("same", "s"), ("b/new", "n")]);
        let folders = Folders::between(&old, new.clone(), Some(&lines())).unwrap();
        assert_eq!(folders.names(), ["file", "hunk", "line"]);
        let sizes: Vec<u32> = folders.levels().iter().map(Grouping::len).collect();
        assert_eq!(sizes, [3, 4, 5]);
        assert_eq!(folders.compose(&Configuration::empty()), old);
        assert_eq!(folders.compose(&Configuration::full(5)), new);
        let mixed = folders.compose(&Configuration::from_deltas([1, 4]));
        let expected =
            folder(&[("a/x", "1\nB\n3\n4\n"), ("a/gone", "g"), ("b/new", "n"), ("same", "s")]);
        assert_eq!(mixed, expected);
    }

    #[test]
    fn other_kinds_change_as_a_whole() {
        let mut old = folder(&[("tool", "run\n"), ("dir/x", "x\n")]);
        old.insert(Path::new("link"), Entry::Link("tool".into()));
        let mut new = folder(&[("dir", "now a file\n")]);
        new.insert(Path::new("tool"), Entry::file(b"run\n".to_vec(), 0o755));
        new.insert(Path::new("link"), Entry::Link("dir".into()));
        new.insert(Path::new("bare"), Entry::Directory { mode: 0o700 });
        let folders = Folders::between(&old, new.clone(), Some(&lines())).unwrap();
        assert_eq!(folders.compose(&Configuration::empty()), old);
        let all = Configuration::full(folders.deltas());
        assert_eq!(folders.compose(&all), new);
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
                    0 => Entry::Link(text.replace('\0', "").into()),
                    1 => Entry::Directory { mode: 0o755 },
                    2 => Entry::file(text.as_bytes().to_vec(), 0o755),
                    _ => Entry::file(text.as_bytes().to_vec(), 0o644),
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
            let folders = Folders::between(&old, new.clone(), units).unwrap();
            prop_assert_eq!(folders.compose(&Configuration::empty()), old);
            prop_assert_eq!(folders.compose(&Configuration::full(folders.deltas())), new);
            let levels = folders.levels();
            prop_assert_eq!(levels.len(), folders.names().len());
            prop_assert_eq!(levels.last().unwrap().len(), folders.deltas());
        }
    }
}
