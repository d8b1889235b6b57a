//! White space of new code, as the target would have it.

use crate::hunks::line_merge::FileMerge;
use crate::hunks::line_table::indentation_of;
use std::ops::Range;

/// The number of lines before and after a hunk whose indentation is compared.
const COMPARED_LINES: usize = 100;

/// How lines of the base that are near a hunk are indented in the target.
pub(super) struct Indentation {
    /// The indentation of lines in the base and in the target, nearest lines first.
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The line end that new lines get.
    line_end: Option<&'static [u8]>,
}

impl Indentation {
    /// The indentation near some lines of the base.
    pub(super) fn near(merge: &FileMerge<'_>, old: &Range<usize>) -> Self {
        let before = (old.start.saturating_sub(COMPARED_LINES)..old.end).rev();
        let after = old.end..(old.end + COMPARED_LINES).min(merge.base.len());
        let mut lines: Vec<usize> = before.chain(after).collect();
        lines.sort_by_key(|&line| {
            old.start.saturating_sub(line).max((line + 1).saturating_sub(old.end))
        });
        let mut pairs: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
        for line in lines {
            let text = merge.base.line(line);
            if let Some(at) = merge.loose().target(line).filter(|_| !text.trim_ascii().is_empty()) {
                let pair = (indentation_of(text), indentation_of(merge.target.line(at)));
                if !pairs.iter().any(|(known, _)| known == pair.0) {
                    pairs.push((pair.0.to_vec(), pair.1.to_vec()));
                }
            }
        }
        let line_end = |text: &[u8]| {
            let end = text.iter().position(|&byte| byte == b'\n')?;
            Some(if text[..end].ends_with(b"\r") { b"\r\n".as_slice() } else { b"\n" })
        };
        let (base, target) = (line_end(merge.base.text()), line_end(merge.target.text()));
        Self { pairs, line_end: target.filter(|_| base != target) }
    }

    /// The text with the indentation of all lines but the first as in the target. The text begins after a
    /// token, and so does its first line.
    pub(super) fn adapt(&self, text: &[u8]) -> Vec<u8> {
        let mut adapted = Vec::with_capacity(text.len());
        let mut lines = text.split_inclusive(|&byte| byte == b'\n').peekable();
        let mut is_first = true;
        while let Some(line) = lines.next() {
            let indentation = if is_first { &[] } else { indentation_of(line) };
            let rest = &line[indentation.len()..];
            // White space before the next token is the indentation of this token.
            let is_blank = rest.trim_ascii().is_empty() && rest.ends_with(b"\n");
            match is_blank {
                true => adapted.extend_from_slice(indentation),
                false => adapted.extend(self.target_indentation(indentation, is_first)),
            }
            match (self.line_end, rest.strip_suffix(b"\n")) {
                (Some(line_end), Some(rest)) => {
                    adapted.extend_from_slice(rest.strip_suffix(b"\r").unwrap_or(rest));
                    adapted.extend_from_slice(line_end);
                }
                _ => adapted.extend_from_slice(rest),
            }
            is_first = false;
            // A text that ends with a line end is followed by a token without indentation.
            if lines.peek().is_none() && line.ends_with(b"\n") {
                adapted.extend(self.target_indentation(b"", false));
            }
        }
        adapted
    }

    /// The indentation in the target of a line with an indentation in the base.
    fn target_indentation(&self, base: &[u8], is_first: bool) -> Vec<u8> {
        if is_first {
            return Vec::new();
        }
        if let Some((_, target)) = self.pairs.iter().find(|(known, _)| known == base) {
            return target.clone();
        }
        // No line near by has this indentation, so it differs from that of the nearest line as in the base.
        let deeper = |(known, target): &(Vec<u8>, Vec<u8>)| {
            base.strip_prefix(known.as_slice()).map(|rest| [target.as_slice(), rest].concat())
        };
        let flatter = |(known, target): &(Vec<u8>, Vec<u8>)| {
            let rest = known.strip_prefix(base)?;
            target.strip_suffix(rest).map(<[u8]>::to_vec)
        };
        let nearest = self.pairs.iter().find_map(|pair| deeper(pair).or_else(|| flatter(pair)));
        nearest.unwrap_or_else(|| base.to_vec())
    }
}
