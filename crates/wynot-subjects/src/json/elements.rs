//! The deltas of one JSON text: each element of an array and each member of an object can be removed.
//!
//! Deltas are numbered in the order of the text, so everything inside an element follows it. When an
//! element is removed, so is everything inside it, whether or not the configuration contains that. A
//! configuration is therefore 1-minimal exactly if no element or member can be removed. The brackets around
//! a whole text are no delta and always stay: without deltas the text is `[]` or `{}`, which programs that
//! read JSON accept, while they reject an empty text.

use crate::json::parse::{Document, JsonError, WHOLE, start_of_blanks};
use std::ops::Range;
use wynot_core::{Configuration, Grouping};

/// The elements of a JSON text as deltas.
#[derive(Debug)]
pub(crate) struct Elements {
    document: Document,
    /// The node of the first delta.
    first: u32,
}

impl Elements {
    /// The deltas of a JSON text.
    pub(crate) fn new(text: &[u8]) -> Result<Self, JsonError> {
        let document = Document::parse(text)?;
        let first = document.container().unwrap_or(WHOLE) + 1;
        Ok(Self { document, first })
    }

    /// The number of deltas.
    pub(crate) fn len(&self) -> u32 {
        self.document.len() - self.first
    }

    /// The text without any delta.
    pub(crate) fn baseline(&self, text: &[u8]) -> Vec<u8> {
        let mut baseline = Vec::new();
        if self.document.container().is_some() {
            self.compose(text, &Configuration::empty(), &mut baseline, None);
        }
        baseline
    }

    /// The levels from the outermost elements, each with everything inside it, to single elements.
    pub(crate) fn levels(&self) -> Vec<Grouping> {
        let document = &self.document;
        let mut depths = vec![0; document.len() as usize];
        for node in 1..document.len() {
            depths[node as usize] = depths[document.parent(node) as usize] + 1;
        }
        levels_by_depth(&depths[self.first as usize..], 0)
    }

    /// The bytes of an element, with everything inside it.
    pub(crate) fn bytes(&self, delta: u32) -> Range<usize> {
        let node = delta + self.first;
        self.document.start(node)..self.document.end(node)
    }

    /// Appends the text of a configuration to `variant`. Returns the bytes of the delta `wanted` in it; an
    /// empty range at the end if the variant does not contain that delta.
    pub(crate) fn compose(
        &self,
        text: &[u8],
        configuration: &Configuration,
        variant: &mut Vec<u8>,
        wanted: Option<u32>,
    ) -> Range<usize> {
        let mut writer = Writer {
            text,
            document: &self.document,
            variant,
            empty: true,
            wanted: wanted.map(|delta| delta + self.first),
            found: None,
        };
        let ranges = configuration.ranges().iter();
        let nodes = ranges.map(|range| range.start + self.first..range.end + self.first);
        if !configuration.is_empty() || self.document.container().is_some() {
            writer.write(nodes);
        }
        let end = writer.variant.len();
        writer.found.map_or(end..end, |(start, end)| start..end)
    }
}

/// A level for each depth that at least doubles the number of groups, and single deltas last. All levels
/// together thus have at most twice as many groups as there are deltas, however deep the nesting.
/// `groups` is the number of groups before the first level.
pub(crate) fn levels_by_depth(depths: &[u32], groups: u32) -> Vec<Grouping> {
    let deltas = depths.len() as u32;
    let deepest = depths.iter().copied().max().unwrap_or(0) as usize;
    let mut at_depth = vec![0; deepest + 1];
    depths.iter().for_each(|&depth| at_depth[depth as usize] += 1);
    let (mut levels, mut before, mut count) = (Vec::new(), groups, 0);
    for (limit, new) in at_depth.into_iter().enumerate() {
        count += new;
        if count >= before.saturating_mul(2).max(1) && count < deltas {
            let outer = depths.iter().zip(0..).filter(|(depth, _)| **depth as usize <= limit);
            levels.push(Grouping::new(outer.map(|(_, delta)| delta).collect(), deltas));
            before = count;
        }
    }
    levels.push(Grouping::singles(deltas));
    levels
}

/// A writer of the variant of one configuration.
struct Writer<'a> {
    text: &'a [u8],
    document: &'a Document,
    variant: &'a mut Vec<u8>,
    /// Whether nothing has been written yet in the innermost open container.
    empty: bool,
    /// The node whose bytes in the variant are wanted.
    wanted: Option<u32>,
    /// The bytes of that node, once it has been written.
    found: Option<(usize, usize)>,
}

