//! Which files contain a line: for finding similar files and code that has moved.
//!
//! Lines are compared without white space. Lines that occur very often identify nothing; they are not looked
//! up, so that a search takes about as long as reading the files once.

use crate::folder::Folder;
use crate::folder::entry::{FileContents, FolderEntry};
use crate::hunks::line_table::{LineTable, comparable_text, is_distinct, loose_hash};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

/// Lines that occur more often than this are not looked up.
const MAX_OCCURRENCES: usize = 64;

/// The files with the most lines in common are compared as a whole; the others are not similar.
const MAX_COMPARED_FILES: usize = 8;

/// The lines of the text files of a folder.
pub(super) struct LineIndex<'a> {
    files: Vec<(&'a Arc<Path>, &'a FileContents)>,
    /// The hash, the file and the number of each distinct line, sorted.
    lines: Vec<(u64, u32, u32)>,
}

impl<'a> LineIndex<'a> {
    /// The index of all files of a folder.
    pub(super) fn of_folder(folder: &'a Folder) -> Self {
        Self::new(folder.entries())
    }

    /// The index of some files.
    pub(super) fn new(entries: impl Iterator<Item = (&'a Arc<Path>, &'a FolderEntry)>) -> Self {
        let (mut files, mut lines) = (Vec::new(), Vec::new());
        for (path, entry) in entries {
            if let (FolderEntry::File { contents, .. }, Some(text)) =
                (entry, comparable_text(entry))
            {
                let file = files.len() as u32;
                let table = LineTable::new(text);
                let distinct = (0u32..).zip(table.lines()).filter(|(_, line)| is_distinct(line));
                lines.extend(distinct.map(|(number, line)| (loose_hash(line), file, number)));
                files.push((path, contents.as_ref()));
            }
        }
        lines.sort_unstable();
        Self { files, lines }
    }

    /// The path and the contents of a file.
    pub(super) fn file(&self, file: u32) -> (&'a Arc<Path>, &'a FileContents) {
        self.files[file as usize]
    }

    /// The files and line numbers at which a line occurs; none if it occurs very often.
    pub(super) fn occurrences(&self, hash: u64) -> &[(u64, u32, u32)] {
        let start = self.lines.partition_point(|line| line.0 < hash);
        let rest = &self.lines[start..];
        let few = &rest[..rest.len().min(MAX_OCCURRENCES + 1)];
        let count = few.partition_point(|line| line.0 == hash);
        if count > MAX_OCCURRENCES { &[] } else { &few[..count] }
    }

    /// The files of which at least half is the same as a text, each with its similarity.
    pub(super) fn similar_files(&self, path: &Path, text: &[u8]) -> Vec<(u32, Similarity)> {
        let mut hashes: Vec<u64> =
            LineTable::new(text).lines().filter(|line| is_distinct(line)).map(loose_hash).collect();
        hashes.sort_unstable();
        hashes.dedup();
        let mut common: BTreeMap<u32, u32> = BTreeMap::new();
        for &hash in &hashes {
            let mut files: Vec<u32> = self.occurrences(hash).iter().map(|line| line.1).collect();
            files.dedup();
            for file in files {
                *common.entry(file).or_default() += 1;
            }
        }
        let mut candidates: Vec<(u32, u32)> = common.into_iter().collect();
        candidates.sort_by_key(|&(file, common)| (Reverse(common), file));
        candidates.truncate(MAX_COMPARED_FILES);
        let mut candidates: Vec<u32> = candidates.into_iter().map(|(file, _)| file).collect();
        let same_name = (0u32..)
            .zip(&self.files)
            .filter(|(_, (other, _))| other.file_name() == path.file_name());
        candidates.extend(same_name.map(|(file, _)| file).take(MAX_COMPARED_FILES));
        candidates.sort_unstable();
        candidates.dedup();
        let lines = sorted_hashes(text);
        let similar = candidates.into_iter().filter_map(|file| {
            let (other, contents) = self.file(file);
            let similarity = Similarity::between(&lines, contents.bytes())?;
            Some((
                file,
                Similarity { same_name: other.file_name() == path.file_name(), ..similarity },
            ))
        });
        similar.collect()
    }
}

/// How similar two files are; the greater, the more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Similarity {
    /// The common lines for a thousand lines of the longer file.
    permille: u32,
    /// Whether the names of the files without their directories are the same.
    same_name: bool,
}

impl Similarity {
    /// The similarity of two texts, the first one as the hashes of its lines; `None` below one half.
    fn between(lines: &[u64], other: &[u8]) -> Option<Self> {
        let others = sorted_hashes(other);
        let (mut a, mut b, mut common) = (lines, others.as_slice(), 0usize);
        while let ([first, rest @ ..], [second, others @ ..]) = (a, b) {
            match first.cmp(second) {
                std::cmp::Ordering::Less => a = rest,
                std::cmp::Ordering::Greater => b = others,
                std::cmp::Ordering::Equal => (a, b, common) = (rest, others, common + 1),
            }
        }
        let longer = lines.len().max(others.len());
        (common > 0 && common * 2 >= longer)
            .then(|| Self { permille: (common * 1000 / longer) as u32, same_name: false })
    }
}

/// The hashes of the lines that are not blank, sorted.
fn sorted_hashes(text: &[u8]) -> Vec<u64> {
    let table = LineTable::new(text);
    let lines = table.lines().filter(|line| !line.trim_ascii().is_empty());
    let mut hashes: Vec<u64> = lines.map(loose_hash).collect();
    hashes.sort_unstable();
    hashes
}
