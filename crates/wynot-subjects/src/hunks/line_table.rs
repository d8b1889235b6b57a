//! The lines of a text, and what of them is compared.

use crate::folder::entry::FolderEntry;
use crate::text::cut::TextCut;
use crate::text::unit::Unit;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;

/// Larger files change only as a whole.
const MAX_TEXT_BYTES: usize = 1 << 30;

/// The bytes of an entry whose lines can be compared.
pub(super) fn comparable_text(entry: &FolderEntry) -> Option<&[u8]> {
    entry.text().filter(|text| text.len() <= MAX_TEXT_BYTES)
}

/// The number of lines; the last one may have no line end.
pub(super) fn count_lines(text: &[u8]) -> usize {
    let ends = text.iter().filter(|&&byte| byte == b'\n').count();
    ends + usize::from(text.last().is_some_and(|&last| last != b'\n'))
}

/// A text and its lines, each with its line end.
pub(super) struct LineTable<'a> {
    text: &'a [u8],
    cut: TextCut,
}

impl<'a> LineTable<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self { text, cut: TextCut::new(text, Unit::Line) }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    /// The number of lines.
    pub(super) fn len(&self) -> usize {
        self.cut.len() as usize
    }

    /// The bytes of consecutive lines. Numbers after the last line stand for the end of the text.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        let number = |line: usize| line.min(self.len()) as u32;
        self.cut.bytes(number(lines.start)..number(lines.end.max(lines.start)))
    }

    pub(super) fn line(&self, line: usize) -> &'a [u8] {
        &self.text[self.bytes(line..line + 1)]
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> {
        (0..self.len()).map(|line| self.line(line))
    }
}

/// A hash of a line without its white space.
pub(super) fn loose_hash(line: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for word in line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()) {
        hasher.write(word);
    }
    hasher.finish()
}

/// Lines with fewer letters and digits occur everywhere and identify no place.
const MIN_DISTINCT_CHARACTERS: usize = 4;

/// Whether a line has enough letters and digits to identify a place.
pub(super) fn is_distinct(line: &[u8]) -> bool {
    let counted = line.iter().filter(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii());
    counted.take(MIN_DISTINCT_CHARACTERS).count() == MIN_DISTINCT_CHARACTERS
}

/// The white space at the start of a line.
pub(super) fn indentation_of(line: &[u8]) -> &[u8] {
    let blanks = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    &line[..blanks]
}
