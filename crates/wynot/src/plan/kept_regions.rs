//! The regions of a text that `--keep` protects, and whether another text still has all of them.

use crate::error::Error;
use memchr::memmem;
use regex::bytes::{Regex, RegexBuilder};
use std::ops::Range;
use std::path::PathBuf;

/// One `--keep`.
#[derive(Clone, Debug)]
pub(super) enum Keep {
    /// What a regular expression matches.
    Pattern(Regex),
    /// Lines of the original, counted from 0.
    Lines(Range<usize>),
    /// A file of a directory.
    File(PathBuf),
}

impl Keep {
    /// Parses the value of `--keep`: `lines:10-20`, `file:PATH`, or else a regular expression.
    pub(super) fn parse(value: &str) -> Result<Self, Error> {
        if let Some(lines) = value.strip_prefix("lines:") {
            return line_range(lines).map(Self::Lines).ok_or_else(|| {
                Error::usage(format!("--keep {value}: use lines:N, lines:N-M or lines:N-"))
                    .hint("lines are counted from 1; to keep text that begins like this: --keep '[l]ines:'")
            });
        }
        if let Some(path) = value.strip_prefix("file:") {
            return Ok(Self::File(PathBuf::from(path.trim_start_matches("./"))));
        }
        // As in --fail-when, ^ and $ match at the beginning and end of lines.
        RegexBuilder::new(value).multi_line(true).build().map(Self::Pattern).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.lines().last().unwrap_or_default().trim_start_matches("error: ");
            Error::usage(format!("--keep '{value}': it is no regular expression: {reason}"))
        })
    }

    /// The spans of a text that are kept, none of them empty.
    pub(super) fn spans(&self, text: &[u8]) -> Vec<Range<usize>> {
        let spans = match self {
            Self::Pattern(pattern) => pattern.find_iter(text).map(|found| found.range()).collect(),
            Self::Lines(lines) => span_of_lines(text, lines).into_iter().collect(),
            Self::File(_) => Vec::new(),
        };
        spans.into_iter().filter(|span: &Range<usize>| !span.is_empty()).collect()
    }
}

/// The range of `N`, `N-M` or `N-`, counted from 0.
fn line_range(text: &str) -> Option<Range<usize>> {
    let (first, last) = match text.split_once('-') {
        None => (text, text),
        Some((first, last)) => (first, last),
    };
    let first = first.parse::<usize>().ok()?.checked_sub(1)?;
    let end = if last.is_empty() { usize::MAX } else { last.parse::<usize>().ok()? };
    (first < end).then_some(first..end)
}

/// The span of some lines, without the last line end; `None` if the text has no such lines.
fn span_of_lines(text: &[u8], lines: &Range<usize>) -> Option<Range<usize>> {
    let starts = std::iter::once(0).chain(memchr::memchr_iter(b'\n', text).map(|at| at + 1));
    let starts: Vec<usize> = starts.filter(|start| *start < text.len()).collect();
    let is_there = lines.end == usize::MAX || lines.end <= starts.len();
    let start = *starts.get(lines.start).filter(|_| is_there)?;
    let end = starts.get(lines.end).map_or(text.len(), |next| *next);
    let length = text[start..end].trim_ascii_end().len();
    Some(start..start + length)
}

/// A text that has to stay, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
struct KeptText {
    text: Vec<u8>,
    /// Whether a word begins with the text, and whether one ends with it: it must not become a part of a longer word.
    is_word: (bool, bool),
    /// How often it occurs in what is kept.
    count: usize,
}

/// The texts of a file that have to stay.
#[derive(Clone, Debug, Default)]
pub(super) struct KeptRegions(Vec<KeptText>);

