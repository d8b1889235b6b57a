//! An isolated difference, in words.

use std::ops::Range;
use std::path::Path;
use wynot_core::{Configuration, Isolated};
use wynot_report::number::count;
use wynot_session::Compose;
use wynot_subjects::{FileChange, FolderEntry, FolderSubject, Subject, TextDelta, TextSubject};

/// The number of deltas that are described; the others are only counted.
const MAX_DELTAS_DESCRIBED: usize = 10;

/// The number of bytes of context that are quoted on each side of a delta.
const CONTEXT_BYTES: usize = 30;

/// The length up to which a text is quoted completely.
const MAX_BYTES_QUOTED: usize = 120;

/// The number of bytes that the deltas of a difference change.
pub fn difference_bytes(subject: &Subject, sides: &Isolated) -> u64 {
    let size = |TextDelta { old, new }: TextDelta| old.len().max(new.len()) as u64;
    let text_bytes = |input: &TextSubject, deltas: &Configuration| {
        outermost(input, deltas).map(|(_, delta)| size(delta)).sum::<u64>()
    };
    let difference = sides.difference();
    match subject {
        Subject::Text(input) => text_bytes(input, &difference),
        Subject::Folder(folders) => folders
            .changes_of(&difference)
            .map(|(file, chosen)| match &file.text {
                Some(input) => text_bytes(input, &file.in_text(&chosen)),
                None => {
                    let sizes = [&file.old, &file.new]
                        .map(|entry| entry.as_ref().map_or(0, FolderEntry::size));
                    sizes[0].max(sizes[1])
                }
            })
            .sum(),
        Subject::Upgrades(_)
        | Subject::Options(_)
        | Subject::Environment(_)
        | Subject::Versions(_) => {
            let sides = [&sides.failing, &sides.passing].map(|side| subject.variant(side).size());
            sides[0].abs_diff(sides[1])
        }
    }
}

/// A line for each change of a difference.
pub fn describe_difference(subject: &Subject, sides: &Isolated) -> Vec<String> {
    let difference = sides.difference();
    let mut lines = match subject {
        Subject::Text(input) => return describe_text(input, sides),
        Subject::Folder(folders) => describe_folder(folders, sides),
        Subject::Upgrades(upgrades) => {
            let name = |delta| upgrades.upgrades()[delta as usize].in_words();
            difference.iter().map(name).collect()
        }
        Subject::Options(options) => difference.iter().map(|delta| options.name(delta)).collect(),
        Subject::Environment(environment) => {
            difference.iter().map(|delta| environment.name(delta)).collect::<Vec<_>>()
        }
        Subject::Versions(row) => {
            difference.iter().map(|delta| row.names()[delta as usize + 1].clone()).collect()
        }
    };
    let more = lines.len().saturating_sub(MAX_DELTAS_DESCRIBED);
    lines.truncate(MAX_DELTAS_DESCRIBED);
    lines.extend((more > 0).then(|| format!("and {more} more")));
    lines
}

/// A line for each change in each file.
fn describe_folder(folders: &FolderSubject, sides: &Isolated) -> Vec<String> {
    let mut lines = Vec::new();
    for (file, chosen) in folders.changes_of(&sides.difference()) {
        let path = file.path.display();
        match &file.text {
            Some(input) if file.old.is_some() || (chosen.len() as u32) < input.deltas() => {
                let side = |side: &Configuration| file.in_text(&file.select(side));
                let in_file =
                    Isolated { passing: side(&sides.passing), failing: side(&sides.failing) };
                let described = describe_text(input, &in_file);
                lines.extend(described.iter().map(|line| format!("{path}, {line}")));
                if let Some(old) = file.renames(&chosen) {
                    lines
                        .push(format!("{path}: fails with this path instead of {}", old.display()));
                }
                if let Some(mode) = file.mode.filter(|_| file.sets_mode(&chosen)) {
                    lines.push(format!("{path}: fails with the mode {mode:o}"));
                }
            }
            _ => lines.push(match (&file.old, &file.new, file.renames(&chosen)) {
                (.., Some(old)) => renamed(file, old),
                (None, ..) => format!("{path}: fails with it"),
                (_, None, _) => format!("{path}: fails without it"),
                _ => format!("{path}: fails as it is in the failing side"),
            }),
        }
    }
    lines
}

/// The rename of a file.
fn renamed(file: &FileChange, old: &Path) -> String {
    format!("{}: fails with this path instead of {}", file.path.display(), old.display())
}

/// The deltas of a difference without those that lie within another one, as elements of JSON do.
fn outermost(
    subject: &TextSubject,
    difference: &Configuration,
) -> impl Iterator<Item = (u32, TextDelta)> {
    let deltas: Vec<u32> = difference.iter().collect();
    let mut covered = 0;
    deltas.into_iter().map(|index| (index, subject.delta(index))).filter(move |(_, delta)| {
        let is_within = delta.old.is_empty() && !delta.new.is_empty() && delta.new.end <= covered;
        covered = covered.max(delta.new.end);
        !is_within
    })
}

