//! Files that were moved together, and the changes that name them by their paths.
//!
//! Where `lib/js/load.js` has become `lib/load.js` and `lib/js/type/int.js` has become `lib/type/int.js`, the directory
//! `lib/js` was moved to `lib`. It is moved as a whole or not at all: files that were moved together refer to each other.
//! A change with `js/load` in the old text, or `lib/load` in the new one, goes with that.

use crate::folder::change::FileChange;
use crate::folder::definition::identifiers;
use crate::folder::diff::FolderSubject;
use crate::folder::entry::FolderEntry;
use crate::folder::file_lists::is_prose;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::path::Path;
use wynot_core::{Configuration, Dependencies};

/// The number of changes that name files of one directory, up to which they go with its move.
const MAX_NAMING: usize = 200;

/// What stands between two words of a path, or of the name of a module.
const SEPARATORS: [&[u8]; 4] = [b"/", b".", b"::", b"\\"];

/// Two words of a path that follow each other.
type WordPair<'a> = (&'a [u8], &'a [u8]);

/// The directory in both versions, or the file if its name has changed.
type Move<'a> = [Vec<&'a OsStr>; 2];

/// The renames of each move, and the pair of words by which changes name its files in each version.
#[derive(Default)]
struct MovedFiles<'a> {
    renames: Vec<u32>,
    pairs: [Vec<WordPair<'a>>; 2],
}

/// Adds that files which were moved together are moved as a whole.
pub(crate) fn tie_moved_files(subject: &FolderSubject, dependencies: &mut Dependencies) {
    let all = Configuration::full(subject.deltas());
    let files: Vec<&FileChange> = subject.changes_of(&all).map(|(file, _)| file).collect();
    for moved in moves(&files).into_values() {
        dependencies.tie(moved.renames);
    }
}

/// Adds that moves go with the changes that name the moved files by their paths.
pub(crate) fn add_path_names(subject: &FolderSubject, dependencies: &mut Dependencies) {
    let all = Configuration::full(subject.deltas());
    let files: Vec<&FileChange> = subject.changes_of(&all).map(|(file, _)| file).collect();
    let moves: Vec<MovedFiles<'_>> = moves(&files).into_values().collect();
    let mut by_pair: [HashMap<WordPair<'_>, usize>; 2] = Default::default();
    for (number, moved) in moves.iter().enumerate() {
        for (side, pairs) in moved.pairs.iter().enumerate() {
            by_pair[side].extend(pairs.iter().map(|pair| (*pair, number)));
        }
    }
    if moves.is_empty() {
        return;
    }
    let mut naming = vec![Vec::new(); moves.len()];
    for file in files.iter().filter(|file| !is_prose(&file.path)) {
        for (delta, side, text) in changed_texts(file) {
            for move_number in word_pairs(text).filter_map(|pair| by_pair[side].get(&pair)) {
                if naming[*move_number].last() != Some(&delta) {
                    naming[*move_number].push(delta);
                }
            }
        }
    }
    for (moved, naming) in moves.iter().zip(naming) {
        if naming.len() <= MAX_NAMING {
            dependencies.tie(moved.renames.iter().take(1).copied().chain(naming));
        }
    }
}

/// The moves of directories and files, with their renames.
fn moves<'a>(files: &[&'a FileChange]) -> BTreeMap<Move<'a>, MovedFiles<'a>> {
    let mut moves: BTreeMap<Move<'a>, MovedFiles<'a>> = BTreeMap::new();
    for file in files {
        let (Some(from), Some(rename)) = (&file.renamed_from, file.rename()) else { continue };
        let [old, new] = [from, &file.path].map(|path| path.iter().collect::<Vec<&OsStr>>());
        let same = old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count();
        let split = [old.split_at(old.len() - same), new.split_at(new.len() - same)];
        let moved = moves.entry(split.map(|(directory, _)| directory.to_vec())).or_default();
        moved.renames.push(file.first + rename);
        for (side, (directory, rest)) in split.into_iter().enumerate() {
            if let (Some(before), Some(after)) = (directory.last(), rest.first())
                && let (Some(before), Some(after)) = (last_word(before), first_word(after))
            {
                moved.pairs[side].push((before, after));
            }
        }
    }
    moves
}