impl KeptRegions {
    /// The regions of some spans of a text, which may overlap.
    pub(super) fn of(text: &[u8], mut spans: Vec<Range<usize>>) -> Self {
        spans.sort_by_key(|span| span.start);
        let mut regions: Vec<Range<usize>> = Vec::new();
        for span in spans {
            match regions.last_mut() {
                Some(last) if span.start < last.end => last.end = last.end.max(span.end),
                _ => regions.push(span),
            }
        }
        let mut kept: Vec<KeptText> = Vec::new();
        for region in &regions {
            let bytes = &text[region.clone()];
            let is_word = (is_word_start(text, region.start), is_word_end(text, region));
            if kept.iter().all(|known| known.text != bytes || known.is_word != is_word) {
                kept.push(KeptText { text: bytes.to_vec(), is_word, count: 0 });
            }
        }
        // A text that is a part of another one has to be there besides it.
        for known in &mut kept {
            let places = known.places(text);
            let is_kept = |place: &usize| {
                let end = place + known.text.len();
                regions.iter().any(|region| region.start <= *place && end <= region.end)
            };
            known.count = places.filter(is_kept).count();
        }
        Self(kept)
    }

    /// Whether nothing is kept.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a text has all regions, in any order.
    pub(super) fn are_in(&self, text: &[u8]) -> bool {
        self.0.iter().all(|kept| kept.count == 0 || kept.places(text).nth(kept.count - 1).is_some())
    }
}

impl KeptText {
    /// Where the text occurs in another one, without overlaps.
    fn places<'t>(&'t self, text: &'t [u8]) -> impl Iterator<Item = usize> + 't {
        memmem::find_iter(text, &self.text).filter(|&place| {
            let region = place..place + self.text.len();
            (!self.is_word.0 || is_word_start(text, place))
                && (!self.is_word.1 || is_word_end(text, &region))
        })
    }
}

fn is_word_byte(byte: Option<&u8>) -> bool {
    byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii())
}

/// Whether a word begins at a place.
fn is_word_start(text: &[u8], at: usize) -> bool {
    is_word_byte(text.get(at)) && !is_word_byte(at.checked_sub(1).and_then(|at| text.get(at)))
}

/// Whether a word ends at the end of a region.
fn is_word_end(text: &[u8], region: &Range<usize>) -> bool {
    is_word_byte(text.get(region.end - 1)) && !is_word_byte(text.get(region.end))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn regions(text: &str, keeps: &[&str]) -> KeptRegions {
        let spans = keeps.iter().flat_map(|keep| Keep::parse(keep).unwrap().spans(text.as_bytes()));
        KeptRegions::of(text.as_bytes(), spans.collect())
    }

    #[test]
    fn a_text_that_was_matched_stays_as_often_as_it_was_matched() {
        let kept = regions("int foo; int bar; foo();\n", &["foo"]);
        assert!(kept.are_in(b"foo foo"));
        assert!(!kept.are_in(b"foo"));
        assert!(!kept.are_in(b"foo foobar"), "a part of a longer word is not the word");
        assert!(regions("foobar", &["foo"]).are_in(b"foox"));
    }

    #[test]
    fn lines_stay_with_their_indentation_and_may_move() {
        let kept = regions("a\n  b;\n  c;\nd\n", &["lines:2-3"]);
        assert!(kept.are_in(b"d\n  b;\n  c;"));
        assert!(!kept.are_in(b"  b;  c;"));
        assert!(regions("a\nb\n", &["lines:2-"]).are_in(b"b"));
        assert!(Keep::parse("lines:3").unwrap().spans(b"a\nb\n").is_empty());
    }

    #[test]
    fn a_region_within_another_one_is_needed_besides_it() {
        let kept = regions("x\ny = x + 1\n", &["^x$", "lines:2"]);
        assert!(kept.are_in(b"x\ny = x + 1"));
        assert!(!kept.are_in(b"y = x + 1"));
    }

    #[test]
    fn what_is_no_region_is_refused() {
        for bad in ["lines:", "lines:0", "lines:3-2", "lines:a", "("] {
            assert!(Keep::parse(bad).is_err(), "{bad}");
        }
    }
}
