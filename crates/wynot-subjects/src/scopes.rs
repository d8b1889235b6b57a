//! The levels of the changes between two folders: directories, files, functions, hunks, then units.

use crate::{Delta, FileChange, Language, Subject, Units};
use wynot_core::{Configuration, Grouping};

/// What changes are grouped by, before lines and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// The directory a file is in.
    Directory,
    /// A file.
    File,
    /// A function, or what else stands by itself in a file.
    Function,
    /// Changes without anything unchanged between them.
    Hunk,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Directory => "directory",
            Self::File => "file",
            Self::Function => "function",
            Self::Hunk => "hunk",
        }
    }
}

/// The scopes, then the units.
pub(crate) fn levels(
    changes: &[&FileChange],
    deltas: u32,
    scopes: &[Level],
    units: Option<&Units>,
) -> (Vec<Grouping>, Vec<&'static str>) {
    let grouping = |starts: Vec<u32>| match starts.len() as u32 {
        same if same == deltas => Grouping::singles(deltas),
        _ => Grouping::new(starts, deltas),
    };
    let mut levels = Vec::new();
    let mut names = Vec::new();
    for scope in scopes {
        levels.push(grouping(scope_starts(changes, *scope)));
        names.push(scope.name());
    }
    let units = units.map_or(&[][..], Units::as_slice);
    for (level, unit) in units.iter().enumerate() {
        let mut starts = Vec::new();
        for change in changes {
            let inner = change.inside.as_ref().map(|inside| {
                let grouping = &inside.levels()[level];
                let first = |group: u32| {
                    let deltas = grouping.deltas_of(&Configuration::from_deltas([group]));
                    deltas.ranges().first().map_or(0, |run| run.start)
                };
                (0..grouping.len()).map(first).collect()
            });
            let inner: Vec<u32> = inner.unwrap_or_else(|| vec![0]);
            starts.extend(inner.into_iter().map(|start| change.first + start));
        }
        levels.push(grouping(starts));
        names.push(unit.name());
    }
    // A level that splits nothing is none.
    let mut at = 1;
    while at < levels.len() {
        if levels[at].len() == levels[at - 1].len() {
            levels.remove(at);
            // The finer name says more, unless files change as a whole.
            let whole = changes.iter().all(|change| change.inside.is_none());
            names.remove(if whole { at } else { at - 1 });
        } else {
            at += 1;
        }
    }
    (levels, names)
}

/// Where groups of a scope begin.
fn scope_starts(changes: &[&FileChange], scope: Level) -> Vec<u32> {
    let inner = |of: fn(&FileChange, &Subject) -> Vec<u32>| {
        let mut starts = Vec::new();
        for change in changes {
            let within =
                change.inside.as_ref().map_or_else(|| vec![0], |inside| of(change, inside));
            starts.extend(within.into_iter().map(|start| change.first + start));
        }
        starts
    };
    match scope {
        Level::Directory => {
            let parent = |at: usize| changes[at].path.parent();
            let begins = |at: &usize| *at == 0 || parent(*at) != parent(*at - 1);
            (0..changes.len()).filter(begins).map(|at| changes[at].first).collect()
        }
        Level::File => changes.iter().map(|change| change.first).collect(),
        Level::Function => inner(function_starts),
        Level::Hunk => inner(|_, inside| hunk_starts(inside)),
    }
}

/// Where changes begin that lie in another function, or whatever stands by itself in the text, than the ones
/// before. A hunk that reaches into several stays whole.
fn function_starts(change: &FileChange, inside: &Subject) -> Vec<u32> {
    let text = inside.original();
    let tree = Language::guess(&change.path, text).parse(text);
    let root = (!tree.nodes().is_empty()).then_some(0);
    let items: Vec<usize> = root
        .into_iter()
        .flat_map(|root| tree.children(root))
        .map(|item| tree.span(item).end)
        .collect();
    let item = |delta: &u32| {
        let at = inside.delta(*delta).new.start as usize;
        items.partition_point(|&end| end <= at)
    };
    let hunks = hunk_starts(inside);
    let mut last = None;
    hunks.into_iter().filter(|start| last.replace(item(start)) != Some(item(start))).collect()
}

/// Where changes begin that do not follow directly on another one.
fn hunk_starts(inside: &Subject) -> Vec<u32> {
    let follows = |delta: &u32| {
        let near = |last: &Delta, next: &Delta| {
            last.old.end == next.old.start && last.new.end == next.new.start
        };
        *delta > 0 && near(&inside.delta(delta - 1), &inside.delta(*delta))
    };
    // From nothing, every piece follows on the one before in the original.
    if inside.baseline().is_empty() {
        return vec![0];
    }
    (0..inside.deltas()).filter(|delta| !follows(delta)).collect()
}
