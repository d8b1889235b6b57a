//! The orders in which the files of a folder are tried.

use crate::folder::draft::{SharedPath, has_contents};
use std::cmp::Reverse;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use wynot_core::Grouping;
use wynot_subjects::{Folder, FolderEntry, Language};

/// The texts of all files that are not empty, the largest first, with their languages.
pub fn texts_by_size(folder: &Folder) -> Vec<(SharedPath, Vec<u8>, &'static Language)> {
    let mut texts: Vec<_> = folder
        .entries()
        .filter_map(|(path, entry)| match entry {
            FolderEntry::File { contents, .. } if has_contents(entry) => {
                let language = Language::guess(path, contents.bytes());
                Some((path.clone(), contents.bytes().to_vec(), language))
            }
            _ => None,
        })
        .collect();
    // The sort is stable, so texts of one size stay in the order of their paths.
    texts.sort_by_key(|(_, text, _)| Reverse(text.len()));
    texts
}

/// The paths of all leaves, by directory and then by extension, so that files that can go together stand
/// together.
pub fn leaves_by_extension(folder: &Folder) -> Vec<SharedPath> {
    let mut paths: Vec<SharedPath> = folder.leaves().map(|(path, _)| path.clone()).collect();
    paths.sort_by_cached_key(|path| {
        let owned = |part: Option<&OsStr>| part.map(OsStr::to_owned);
        (path.parent().map(Path::to_owned), owned(path.extension()), owned(path.file_name()))
    });
    paths
}

/// The leaves in groups: by the first component of their paths, by the first two, and so on.
pub fn levels_of_directories(folder: &Folder) -> Vec<Grouping> {
    let paths: Vec<&SharedPath> = folder.leaves().map(|(path, _)| path).collect();
    let deepest = paths.iter().map(|path| path.components().count()).max().unwrap_or(0);
    let mut levels: Vec<Grouping> = Vec::new();
    for depth in 1..=deepest {
        let prefix = |at: usize| paths[at].components().take(depth).collect::<PathBuf>();
        let begins_group = |at: &usize| *at == 0 || prefix(*at) != prefix(*at - 1);
        let starts = (0..paths.len()).filter(begins_group).map(|at| at as u32).collect();
        let grouping = Grouping::new(starts, paths.len() as u32);
        // Components that split no group further make no level.
        let is_finer = levels.last().map_or(1, Grouping::len) < grouping.len();
        if is_finer {
            levels.push(grouping);
        }
    }
    levels
}
