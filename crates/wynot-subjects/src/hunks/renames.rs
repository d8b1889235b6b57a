//! Files that have another path in another version.

use crate::folder::Folder;
use crate::folder::entry::{FileContents, FolderEntry};
use crate::hunks::hunk::{Hunk, HunkChange};
use crate::hunks::line_index::{LineIndex, Similarity};
use crate::hunks::line_table::comparable_text;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// A file that is missing on the other side.
type MissingFile<'a> = (&'a Arc<Path>, &'a FolderEntry);

/// The renames from one folder to another. A file that the new folder lacks is renamed to a file that the old one lacks if
/// they have the same bytes, or at least half of their lines in common, compared without white space. Empty files are not
/// renamed. The renames are in the order of the old paths.
pub fn renames_between(old: &Folder, new: &Folder) -> Vec<Hunk> {
    let rename = |(from, to)| Hunk::new(from, HunkChange::Rename { to });
    renamed_files(old, new).into_iter().map(rename).collect()
}

/// The files that have another path in the new folder, by their old and new paths. The most similar pairs come first, among
/// equally similar ones those with the same file name; no file is in two pairs.
pub(crate) fn renamed_files(old: &Folder, new: &Folder) -> Vec<(Arc<Path>, Arc<Path>)> {
    let (gone, added) = (missing_files(old, new), missing_files(new, old));
    let mut pairs = same_bytes(&gone, &added);
    let renamed: BTreeSet<&Arc<Path>> = pairs.iter().map(|(from, _)| *from).collect();
    let index = LineIndex::new(added.iter().copied());
    let mut similar: Vec<(Similarity, &Arc<Path>, &Arc<Path>)> = Vec::new();
    for (from, entry) in gone.into_iter().filter(|(from, _)| !renamed.contains(from)) {
        if let Some(text) = comparable_text(entry) {
            let files = index.similar_files(from, text).into_iter();
            similar.extend(files.map(|(file, similarity)| (similarity, from, index.file(file).0)));
        }
    }
    similar.sort_by_key(|&(similarity, from, to)| (Reverse(similarity), from, to));
    pairs.extend(similar.into_iter().map(|(_, from, to)| (from, to)));
    one_to_one(pairs)
}

/// The pairs of files with the same bytes: first those with the same file name, then the others in order.
fn same_bytes<'a>(
    gone: &[MissingFile<'a>],
    added: &[MissingFile<'a>],
) -> Vec<(&'a Arc<Path>, &'a Arc<Path>)> {
    let mut pairs = Vec::new();
    let mut gone = gone.to_vec();
    let mut taken: BTreeSet<&Arc<Path>> = BTreeSet::new();
    for by_name in [true, false] {
        let key = |(path, entry): &MissingFile<'a>| {
            let name = path.file_name().filter(|_| by_name);
            contents_of(entry).map(|contents| (*contents.digest(), name))
        };
        let mut free: BTreeMap<_, Vec<&Arc<Path>>> = BTreeMap::new();
        for file in added.iter().rev().filter(|(path, _)| !taken.contains(path)) {
            free.entry(key(file)).or_default().push(file.0);
        }
        gone.retain(|file| match free.get_mut(&key(file)).and_then(Vec::pop) {
            Some(to) => {
                taken.insert(to);
                pairs.push((file.0, to));
                false
            }
            None => true,
        });
    }
    pairs
}

/// The first pairs in which neither path occurs before.
fn one_to_one(pairs: Vec<(&Arc<Path>, &Arc<Path>)>) -> Vec<(Arc<Path>, Arc<Path>)> {
    let mut renames: BTreeMap<&Arc<Path>, &Arc<Path>> = BTreeMap::new();
    let mut taken = BTreeSet::new();
    for (from, to) in pairs {
        if !renames.contains_key(from) && taken.insert(to) {
            renames.insert(from, to);
        }
    }
    renames.into_iter().map(|(from, to)| (Arc::clone(from), Arc::clone(to))).collect()
}

/// The files of a folder at whose paths another one has nothing.
fn missing_files<'a>(folder: &'a Folder, other: &Folder) -> Vec<MissingFile<'a>> {
    let files = folder.entries().filter(|(_, entry)| contents_of(entry).is_some());
    files.filter(|(path, _)| other.get(path).is_none()).collect()
}

/// The contents of a file that is not empty.
fn contents_of(entry: &FolderEntry) -> Option<&FileContents> {
    match entry {
        FolderEntry::File { contents, .. } => {
            Some(contents.as_ref()).filter(|contents| !contents.bytes().is_empty())
        }
        _ => None,
    }
}
