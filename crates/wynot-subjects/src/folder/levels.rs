//! The levels of the deltas between two folders: directories, files, functions, hunks, then units.

use crate::folder::change::FileChange;
use crate::syntax::language::Language;
use crate::text::TextSubject;
use crate::text::unit::Units;
use crate::text_delta::TextDelta;
use wynot_core::{Configuration, Grouping};

/// What deltas are grouped by on levels that are coarser than the units of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum FolderLevel {
    /// The directory that contains the file.
    Directory,
    /// A file; the rename of one, beside what changes in it.
    File,
    /// A function, or another top-level item of a file.
    Function,
    /// Changes with nothing unchanged between them.
    Hunk,
}

impl FolderLevel {
    /// The name of a group, in the singular.
    fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Function => "function",
            Self::Hunk => "hunk",
        }
    }
}

/// The groupings and the names of the coarse levels, then those of the units.
pub(crate) fn levels(
    changes: &[&FileChange],
    deltas: u32,
    coarse_levels: &[FolderLevel],
    units: Option<&Units>,
) -> (Vec<Grouping>, Vec<&'static str>) {
    let grouping = |starts: Vec<u32>| match starts.len() as u32 {
        same if same == deltas => Grouping::singles(deltas),
        _ => Grouping::new(starts, deltas),
    };
    let mut levels = Vec::new();
    let mut names = Vec::new();
    for level in coarse_levels {
        levels.push(grouping(group_starts(changes, *level)));
        names.push(level.name());
    }
    let units = units.map_or(&[][..], Units::as_slice);
    for (level, unit) in units.iter().enumerate() {
        let mut starts = Vec::new();
        for change in changes {
            let inner = change.text.as_ref().map(|text| {
                let grouping = &text.levels()[level];
                let first = |group: u32| {
                    let deltas = grouping.deltas_of(&Configuration::from([group]));
                    deltas.ranges().first().map_or(0, |range| range.start)
                };
                (0..grouping.len()).map(first).collect()
            });
            let inner: Vec<u32> = inner.unwrap_or_else(|| vec![0]);
            let inner = inner.into_iter().chain(change.beside_text());
            starts.extend(inner.map(|start| change.first + start));
        }
        levels.push(grouping(starts));
        names.push(unit.name());
    }
    // A level with as many groups as the one before splits nothing and is dropped.
    let mut at = 1;
    while at < levels.len() {
        if levels[at].len() == levels[at - 1].len() {
            levels.remove(at);
            // The finer name is more precise, unless files change as a whole.
            let whole = changes.iter().all(|change| change.text.is_none());
            names.remove(if whole { at } else { at - 1 });
        } else {
            at += 1;
        }
    }
    (levels, names)
}

/// The first delta of each group of a level.
fn group_starts(changes: &[&FileChange], level: FolderLevel) -> Vec<u32> {
    let inner = |starts_in: fn(&FileChange, &TextSubject) -> Vec<u32>| {
        let mut starts = Vec::new();
        for change in changes {
            let within =
                change.text.as_ref().map_or_else(|| vec![0], |text| starts_in(change, text));
            let within = within.into_iter().chain(change.beside_text());
            starts.extend(within.map(|start| change.first + start));
        }
        starts
    };
    match level {
        FolderLevel::Directory => {
            let parent = |at: usize| changes[at].path.parent();
            let begins = |at: &usize| *at == 0 || parent(*at) != parent(*at - 1);
            (0..changes.len()).filter(begins).map(|at| changes[at].first).collect()
        }
        FolderLevel::File => {
            let starts = |change: &&FileChange| {
                let rename = change.rename().filter(|rename| *rename > 0);
                [Some(0), rename].into_iter().flatten().map(|start| start + change.first).collect()
            };
            changes.iter().flat_map::<Vec<u32>, _>(starts).collect()
        }
        FolderLevel::Function => inner(function_starts),
        FolderLevel::Hunk => inner(|_, text| hunk_starts(text)),
    }
}

/// The first delta of each group that lies in another function or top-level item than the one before. A hunk
/// that reaches into several items stays whole, unless items of the same name were compared.
fn function_starts(change: &FileChange, subject: &TextSubject) -> Vec<u32> {
    let text = subject.original();
    let tree = Language::guess(&change.path, text).parse(text);
    let root = (!tree.nodes().is_empty()).then_some(0);
    let items: Vec<usize> = root
        .into_iter()
        .flat_map(|root| tree.children(root))
        .map(|item| tree.span(item).end)
        .collect();
    let item = |delta: &u32| {
        let at = subject.delta(*delta).new.start as usize;
        items.partition_point(|&end| end <= at)
    };
    let hunks = hunk_starts(subject);
    let mut last = None;
    let begins = |start: &u32| {
        let is_next = last.replace(item(start)) != Some(item(start));
        is_next || subject.starts_segment(*start)
    };
    hunks.into_iter().filter(begins).collect()
}

/// The deltas that do not follow directly on another one.
fn hunk_starts(subject: &TextSubject) -> Vec<u32> {
    let follows = |delta: &u32| {
        let adjoins = |last: &TextDelta, next: &TextDelta| {
            last.old.end == next.old.start && last.new.end == next.new.start
        };
        *delta > 0
            && !subject.starts_segment(*delta)
            && adjoins(&subject.delta(delta - 1), &subject.delta(*delta))
    };
    // With an empty baseline, every piece follows the one before it in the original.
    if subject.baseline().is_empty() {
        return vec![0];
    }
    (0..subject.deltas()).filter(|delta| !follows(delta)).collect()
}
