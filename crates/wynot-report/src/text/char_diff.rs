//! The characters in which two texts differ, and a text with these marked.
//!
//! The two sides of an isolation differ in few characters, so Myers' greedy search for the shortest edit
//! script is quick. Texts that differ in many characters are not marked at all.

use crate::text::escape::Preformatted;
use std::fmt;
use std::ops::Range;

/// The largest number of characters that may differ.
const MAX_EDITS: usize = 400;

/// Parts of a text, as ranges of bytes.
pub(crate) type Spans = Vec<Range<usize>>;

/// The parts of each text that the other does not have; `None` if the texts differ too much.
pub(crate) fn char_diff(one: &str, other: &str) -> Option<(Spans, Spans)> {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let rounds = search(&a, &b)?;
    let (mut only_a, mut only_b) = (vec![false; a.len()], vec![false; b.len()]);
    let (mut x, mut y) = (a.len(), b.len());
    // Back along the path: each round has one character that only one of the texts has.
    for (edits, furthest) in rounds.iter().enumerate().skip(1).rev() {
        let diagonal = MAX_EDITS + 1 + x - y;
        if furthest.came_from_above(diagonal, edits) {
            x = furthest.0[diagonal + 1];
            y = MAX_EDITS + x - diagonal;
            only_b[y] = true;
        } else {
            x = furthest.0[diagonal - 1];
            y = MAX_EDITS + 2 + x - diagonal;
            only_a[x] = true;
        }
    }
    Some((ranges(&a, &only_a), ranges(&b, &only_b)))
}

/// For each diagonal (shifted by `MAX_EDITS + 1`), the furthest position in the first text that is reached.
#[derive(Clone)]
struct Furthest(Vec<usize>);

impl Furthest {
    /// Whether the best path onto a diagonal takes a character of the second text.
    fn came_from_above(&self, diagonal: usize, edits: usize) -> bool {
        let lowest = diagonal + edits == MAX_EDITS + 1;
        let highest = diagonal == MAX_EDITS + 1 + edits;
        lowest || !highest && self.0[diagonal - 1] < self.0[diagonal + 1]
    }
}

/// The furthest positions before each round, up to the round that reaches the ends of both texts.
fn search(a: &[char], b: &[char]) -> Option<Vec<Furthest>> {
    let mut furthest = Furthest(vec![0; 2 * MAX_EDITS + 3]);
    let mut rounds = Vec::new();
    for edits in 0..=MAX_EDITS {
        rounds.push(furthest.clone());
        for diagonal in (MAX_EDITS + 1 - edits..=MAX_EDITS + 1 + edits).step_by(2) {
            let mut x = match furthest.came_from_above(diagonal, edits) {
                true => furthest.0[diagonal + 1],
                false => furthest.0[diagonal - 1] + 1,
            };
            let mut y = MAX_EDITS + 1 + x - diagonal;
            while x < a.len() && y < b.len() && a[x] == b[y] {
                (x, y) = (x + 1, y + 1);
            }
            furthest.0[diagonal] = x;
            if x >= a.len() && y >= b.len() {
                return Some(rounds);
            }
        }
    }
    None
}

/// The ranges of bytes of the chosen characters.
fn ranges(text: &[char], chosen: &[bool]) -> Spans {
    let mut ranges: Spans = Vec::new();
    let mut at = 0;
    for (c, chosen) in text.iter().zip(chosen) {
        let end = at + c.len_utf8();
        match ranges.last_mut() {
            _ if !chosen => {}
            Some(last) if last.end == at => last.end = end,
            _ => ranges.push(at..end),
        }
        at = end;
    }
    ranges
}

/// A text for `<pre>` with line numbers, and with some ranges of it marked.
pub(crate) struct NumberedText<'a> {
    pub text: &'a str,
    pub marks: &'a [Range<usize>],
    pub first_line: u64,
}

impl fmt::Display for NumberedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = 0;
        let lines = self.text.split_inclusive('\n').count() as u64;
        let width = self.first_line.saturating_add(lines).to_string().len();
        for (number, line) in (self.first_line..=u64::MAX).zip(self.text.split_inclusive('\n')) {
            let end = start + line.len();
            let marks: Spans = self
                .marks
                .iter()
                .filter(|mark| mark.start < end && mark.end > start)
                .map(|mark| mark.start.max(start) - start..mark.end.min(end) - start)
                .collect();
            write!(f, "<span class=\"line-number\">{number:>width$}  </span>")?;
            write!(f, "{}", MarkedText { text: line, marks: &marks })?;
            start = end;
        }
        Ok(())
    }
}

/// A text for `<pre>` with some ranges of it marked.
pub(crate) struct MarkedText<'a> {
    pub text: &'a str,
    pub marks: &'a [Range<usize>],
}

impl fmt::Display for MarkedText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        for mark in self.marks {
            let marked = &self.text[mark.clone()];
            // A line end by itself is invisible.
            let is_invisible = marked.trim_matches('\n').is_empty();
            let sign = if is_invisible { "<span class=\"sign\">\\n</span>" } else { "" };
            let before = Preformatted(&self.text[at..mark.start]);
            write!(f, "{before}<mark>{sign}{}</mark>", Preformatted(marked))?;
            at = mark.end;
        }
        write!(f, "{}", Preformatted(&self.text[at..]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn without(text: &str, ranges: &[Range<usize>]) -> String {
        let mut rest = text.to_owned();
        ranges.iter().rev().for_each(|range| rest.replace_range(range.clone(), ""));
        rest
    }

    #[test]
    fn what_is_not_marked_is_the_same_in_both() {
        let texts = ["", "a", "abc", "xabcy", "aXbYc", "héllo ✘ wörld", "cba", "aaaa", "a\nb\nc\n"];
        for one in texts {
            for other in texts {
                let (in_one, in_other) = char_diff(one, other).unwrap();
                assert_eq!(without(one, &in_one), without(other, &in_other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn as_few_characters_as_possible_are_marked() {
        let (passing, failing) = char_diff("a = 1\nb = 2\n", "a = 1\nb = 25x\n").unwrap();
        assert_eq!((passing.len(), failing.len(), &failing[0]), (0, 1, &(11..13)));
        assert_eq!(char_diff("same", "same"), Some((vec![], vec![])));
        assert_eq!(
            char_diff("kitten", "sitting"),
            Some((vec![0..1, 4..5], vec![0..1, 4..5, 6..7]))
        );
    }

    #[test]
    fn texts_that_have_little_in_common_are_not_marked() {
        assert_eq!(char_diff(&"a".repeat(300), &"b".repeat(300)), None);
        assert!(char_diff(&"a".repeat(200), &"b".repeat(200)).is_some());
        assert!(char_diff(&"ab".repeat(9000), &"ba".repeat(9000)).is_some());
    }

    #[test]
    fn marks_are_escaped_and_line_ends_are_visible() {
        let marked = |text, mark| MarkedText { text, marks: &[mark] }.to_string();
        assert_eq!(marked("a<b>c", 1..4), "a<mark>&lt;b&gt;</mark>c");
        assert_eq!(marked("a\n", 1..2), "a<mark><span class=\"sign\">\\n</span>\n</mark>");
    }
}
