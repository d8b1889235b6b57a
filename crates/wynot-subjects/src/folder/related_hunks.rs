//! The hunks of a difference that have words in common with a text, such as a test and what it prints.

use crate::folder::diff::FolderSubject;
use crate::folder::file_lists::is_prose;
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use wynot_core::Configuration;

/// Words with fewer letters say little.
const MIN_WORD_BYTES: usize = 3;

/// What keeps the fraction of a score.
const SCORE_UNIT: u32 = 1000;

/// Four times the binary logarithm of a number, rounded down. Floating-point logarithms differ between systems, and the order
/// of hunks must not.
fn quarter_bits(number: usize) -> u32 {
    (number as u128).min(u128::from(u32::MAX)).max(1).pow(4).ilog2()
}

/// A hunk, and what it has in common with a text.
struct ComparedHunk<'t> {
    deltas: Configuration,
    /// The words of the text that its lines or its path contain.
    common: Vec<&'t str>,
    /// The number of different words in its lines and its path.
    words: usize,
}

/// The hunks that have words in common with a text, at most so many, those first that have most in common. A word counts by
/// the number of hunks in which it does not occur, and the words of a path count for all hunks of the file.
pub fn related_hunks(subject: &FolderSubject, text: &[u8], max_hunks: usize) -> Vec<Configuration> {
    let wanted: BTreeSet<String> = words(text).collect();
    let hunks = compared_hunks(subject, &wanted);
    let mut occurrences: HashMap<&str, usize> = HashMap::new();
    for word in hunks.iter().flat_map(|hunk| &hunk.common) {
        *occurrences.entry(word).or_default() += 1;
    }
    let score = |hunk: &ComparedHunk<'_>| -> u32 {
        let weight = |word: &&str| quarter_bits(hunks.len()) - quarter_bits(occurrences[word]);
        let common: u32 = hunk.common.iter().map(weight).sum();
        // A long hunk has some words in common with everything.
        common * SCORE_UNIT / quarter_bits(hunk.words + 2)
    };
    let mut scored: Vec<(Reverse<u32>, usize)> =
        hunks.iter().enumerate().map(|(index, hunk)| (Reverse(score(hunk)), index)).collect();
    scored.retain(|(score, _)| score.0 > 0);
    scored.sort_unstable();
    scored.iter().take(max_hunks).map(|(_, index)| hunks[*index].deltas.clone()).collect()
}

/// The hunks of a subject, compared with the words of a text.
fn compared_hunks<'t>(
    subject: &FolderSubject,
    wanted: &'t BTreeSet<String>,
) -> Vec<ComparedHunk<'t>> {
    let level = subject.level_names().iter().position(|name| *name == "hunk");
    let levels = subject.levels();
    let grouping = &levels[level.unwrap_or(levels.len() - 1)];
    let mut hunks = Vec::new();
    for (file, selected) in subject.changes_of(&Configuration::full(subject.deltas())) {
        if is_prose(&file.path) {
            continue;
        }
        let of_path: BTreeSet<String> = words(file.path.as_os_str().as_encoded_bytes()).collect();
        let mut rest: Configuration = selected.iter().map(|delta| file.first + delta).collect();
        while let Some(first) = rest.iter().next() {
            let deltas = grouping.around(&Configuration::from([first]));
            let mut found = of_path.clone();
            for delta in deltas.iter() {
                let changed = file.changed_bytes(delta - file.first);
                changed.into_iter().for_each(|text| found.extend(words(text)));
            }
            rest = rest.difference(&deltas);
            let common =
                wanted.iter().map(String::as_str).filter(|word| found.contains(*word)).collect();
            hunks.push(ComparedHunk { deltas, common, words: found.len() });
        }
    }
    hunks
}

/// The words of a text in lower case; the parts of names such as `read_text` and `readText` are words.
fn words(text: &[u8]) -> impl Iterator<Item = String> + '_ {
    let is_letter = |byte: &u8| byte.is_ascii_alphabetic();
    let begins = |[before, here]: [u8; 2]| before.is_ascii_lowercase() && here.is_ascii_uppercase();
    let runs = text.chunk_by(move |a, b| is_letter(a) && is_letter(b) && !begins([*a, *b]));
    runs.filter(move |run| run.len() >= MIN_WORD_BYTES && run.iter().all(is_letter))
        .map(|run| String::from_utf8_lossy(run).to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folder::folder_of_texts;

    #[test]
    fn rare_words_of_lines_and_paths_count_most() {
        let old = [("a.py", "x\nkept\ny\n"), ("redshift.py", "u\n"), ("b.py", "z\n")];
        let new = [
            ("a.py", "parseText\nkept\nselect_all\n"),
            ("redshift.py", "lockingReads = 0\n"),
            ("b.py", "select = 2\n"),
        ];
        let units = "line".parse().unwrap();
        let subject =
            FolderSubject::between(&folder_of_texts(&old), folder_of_texts(&new), Some(&units))
                .unwrap();
        let related = |text: &str, max| -> Vec<u32> {
            let hunks = related_hunks(&subject, text.as_bytes(), max);
            hunks.iter().flat_map(|hunk| hunk.iter().collect::<Vec<_>>()).collect()
        };
        assert_eq!(related("to('select a', write='redshift')", 9), [3, 2, 1]);
        assert_eq!(related("to('select a', write='redshift')", 1), [3]);
        assert_eq!(related("parse locking", 9), [0, 3], "shorter hunks first");
        assert!(related("nothing of that", 9).is_empty());
    }
}
