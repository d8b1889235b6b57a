//! Files by what they are to a build: those that list others, and those that hold no code.

use crate::folder::change::FileChange;
use crate::folder::diff::FolderSubject;
use std::path::Path;
use wynot_core::{Configuration, Dependencies};

/// The extensions of files that hold text or data.
const PROSE_EXTENSIONS: [&str; 24] = [
    "md", "rst", "txt", "adoc", "tex", "po", "pot", "html", "htm", "css", "svg", "xml", "json",
    "yml", "yaml", "csv", "tsv", "log", "man", "texi", "out", "expect", "snap", "lock",
];

/// The number of new files whose lists are looked for.
const MAX_NEW_FILES: usize = 500;

/// Adds that a new file needs the lines that list it for the build: those in files of other kinds that name it.
pub(crate) fn add_file_lists(subject: &FolderSubject, dependencies: &mut Dependencies) {
    let all = Configuration::full(subject.deltas());
    let files: Vec<&FileChange> = subject.changes_of(&all).map(|(file, _)| file).collect();
    let is_new = |file: &&&FileChange| file.old.is_none() && file.text.is_some();
    for file in files.iter().filter(is_new).take(MAX_NEW_FILES) {
        let Some(names) = listed_names(&file.path) else { continue };
        let lists: Vec<u32> = files
            .iter()
            .filter(|other| other.path.extension() != file.path.extension())
            .flat_map(|other| lines_naming(other, &names))
            .collect();
        if !lists.is_empty() {
            dependencies.add(file.first..file.first + file.deltas(), lists);
        }
    }
}

/// Whether a file holds text or data, whose words are not the names of a program.
pub(crate) fn is_prose(path: &Path) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) => PROSE_EXTENSIONS.contains(&extension),
        // README, AUTHORS, NEWS; but not Makefile.
        None => {
            let name = path.file_name().unwrap_or_default().as_encoded_bytes();
            !name.iter().any(u8::is_ascii_lowercase)
        }
    }
}

/// The names by which the list of a build may have a file: with its extension, and as an object file.
fn listed_names(path: &Path) -> Option<[Vec<u8>; 2]> {
    let name = path.file_name()?.to_str()?;
    let object = format!("{}.o", path.file_stem()?.to_str()?);
    Some([name.as_bytes().to_vec(), object.into_bytes()])
}

/// The deltas of a file that add a line with one of some names, unless they import it.
fn lines_naming(file: &FileChange, names: &[Vec<u8>; 2]) -> Vec<u32> {
    let Some(text) = &file.text else { return Vec::new() };
    let names_one = |index: &u32| {
        let new = text.delta(*index).new;
        let line = text.original()[new.start as usize..new.end as usize].trim_ascii_start();
        let is_import = [&b"#include"[..], b"import", b"from", b"use ", b"require"]
            .iter()
            .any(|word| line.starts_with(word));
        let contains = |name: &Vec<u8>| line.windows(name.len()).any(|part| part == *name);
        !is_import && names.iter().any(contains)
    };
    (0..text.deltas()).filter(names_one).map(|index| file.first + index).collect()
}