/// A line for each change: its place in the failing side, and what it changes. Deltas without a gap between them are
/// described as one change.
fn describe_text(subject: &TextSubject, sides: &Isolated) -> Vec<String> {
    let mut failing = Vec::new();
    subject.compose(&sides.failing, &mut failing);
    let mut changes: Vec<(Range<u32>, TextDelta)> = Vec::new();
    for (index, delta) in outermost(subject, &sides.difference()) {
        match changes.last_mut() {
            Some((indices, last))
                if last.old.end == delta.old.start && last.new.end == delta.new.start =>
            {
                (last.old.end, last.new.end) = (delta.old.end, delta.new.end);
                indices.end = index;
            }
            _ => changes.push((index..index, delta)),
        }
    }
    let more = changes.len().saturating_sub(MAX_DELTAS_DESCRIBED);
    changes.truncate(MAX_DELTAS_DESCRIBED);
    let lines = changes.into_iter().map(|(indices, TextDelta { old, .. })| {
        let place = |index| subject.range_in_variant(&sides.failing, index);
        let place = place(indices.start).start..place(indices.end).end;
        describe_change(subject, &failing, place, old)
    });
    lines.chain((more > 0).then(|| format!("and {more} more"))).collect()
}

/// The change at `place` in the failing side, where the range `old` of the passing side was.
fn describe_change(
    subject: &TextSubject,
    failing: &[u8],
    place: Range<usize>,
    old: Range<u32>,
) -> String {
    let old = &subject.baseline()[old.start as usize..old.end as usize];
    let (new, offset) = (&failing[place.clone()], place.start);
    let line_start = failing[..offset].iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
    let line = failing[..offset].iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = String::from_utf8_lossy(&failing[line_start..offset]).chars().count() + 1;
    let change = match (old, new) {
        ([], new) => format!("with {}", quote_or_summarize(new)),
        (old, []) => format!("without {}", quote_or_summarize(old)),
        (old, new) => {
            format!("with {} instead of {}", quote_or_summarize(new), quote_or_summarize(old))
        }
    };
    let before = &failing[line_start.max(offset.saturating_sub(CONTEXT_BYTES))..offset];
    let after = match failing.get(place.end..) {
        Some(rest) if !new.ends_with(b"\n") => {
            let line_end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            &rest[..line_end.min(CONTEXT_BYTES)]
        }
        _ => &[],
    };
    let context = match (escape(before), escape(after)) {
        (before, after) if before.is_empty() && after.is_empty() => String::new(),
        (before, after) if after.is_empty() => format!(", after \"{before}\""),
        (before, after) if before.is_empty() => format!(", before \"{after}\""),
        (before, after) => format!(", after \"{before}\" and before \"{after}\""),
    };
    format!("line {line}, column {column}: fails {change}{context}")
}

/// A short text in quotes, or the size and beginning of a long one.
fn quote_or_summarize(bytes: &[u8]) -> String {
    if bytes.len() <= MAX_BYTES_QUOTED {
        return format!("\"{}\"", escape(bytes));
    }
    let size = count(bytes.len() as u64, "byte");
    format!("{size} beginning \"{}\"", escape(&bytes[..CONTEXT_BYTES]))
}

/// The text on one line, with line breaks and control characters escaped.
fn escape(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).escape_debug().to_string().replace("\\'", "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn describe(old: &[u8], new: &[u8], units: &str) -> Vec<String> {
        let subject = TextSubject::between(old, new, &units.parse().unwrap()).unwrap();
        let all = Configuration::full(subject.deltas());
        describe_text(&subject, &Isolated { passing: Configuration::empty(), failing: all })
    }

    #[test]
    fn a_change_is_described_with_its_place() {
        let inserted = describe(b"ok\nx = 1;\n", b"ok\nx = 12;\n", "char");
        assert_eq!(
            inserted,
            ["line 2, column 6: fails with \"2\", after \"x = 1\" and before \";\""]
        );
        let line = describe(b"a\nb\n", b"a\nc\n", "line");
        assert_eq!(line, ["line 2, column 1: fails with \"c\\n\" instead of \"b\\n\""]);
    }

    #[test]
    fn deltas_without_a_gap_are_described_as_one() {
        let removed = describe(b"fees.clone() {", b"fees {", "char");
        assert_eq!(
            removed,
            ["line 1, column 5: fails without \".clone()\", after \"fees\" and before \" {\""]
        );
    }

    #[test]
    fn the_bytes_of_a_difference_are_counted() {
        let units = "char".parse().unwrap();
        let subject = TextSubject::between(b"abc", b"axyc", &units).unwrap();
        let failing = Configuration::full(subject.deltas());
        let sides = Isolated { passing: Configuration::empty(), failing };
        assert_eq!(difference_bytes(&Subject::Text(subject), &sides), 2);
    }
}
