//! The places at which two sides differ, with the lines around them.

use std::ops::Range;
use wynot_session::{DifferenceRecord, TextStretch};
use wynot_subjects::{Folder, FolderEntry, TextDelta, TextSubject, Variant};

/// The number of lines around a difference.
const LINES_AROUND: usize = 3;

/// The number of places that are kept.
const MAX_PLACES: usize = 20;

/// The number of bytes of a place that are kept of each side.
const MAX_STRETCH_BYTES: usize = 4_000;

/// The number of bytes that are kept before the first difference of a place that is longer.
const BYTES_BEFORE: usize = 200;

/// The places at which a passing and a failing variant differ; none if these are no texts.
pub(super) fn differences(passing: &Variant, failing: &Variant) -> Vec<DifferenceRecord> {
    let mut places = match (passing, failing) {
        (Variant::Bytes(passing), Variant::Bytes(failing)) => in_texts(None, passing, failing),
        (Variant::Folder(passing), Variant::Folder(failing)) => in_folders(passing, failing),
        _ => Vec::new(),
    };
    places.truncate(MAX_PLACES);
    places
}

/// The places in files that differ. A file that only one side has is compared with an empty one.
fn in_folders(passing: &Folder, failing: &Folder) -> Vec<DifferenceRecord> {
    let text = |entry: Option<&FolderEntry>| -> Option<Vec<u8>> {
        entry.map_or(Some(Vec::new()), |entry| entry.text().map(<[u8]>::to_vec))
    };
    let in_failing = failing.leaves().map(|(path, entry)| (path, passing.get(path), Some(entry)));
    let only_passing = passing.leaves().filter(|(path, _)| failing.get(path).is_none());
    let only_passing = only_passing.map(|(path, entry)| (path, Some(entry), None));
    in_failing
        .chain(only_passing)
        .filter(|(_, old, new)| old != new)
        .filter_map(|(path, old, new)| {
            Some(in_texts(Some(path.display().to_string()), &text(old)?, &text(new)?))
        })
        .flatten()
        .collect()
}

/// The places at which two texts differ.
fn in_texts(file: Option<String>, passing: &[u8], failing: &[u8]) -> Vec<DifferenceRecord> {
    let Ok(units) = "line".parse() else { return Vec::new() };
    let Ok(compared) = TextSubject::between(passing, failing, &units) else { return Vec::new() };
    let mut places: Vec<TextDelta> = Vec::new();
    for TextDelta { old, new } in (0..compared.deltas()).map(|delta| compared.delta(delta)) {
        let old = with_lines_around(passing, old);
        let new = with_lines_around(failing, new);
        match places.last_mut() {
            Some(last) if old.start <= last.old.end || new.start <= last.new.end => {
                last.old.end = old.end.max(last.old.end);
                last.new.end = new.end.max(last.new.end);
            }
            _ => places.push(TextDelta { old, new }),
        }
    }
    let place = |TextDelta { old, new }: TextDelta| {
        let (old, new) = cropped(passing, old, failing, new);
        DifferenceRecord {
            file: file.clone(),
            passing: stretch(passing, old),
            failing: stretch(failing, new),
        }
    };
    places.into_iter().map(place).collect()
}

/// A range, extended by some lines before and after it.
fn with_lines_around(text: &[u8], range: Range<u32>) -> Range<u32> {
    let (start, end) = (range.start as usize, range.end as usize);
    let ends_before = text[..start].iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n');
    let start = ends_before.map(|(at, _)| at + 1).nth(LINES_AROUND);
    let ends_after = text[end..].iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let end = ends_after.map(|(at, _)| end + at + 1).nth(LINES_AROUND - 1);
    start.unwrap_or(0) as u32..end.unwrap_or(text.len()) as u32
}

/// Two ranges, cut to a readable length around the first difference if they are longer.
fn cropped(
    passing: &[u8],
    old: Range<u32>,
    failing: &[u8],
    new: Range<u32>,
) -> (Range<usize>, Range<usize>) {
    let [old, new] = [old, new].map(|range| range.start as usize..range.end as usize);
    if old.len().max(new.len()) <= MAX_STRETCH_BYTES {
        return (old, new);
    }
    let both = passing[old.clone()].iter().zip(&failing[new.clone()]);
    let equal = both.take_while(|(a, b)| a == b).count().saturating_sub(BYTES_BEFORE);
    let crop = |range: Range<usize>| {
        let start = range.start + equal;
        start..range.end.min(start + MAX_STRETCH_BYTES)
    };
    (crop(old), crop(new))
}

fn stretch(text: &[u8], range: Range<usize>) -> TextStretch {
    let line = 1 + text[..range.start].iter().filter(|byte| **byte == b'\n').count() as u64;
    TextStretch { line, text: String::from_utf8_lossy(&text[range]).into_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(passing: &str, failing: &str) -> Vec<DifferenceRecord> {
        let variant = |text: &str| Variant::Bytes(text.as_bytes().to_vec());
        differences(&variant(passing), &variant(failing))
    }

    #[test]
    fn a_difference_far_down_is_shown_with_the_lines_around_it() {
        let lines = |line: &str| {
            let numbers: Vec<String> = (1..=500).map(|number| number.to_string()).collect();
            numbers.join("\n").replace("\n400\n", &format!("\n{line}\n"))
        };
        let [place] = &texts(&lines("400"), &lines("four hundred"))[..] else { panic!() };
        assert_eq!(place.failing.line, 397);
        assert_eq!(place.failing.text, "397\n398\n399\nfour hundred\n401\n402\n403\n");
        assert_eq!(place.passing.text, "397\n398\n399\n400\n401\n402\n403\n");
    }

    #[test]
    fn differences_next_to_each_other_are_one_place() {
        let places = texts("a\nb\nc\nd\ne\nf\n", "a\nB\nc\nd\nE\nf\n");
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].failing.text, "a\nB\nc\nd\nE\nf\n");
    }

    #[test]
    fn a_long_line_is_cut_around_its_difference() {
        let long = "x".repeat(100_000);
        let [place] = &texts(&format!("{long}a{long}"), &format!("{long}b{long}"))[..] else {
            panic!()
        };
        assert_eq!(place.failing.text.find('b'), Some(BYTES_BEFORE));
        assert_eq!(place.failing.text.len(), MAX_STRETCH_BYTES);
    }

    #[test]
    fn files_of_one_side_are_compared_with_nothing() {
        let mut failing = Folder::default();
        failing
            .insert(std::path::Path::new("new.txt"), FolderEntry::file(b"one\n".to_vec(), 0o644));
        let places = differences(&Variant::Folder(Folder::default()), &Variant::Folder(failing));
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].file.as_deref(), Some("new.txt"));
        assert_eq!((&*places[0].passing.text, &*places[0].failing.text), ("", "one\n"));
    }
}