fn last_word(name: &OsStr) -> Option<&[u8]> {
    let name = name.as_encoded_bytes();
    identifiers(name).last().map(|word| &name[word])
}

fn first_word(name: &OsStr) -> Option<&[u8]> {
    let name = Path::new(name).file_stem()?.as_encoded_bytes();
    identifiers(name).next().map(|word| &name[word])
}

/// The texts that the deltas of a change remove (side 0) and add (side 1).
fn changed_texts(file: &FileChange) -> Vec<(u32, usize, &[u8])> {
    let Some(text) = &file.text else {
        let sides = [&file.old, &file.new].into_iter().enumerate();
        let is_rename = file.renamed_from.is_some();
        let texts = sides.filter(|_| !is_rename).filter_map(|(side, entry)| {
            entry.as_ref().and_then(FolderEntry::text).map(|text| (file.first, side, text))
        });
        return texts.collect();
    };
    let texts = (0..text.deltas()).flat_map(|index| {
        let (delta, number) = (text.delta(index), file.first + index);
        let old = &text.baseline()[delta.old.start as usize..delta.old.end as usize];
        let new = &text.original()[delta.new.start as usize..delta.new.end as usize];
        [(number, 0, old), (number, 1, new)]
    });
    texts.collect()
}

/// The words of a text that follow each other with a separator between them.
fn word_pairs(text: &[u8]) -> impl Iterator<Item = WordPair<'_>> {
    let mut last = None;
    identifiers(text).filter_map(move |word| {
        let before = last.replace(word.clone())?;
        let is_path = SEPARATORS.contains(&&text[before.end..word.start]);
        is_path.then_some((&text[before], &text[word]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder_of_texts;

    fn subject(old: &[(&str, &str)], new: &[(&str, &str)]) -> FolderSubject {
        let units = "line".parse().unwrap();
        FolderSubject::between(&folder_of_texts(old), folder_of_texts(new), Some(&units)).unwrap()
    }

    #[test]
    fn a_directory_is_moved_as_a_whole_with_the_lines_that_name_its_files() {
        let (load, int) = ("load = 1;\nfirst;\nsecond;\n", "int = 2;\nthird;\nfourth;\n");
        let old = [
            ("index.js", "x = require('./lib/js/load');\ny = 1;\n"),
            ("lib/js/load.js", load),
            ("lib/js/type/int.js", int),
        ];
        let new = [
            ("index.js", "x = require('./lib/load');\ny = 2;\n"),
            ("lib/load.js", "load = 2;\nfirst;\nsecond;\n"),
            ("lib/type/int.js", int),
        ];
        let subject = subject(&old, &new);
        // Two lines of index.js, a line and the rename of load.js, the rename of int.js.
        assert_eq!(subject.deltas(), 5);
        let mut dependencies = Dependencies::new(5);
        tie_moved_files(&subject, &mut dependencies);
        let all = Configuration::full(5);
        let with = |dependencies: &Dependencies, delta: u32| {
            dependencies.with_needs(&Configuration::from([delta]), &all)
        };
        assert_eq!(with(&dependencies, 4), Configuration::from([3, 4]));
        assert_eq!(with(&dependencies, 2), Configuration::from([2]));
        add_path_names(&subject, &mut dependencies);
        let moved = Configuration::from([0, 3, 4]);
        assert_eq!(with(&dependencies, 3), moved);
        assert_eq!(with(&dependencies, 0), moved);
        let composed = subject.compose(&moved);
        assert_eq!(composed.get(Path::new("lib/load.js")).unwrap().text(), Some(load.as_bytes()));
        assert!(composed.get(Path::new("lib/js")).is_none());
    }

    #[test]
    fn modules_are_named_with_dots_and_colons() {
        let pairs: Vec<WordPair<'_>> = word_pairs(b"use a::b; import c.d, './e/f'; g h").collect();
        let expected: [[&str; 2]; 3] = [["a", "b"], ["c", "d"], ["e", "f"]];
        assert_eq!(pairs, expected.map(|[a, b]| (a.as_bytes(), b.as_bytes())));
    }
}