impl Writer<'_> {
    /// Writes the nodes of the ranges, and the brackets around a whole text.
    fn write(&mut self, ranges: impl Iterator<Item = Range<u32>>) {
        let (document, mut ranges) = (self.document, ranges.peekable());
        let container = document.container();
        let (mut parent, mut node) = (WHOLE, WHOLE + 1);
        loop {
            while parent != WHOLE && node >= document.next(parent) {
                self.close(parent);
                parent = document.parent(parent);
            }
            let end = document.next(parent);
            if node >= end {
                return;
            }
            while ranges.next_if(|range| range.end <= node).is_some() {}
            let range = ranges.peek().cloned().unwrap_or(document.len()..document.len());
            if node < range.start && Some(node) != container {
                // Removed, with everything up to the next range of the configuration or its container.
                node = match range.start < end {
                    true => match document.child_towards(range.start, parent) {
                        child if child == range.start => child,
                        child => document.next(child),
                    },
                    false => end,
                };
            } else if node >= range.start && document.next(node) <= range.end {
                let next = match range.end < end {
                    true => document.child_towards(range.end, parent),
                    false => end,
                };
                self.siblings(parent, node..next);
                node = next;
            } else {
                self.open(parent, node);
                (parent, node) = (node, node + 1);
            }
        }
    }

    /// Writes siblings with everything inside them, unchanged.
    fn siblings(&mut self, parent: u32, nodes: Range<u32>) {
        let (text, document) = (self.text, self.document);
        self.separate(parent, nodes.start);
        let start = document.start(nodes.start);
        let end = match (document.open(parent), nodes.end < document.next(parent)) {
            // Up to the comma and the blanks before it.
            (Some(_), true) => {
                let comma = start_of_blanks(text, document.start(nodes.end)) - 1;
                start_of_blanks(text, comma)
            }
            (Some(_), false) => start_of_blanks(text, document.end(parent) - 1),
            (None, true) => document.start(nodes.end),
            (None, false) => text.len(),
        };
        if let Some(wanted) = self.wanted.filter(|wanted| nodes.contains(wanted)) {
            let at = |offset: usize| self.variant.len() + offset - start;
            self.found = Some((at(document.start(wanted)), at(document.end(wanted))));
        }
        self.variant.extend_from_slice(&text[start..end]);
    }

    /// Writes the opening bracket of an array or object some of whose elements are removed.
    fn open(&mut self, parent: u32, node: u32) {
        self.separate(parent, node);
        if self.wanted == Some(node) {
            self.found = Some((self.variant.len(), self.variant.len()));
        }
        let bracket = self.document.open(node).unwrap_or_default();
        self.variant.extend_from_slice(&self.text[self.document.start(node)..=bracket]);
        self.empty = true;
    }

    /// Writes the closing bracket of a container.
    fn close(&mut self, node: u32) {
        let bracket = self.document.end(node) - 1;
        let from = if self.empty { bracket } else { start_of_blanks(self.text, bracket) };
        self.variant.extend_from_slice(&self.text[from..=bracket]);
        if let Some(found) = self.found.as_mut().filter(|_| self.wanted == Some(node)) {
            found.1 = self.variant.len();
        }
        if self.document.parent(node) == WHOLE {
            // The blanks after a value of the sequence belong to the value.
            let next = self.document.next(node);
            let end = match next < self.document.len() {
                true => self.document.start(next),
                false => self.text.len(),
            };
            self.variant.extend_from_slice(&self.text[bracket + 1..end]);
        }
        self.empty = false;
    }

    /// Writes the comma and blanks between an element and what precedes it.
    fn separate(&mut self, parent: u32, node: u32) {
        let (text, document) = (self.text, self.document);
        let first = std::mem::replace(&mut self.empty, false);
        let blanks = match (document.open(parent), first) {
            (Some(open), true) => open + 1..document.start(parent + 1),
            (Some(_), false) => {
                self.variant.push(b',');
                start_of_blanks(text, document.start(node))..document.start(node)
            }
            (None, true) => 0..document.start(WHOLE + 1),
            (None, false) => return,
        };
        self.variant.extend_from_slice(&text[blanks]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compose(text: &str, deltas: &[u32]) -> String {
        let elements = Elements::new(text.as_bytes()).unwrap();
        let configuration = deltas.iter().copied().collect();
        let mut variant = Vec::new();
        elements.compose(text.as_bytes(), &configuration, &mut variant, None);
        String::from_utf8(variant).unwrap()
    }

    #[test]
    fn commas_and_blanks_stay_right() {
        let text = "[\n  1,\n  2,\n  3\n]\n";
        assert_eq!(compose(text, &[]), "[]\n");
        assert_eq!(compose(text, &[1]), "[\n  2\n]\n");
        assert_eq!(compose(text, &[0, 2]), "[\n  1,\n  3\n]\n");
        assert_eq!(compose(text, &[0, 1, 2]), text);
        assert_eq!(compose("[1 , 2 , 3]", &[0, 2]), "[1, 3]");
    }

    #[test]
    fn nested_elements_are_removed_with_their_container() {
        let text = r#"{"a": {"b": 1, "c": [2]}, "d": null}"#;
        assert_eq!(compose(text, &[1, 2, 3, 4]), r#"{"d": null}"#);
        assert_eq!(compose(text, &[0]), r#"{"a": {}}"#);
        assert_eq!(compose(text, &[0, 2, 4]), r#"{"a": {"c": []}, "d": null}"#);
    }

    #[test]
    fn json_lines_lose_whole_lines_and_nested_elements() {
        let text = "{\"a\": 1, \"b\": 2}\n[]\n\n3\n";
        assert_eq!(compose(text, &[]), "");
        assert_eq!(compose(text, &[0, 2, 4]), "{\"b\": 2}\n3\n");
        assert_eq!(compose(text, &[3]), "[]\n\n");
    }

    #[test]
    fn levels_go_from_the_outside_inwards() {
        let text = r#"[{"a": 1, "b": 2}, {"c": 3, "d": [4, 5]}, 6]"#;
        let elements = Elements::new(text.as_bytes()).unwrap();
        let groups: Vec<u32> = elements.levels().iter().map(Grouping::len).collect();
        assert_eq!((elements.len(), groups), (9, vec![3, 7, 9]));
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let levels = Elements::new(deep.as_bytes()).unwrap().levels();
        assert!(levels.len() < 20 && levels.iter().map(Grouping::len).sum::<u32>() < 300_000);
    }
}
