//! The files of a target whose lines change.

use crate::folder::Folder;
use crate::folder::entry::{FileContents, FolderEntry};
use crate::hunks::hunk::{HunkFate, HunkPlace};
use crate::hunks::line_index::LineIndex;
use crate::hunks::line_merge::{FileMerge, TargetEdits};
use crate::hunks::line_table::{LineTable, comparable_text};
use crate::hunks::moved_code::{MovedHunk, place_moved};
use crate::hunks::token_merge::place_tokens;
use std::cell::OnceCell;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A path of the base, and the base. Hunks of one file share the base, so that its address identifies it.
type BaseKey = (Arc<Path>, *const FileContents);

/// The files of a folder, and how their lines change.
pub(super) struct MergedFiles<'a> {
    folder: &'a Folder,
    /// The new paths of renamed files.
    renamed: BTreeMap<Arc<Path>, Arc<Path>>,
    /// The version that the hunks were made for, if it is known.
    origin: Option<&'a Folder>,
    index: OnceCell<LineIndex<'a>>,
    origin_index: OnceCell<LineIndex<'a>>,
    /// The file of the target for each base, and what corresponds in them.
    merges: BTreeMap<BaseKey, Option<(Arc<Path>, FileMerge<'a>)>>,
    edits: BTreeMap<Arc<Path>, FileEdits>,
}

impl<'a> MergedFiles<'a> {
    /// A folder in which files have been renamed, without changes. If the version that the hunks were made for
    /// is known, files and code that it has beside those of the hunks are not taken for them.
    pub(super) fn new(
        folder: &'a Folder,
        renamed: BTreeMap<Arc<Path>, Arc<Path>>,
        origin: Option<&'a Folder>,
    ) -> Self {
        Self {
            folder,
            renamed,
            origin,
            index: OnceCell::new(),
            origin_index: OnceCell::new(),
            merges: BTreeMap::new(),
            edits: BTreeMap::new(),
        }
    }

    fn index(&self) -> &LineIndex<'a> {
        self.index.get_or_init(|| LineIndex::of_folder(self.folder))
    }

    fn origin_index(&self) -> Option<&LineIndex<'a>> {
        let origin = self.origin?;
        Some(self.origin_index.get_or_init(|| LineIndex::of_folder(origin)))
    }

    /// Replaces lines of a file where the target has a place for them.
    pub(super) fn apply(
        &mut self,
        path: &Arc<Path>,
        base: &'a Arc<FileContents>,
        old: &Range<usize>,
        new: &[u8],
    ) -> HunkFate {
        let key = (Arc::clone(path), Arc::as_ptr(base));
        if !self.merges.contains_key(&key) {
            let merge = self
                .find_file(path, base)
                .map(|(found, contents)| (found, FileMerge::of_files(base.bytes(), contents)));
            self.merges.insert(key.clone(), merge);
        }
        let merge = self.merges.get(&key).and_then(Option::as_ref);
        let placed = merge.and_then(|(found, merge)| {
            let by_lines = || Some((merge.place_lines(old, new)?, HunkPlace::Exact));
            let by_tokens = || Some((place_tokens(merge, old, new)?, HunkPlace::Tokens));
            by_lines().or_else(by_tokens).map(|(edits, place)| (Arc::clone(found), edits, place))
        });
        let placed = placed.or_else(|| {
            let lines = LineTable::new(base.bytes());
            let hunk = MovedHunk { path, base: &lines, old, new };
            let (found, edits) = place_moved(&hunk, self.index(), || self.origin_index())?;
            Some((Arc::clone(found), edits, HunkPlace::Moved))
        });
        match placed {
            None => HunkFate::Conflict,
            Some((_, edits, _)) if edits.is_empty() => HunkFate::Present,
            Some((found, edits, place)) => match self.edits.entry(found).or_default().add(edits) {
                true => HunkFate::Applied(place),
                false => HunkFate::Conflict,
            },
        }
    }

    /// The file of the target for a base: at the same path, at the new path of a renamed file, or the most
    /// similar one.
    fn find_file(&self, path: &Arc<Path>, base: &FileContents) -> Option<(Arc<Path>, &'a [u8])> {
        let known = [Some(path), self.renamed.get(path)].into_iter().flatten();
        let text = |path: &Arc<Path>| {
            self.folder.get(path).and_then(comparable_text).map(|text| (Arc::clone(path), text))
        };
        known.into_iter().find_map(text).or_else(|| {
            let similar = self.index().similar_files(path, base.bytes()).into_iter();
            let is_other = |file: u32| {
                let found = self.index().file(file).0;
                self.origin.is_some_and(|origin| origin.get(found).is_some())
            };
            let renamed = similar.filter(|&(file, _)| !is_other(file));
            let best = renamed.max_by_key(|&(file, similarity)| (similarity, Reverse(file)));
            best.and_then(|(file, _)| text(self.index().file(file).0))
        })
    }

    /// The changed files with their new contents.
    pub(super) fn finish(self) -> Vec<(Arc<Path>, Vec<u8>)> {
        let contents = |path: &Path| match self.folder.get(path) {
            Some(FolderEntry::File { contents, .. }) => contents.bytes(),
            _ => &[],
        };
        let edited = self.edits.into_iter().filter(|(_, edits)| !edits.edits.is_empty());
        edited.map(|(path, edits)| (Arc::clone(&path), edits.compose(contents(&path)))).collect()
    }
}

/// The edits of one file of the target, which do not overlap.
#[derive(Default)]
struct FileEdits {
    /// The texts by start, end and number of the edit: what is inserted comes before what is replaced there.
    edits: BTreeMap<(usize, usize, usize), Vec<u8>>,
}

impl FileEdits {
    /// Adds all edits of a hunk, or none if one of them overlaps with another one.
    fn add(&mut self, edits: TargetEdits) -> bool {
        let mut added = Vec::new();
        for edit in edits {
            let Range { start, end } = edit.range;
            let before = match start == end {
                true => self.edits.range(..(start, 0, 0)).next_back(),
                false => self.edits.range(..(end, 0, 0)).next_back(),
            };
            if before.is_some_and(|((_, other_end, _), _)| *other_end > start) {
                for key in added {
                    self.edits.remove(&key);
                }
                return false;
            }
            let key = (start, end, self.edits.len());
            self.edits.insert(key, edit.text);
            added.push(key);
        }
        true
    }

    /// The text with all edits.
    fn compose(&self, text: &[u8]) -> Vec<u8> {
        let mut composed = Vec::with_capacity(text.len());
        let mut copied = 0;
        for ((start, end, _), new) in &self.edits {
            composed.extend_from_slice(&text[copied..*start]);
            composed.extend_from_slice(new);
            copied = *end;
        }
        composed.extend_from_slice(&text[copied..]);
        composed
    }
}
