//! Where two texts differ, for the eye.
//!
//! The two sides of an isolation differ in few places, so Myers' greedy search for the shortest edit is
//! quick. Texts that turn out to differ in many places are left alone: marks all over mark nothing.

use crate::escape::Block;
use std::fmt;
use std::ops::Range;

/// The largest number of characters that may differ.
const LIMIT: usize = 400;

/// Places in a text, as ranges of bytes.
pub(crate) type Places = Vec<Range<usize>>;

/// What each of two texts has that the other has not; `None` if it is too much.
pub(crate) fn contrast(one: &str, other: &str) -> Option<(Places, Places)> {
    let (a, b): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let rounds = search(&a, &b)?;
    let (mut only_a, mut only_b) = (vec![false; a.len()], vec![false; b.len()]);
    let (mut x, mut y) = (a.len(), b.len());
    // Back along the path: each round has one character that only one text has.
    for (edits, furthest) in rounds.iter().enumerate().skip(1).rev() {
        let diagonal = LIMIT + 1 + x - y;
        if furthest.came_from_above(diagonal, edits) {
            x = furthest.0[diagonal + 1];
            y = LIMIT + x - diagonal;
            only_b[y] = true;
        } else {
            x = furthest.0[diagonal - 1];
            y = LIMIT + 2 + x - diagonal;
            only_a[x] = true;
        }
    }
    Some((ranges(&a, &only_a), ranges(&b, &only_b)))
}

/// How far into the first text the best paths get, for each diagonal (shifted by `LIMIT + 1`).
#[derive(Clone)]
struct Furthest(Vec<usize>);

impl Furthest {
    /// Whether the best path onto a diagonal takes a character of the second text.
    fn came_from_above(&self, diagonal: usize, edits: usize) -> bool {
        let lowest = diagonal + edits == LIMIT + 1;
        let highest = diagonal == LIMIT + 1 + edits;
        lowest || !highest && self.0[diagonal - 1] < self.0[diagonal + 1]
    }
}

/// What was known before each round of the search, up to the one that got to the ends of both texts.
fn search(a: &[char], b: &[char]) -> Option<Vec<Furthest>> {
    let mut furthest = Furthest(vec![0; 2 * LIMIT + 3]);
    let mut rounds = Vec::new();
    for edits in 0..=LIMIT {
        rounds.push(furthest.clone());
        for diagonal in (LIMIT + 1 - edits..=LIMIT + 1 + edits).step_by(2) {
            let mut x = match furthest.came_from_above(diagonal, edits) {
                true => furthest.0[diagonal + 1],
                false => furthest.0[diagonal - 1] + 1,
            };
            let mut y = LIMIT + 1 + x - diagonal;
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

/// The bytes of the chosen characters.
fn ranges(text: &[char], chosen: &[bool]) -> Places {
    let mut ranges: Places = Vec::new();
    let mut at = 0;
    for (c, chosen) in text.iter().zip(chosen) {
        let behind = at + c.len_utf8();
        match ranges.last_mut() {
            _ if !chosen => {}
            Some(last) if last.end == at => last.end = behind,
            _ => ranges.push(at..behind),
        }
        at = behind;
    }
    ranges
}

/// A text for `<pre>` with some ranges of it marked.
pub(crate) struct Marked<'a> {
    pub text: &'a str,
    pub marks: &'a [Range<usize>],
}

impl fmt::Display for Marked<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut at = 0;
        for mark in self.marks {
            let marked = &self.text[mark.clone()];
            // A line end by itself leaves nothing to see.
            let unseen = marked.trim_matches('\n').is_empty();
            let sign = if unseen { "<span class=\"sign\">\\n</span>" } else { "" };
            let before = Block(&self.text[at..mark.start]);
            write!(f, "{before}<mark>{sign}{}</mark>", Block(marked))?;
            at = mark.end;
        }
        write!(f, "{}", Block(&self.text[at..]))
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
                let (in_one, in_other) = contrast(one, other).unwrap();
                assert_eq!(without(one, &in_one), without(other, &in_other), "{one:?} {other:?}");
            }
        }
    }

    #[test]
    fn as_little_as_possible_is_marked() {
        let (passing, failing) = contrast("a = 1\nb = 2\n", "a = 1\nb = 25x\n").unwrap();
        assert_eq!((passing.len(), failing.len(), &failing[0]), (0, 1, &(11..13)));
        assert_eq!(contrast("same", "same"), Some((vec![], vec![])));
        assert_eq!(contrast("kitten", "sitting"), Some((vec![0..1, 4..5], vec![0..1, 4..5, 6..7])));
    }

    #[test]
    fn texts_that_have_little_in_common_are_left_alone() {
        assert_eq!(contrast(&"a".repeat(300), &"b".repeat(300)), None);
        assert!(contrast(&"a".repeat(200), &"b".repeat(200)).is_some());
        assert!(contrast(&"ab".repeat(9000), &"ba".repeat(9000)).is_some());
    }

    #[test]
    fn marks_are_escaped_and_line_ends_are_seen() {
        let marked = |text, mark| Marked { text, marks: &[mark] }.to_string();
        assert_eq!(marked("a<b>c", 1..4), "a<mark>&lt;b&gt;</mark>c");
        assert_eq!(marked("a\n", 1..2), "a<mark><span class=\"sign\">\\n</span>\n</mark>");
    }
}
