//! Segments of two texts that are compared with each other: functions and types of the same name.
//!
//! A comparison by lines alone matches the end of one function with the end of another one where code was rewritten. Parts
//! of such a difference are no valid text. Items of the same name are therefore compared with each other, and items that
//! have no counterpart are removed and added as a whole.

use crate::folder::definition::{identifiers, is_defining_word, is_definition};
use crate::folder::outline::Outline;
use crate::syntax::language::Language;
use crate::syntax::tree::NodeId;
use crate::text::diff::{diff_lists, line_similarity};
use crate::text_delta::TextDelta;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

/// The depth of nested items that are matched: methods of a class, functions in a function.
const MAX_DEPTH: usize = 4;

/// The number of lines at the beginning of an item in which its name is looked for.
const HEADER_LINES: usize = 3;

/// What the kinds of items inside of other items contain in their names.
const INNER_KINDS: [&str; 10] = [
    "function",
    "method",
    "class",
    "constructor",
    "definition",
    "impl",
    "struct",
    "interface",
    "enum",
    "pair",
];

/// The number of pairs of lines from which only equal lines count.
const MAX_LINE_PAIRS: usize = 40_000;

/// The size from which texts are compared by lines alone.
const MAX_BYTES: usize = 4 << 20;

/// The segments of two texts in order. They cover both texts.
pub(crate) fn segments(path: &Path, old: &[u8], new: &[u8]) -> Vec<TextDelta> {
    let whole = TextDelta { old: 0..old.len() as u32, new: 0..new.len() as u32 };
    if old.is_empty() || new.is_empty() || old.len().max(new.len()) > MAX_BYTES {
        return vec![whole];
    }
    let language = Language::guess(path, new);
    let trees = [old, new].map(|text| language.parse(text));
    let outlines = [Outline::new(&trees[0], old), Outline::new(&trees[1], new)];
    let mut comparison = Comparison { outlines: &outlines, segments: Vec::new() };
    let ranges = [0..outlines[0].lines(), 0..outlines[1].lines()];
    comparison.compare([vec![0], vec![0]], &ranges, 0);
    comparison.segments
}

/// An item with a name.
#[derive(Clone, Debug)]
struct NamedItem {
    node: NodeId,
    name: Vec<u8>,
    lines: Range<usize>,
}

struct Comparison<'a> {
    outlines: &'a [Outline<'a>; 2],
    segments: Vec<TextDelta>,
}

impl Comparison<'_> {
    /// Compares the items of blocks of the two texts, which lie within ranges of lines.
    fn compare(&mut self, blocks: [Vec<NodeId>; 2], ranges: &[Range<usize>; 2], depth: usize) {
        let items = [0, 1].map(|side| self.named_items(side, &blocks[side], &ranges[side], depth));
        let mut from = [ranges[0].start, ranges[1].start];
        let mut next = [0, 0];
        for pair in matching(&items) {
            let matched = [0, 1].map(|side| &items[side][pair[side]]);
            let gaps = [0, 1].map(|side| from[side]..matched[side].lines.start);
            let unmatched = [0, 1].map(|side| &items[side][next[side]..pair[side]]);
            self.add_gap(&gaps, unmatched);
            self.compare_items(matched, depth);
            from = matched.map(|item| item.lines.end);
            next = pair.map(|index| index + 1);
        }
        let gaps = [0, 1].map(|side| from[side]..ranges[side].end);
        self.add_gap(&gaps, [0, 1].map(|side| &items[side][next[side]..]));
    }

    /// Compares two items, by the items inside of them if they have any.
    fn compare_items(&mut self, items: [&NamedItem; 2], depth: usize) {
        let ranges = items.map(|item| item.lines.clone());
        if depth + 1 == MAX_DEPTH {
            return self.add(&ranges);
        }
        let blocks = [0, 1].map(|side| -> Vec<NodeId> {
            let blocks = self.outlines[side].blocks(items[side].node);
            blocks.into_iter().map(|block| block.node).collect()
        });
        self.compare(blocks, &ranges, depth + 1);
    }

    /// Adds what lies between two matched items. Items in it that are similar are compared with each other, the others are
    /// removed and added.
    fn add_gap(&mut self, gaps: &[Range<usize>; 2], items: [&[NamedItem]; 2]) {
        let mut from = [gaps[0].start, gaps[1].start];
        let mut added = 0;
        for removed in items[0] {
            let similar = items[1][added..]
                .iter()
                .position(|item| self.are_similar(&removed.lines, &item.lines));
            let before = similar.map_or(0, |index| index);
            for item in &items[1][added..added + before] {
                self.add_one_sided(&mut from, 1, &item.lines, removed.lines.start);
            }
            match similar {
                Some(index) => {
                    let item = &items[1][added + index];
                    self.add(&[from[0]..removed.lines.start, from[1]..item.lines.start]);
                    self.add(&[removed.lines.clone(), item.lines.clone()]);
                    from = [removed.lines.end, item.lines.end];
                    added += index + 1;
                }
                None => {
                    let next = items[1].get(added);
                    let limit = next.map_or(gaps[1].end, |item| item.lines.start);
                    self.add_one_sided(&mut from, 0, &removed.lines, limit);
                }
            }
        }
        for item in &items[1][added..] {
            self.add_one_sided(&mut from, 1, &item.lines, gaps[0].end);
        }
        self.add(&[from[0]..gaps[0].end, from[1]..gaps[1].end]);
    }

    /// Adds an item of one side, and what is before it on both sides. On the other side, these are the lines up to the last
    /// one before `limit` that is on this side, too.
    fn add_one_sided(
        &mut self,
        from: &mut [usize; 2],
        side: usize,
        lines: &Range<usize>,
        limit: usize,
    ) {
        let other = 1 - side;
        let before = from[side]..lines.start;
        let shared = self.end_of_shared(side, &before, &(from[other]..limit));
        let mut both = [from[0]..shared, from[1]..shared];
        both[side] = before;
        self.add(&both);
        from[other] = shared;
        both[other] = shared..shared;
        both[side] = lines.clone();
        self.add(&both);
        from[side] = lines.end;
    }

    /// The end of the last line of the other side that is also, in the same order, among some lines of a side.
    fn end_of_shared(&self, side: usize, lines: &Range<usize>, others: &Range<usize>) -> usize {
        let texts = [(side, lines), (1 - side, others)].map(|(side, range)| -> Vec<&[u8]> {
            range.clone().map(|line| self.line(side, line).trim_ascii()).collect()
        });
        let [this, other] = &texts;
        let ends = (this.len() as u32..this.len() as u32, other.len() as u32..other.len() as u32);
        let (mut end, mut from) = (others.start, (0, 0));
        for (this_range, other_range) in diff_lists(this, other).into_iter().chain([ends]) {
            let last = (from.0..this_range.start).rfind(|&line| !this[line as usize].is_empty());
            if let Some(line) = last {
                end = others.start + (from.1 + line - from.0) as usize + 1;
            }
            from = (this_range.end, other_range.end);
        }
        end
    }

    fn line(&self, side: usize, line: usize) -> &[u8] {
        let outline = &self.outlines[side];
        &outline.text[outline.line_start(line)..outline.line_start(line + 1)]
    }

    /// Whether at least half of the lines of two ranges resemble each other.
    fn are_similar(&self, old: &Range<usize>, new: &Range<usize>) -> bool {
        let lines = |side: usize, range: &Range<usize>| -> Vec<&[u8]> {
            let lines = range.clone().map(|line| self.line(side, line).trim_ascii());
            lines.filter(|line| line.len() > 2).collect()
        };
        let (old, new) = (lines(0, old), lines(1, new));
        if old.len() * new.len() > MAX_LINE_PAIRS {
            let known: HashSet<&[u8]> = old.iter().copied().collect();
            let shared = new.iter().filter(|line| known.contains(*line)).count();
            return shared * 2 >= old.len().max(new.len());
        }
        let resembles = |line: &&&[u8]| old.iter().any(|other| line_similarity(other, line) > 0);
        let shared = new.iter().filter(resembles).count();
        shared * 2 >= old.len().max(new.len()).max(1)
    }

    fn add(&mut self, lines: &[Range<usize>; 2]) {
        let bytes = |side: usize| {
            let start = self.outlines[side].line_start(lines[side].start);
            let end = self.outlines[side].line_start(lines[side].end);
            start as u32..end.max(start) as u32
        };
        let segment = TextDelta { old: bytes(0), new: bytes(1) };
        if !segment.old.is_empty() || !segment.new.is_empty() {
            self.segments.push(segment);
        }
    }

    /// The items of blocks that have several lines of their own and a name, in order.
    fn named_items(
        &self,
        side: usize,
        blocks: &[NodeId],
        range: &Range<usize>,
        depth: usize,
    ) -> Vec<NamedItem> {
        let outline = &self.outlines[side];
        let mut items: Vec<NamedItem> = Vec::new();
        for node in blocks.iter().flat_map(|&block| outline.items(block)) {
            let Some((first, last)) = outline.line_range(node) else { continue };
            let from = items.last().map_or(range.start, |item| item.lines.end);
            let lines = first..last + 1;
            // Inside of items, only others that could stand alone are matched, not statements.
            let kind = outline.tree.kind(node);
            if depth > 0 && !INNER_KINDS.iter().any(|part| kind.contains(part)) {
                continue;
            }
            if lines.len() < 2 || first < from || lines.end > range.end || outline.is_comment(node)
            {
                continue;
            }
            if let Some(name) = name(outline, &lines) {
                items.push(NamedItem { node, name, lines });
            }
        }
        items
    }
}

/// The name that the first lines of an item define: one before a list of parameters, or else the last one.
fn name(outline: &Outline<'_>, lines: &Range<usize>) -> Option<Vec<u8>> {
    lines.clone().take(HEADER_LINES).find_map(|line| {
        let text = &outline.text[outline.line_start(line)..outline.line_start(line + 1)];
        let end = text.iter().position(|byte| matches!(byte, b'=' | b'{')).unwrap_or(text.len());
        let defined: Vec<Range<usize>> = identifiers(&text[..end])
            .filter(|word| !is_defining_word(&text[word.clone()]) && is_definition(text, word))
            .collect();
        let has_parameters = |word: &&Range<usize>| text.get(word.end) == Some(&b'(');
        let word = defined.iter().find(has_parameters).or(defined.last())?;
        Some(text[word.clone()].to_vec())
    })
}

/// The pairs of items with the same name that is unique on both sides; as many of them as are in the same order.
fn matching(items: &[Vec<NamedItem>; 2]) -> Vec<[usize; 2]> {
    let places = |items: &[NamedItem]| -> HashMap<Vec<u8>, Vec<usize>> {
        let mut places: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        for (index, item) in items.iter().enumerate() {
            places.entry(item.name.clone()).or_default().push(index);
        }
        places
    };
    let (old, new) = (places(&items[0]), places(&items[1]));
    let unique = |name: &Vec<u8>| match (old.get(name)?.as_slice(), new.get(name)?.as_slice()) {
        ([old], [new]) => Some([*old, *new]),
        _ => None,
    };
    let pairs: Vec<[usize; 2]> = items[0].iter().filter_map(|item| unique(&item.name)).collect();
    // The longest ascending sequence: for each length, the pair that ends such a sequence earliest.
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = vec![None; pairs.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let at = ends.partition_point(|&end| pairs[end][1] < pair[1]);
        before[index] = at.checked_sub(1).map(|previous| ends[previous]);
        match ends.get_mut(at) {
            Some(end) => *end = index,
            None => ends.push(index),
        }
    }
    let mut chosen: Vec<[usize; 2]> =
        std::iter::successors(ends.last().copied(), |&index| before[index])
            .map(|index| pairs[index])
            .collect();
    chosen.reverse();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts<'t>(name: &str, old: &'t str, new: &'t str) -> Vec<(&'t str, &'t str)> {
        let slice =
            |text: &'t str, range: Range<u32>| &text[range.start as usize..range.end as usize];
        segments(Path::new(name), old.as_bytes(), new.as_bytes())
            .into_iter()
            .map(|segment| (slice(old, segment.old), slice(new, segment.new)))
            .collect()
    }

    #[test]
    fn functions_are_compared_by_name() {
        let old = "int a(void) {\n  return 1;\n}\n\nint gone(void) {\n  x();\n}\n\nint z(void) {\n  return 26;\n}\n";
        let new = "int a(void) {\n  return 2;\n}\n\nint come(int y) {\n  while (y) {\n    y--;\n  }\n}\n\nint z(void) {\n  return 26;\n}\n";
        let found = texts("x.c", old, new);
        assert!(found.contains(&("int gone(void) {\n  x();\n}\n", "")), "{found:?}");
        let come = "int come(int y) {\n  while (y) {\n    y--;\n  }\n}\n";
        assert!(found.contains(&("", come)), "{found:?}");
    }

    #[test]
    fn what_is_before_an_item_that_is_gone_or_new_is_compared() {
        let head = "//! Rows.\n\nuse a;\nuse b;\n\n";
        let gone = "fn gone() {\n    alpha(1);\n    beta(2);\n}\n\n";
        let come = "fn come(x: &str) -> u8 {\n    while x.is_empty() {}\n    x.len() as u8\n}\n\n";
        let stays = "fn stays() {\n    gamma();\n}\n";
        let old = [head, gone, "const N: u8 = 1;\n\n", stays].concat();
        let new = [head, "const N: u8 = 1;\n\n", come, stays].concat();
        let found = texts("x.rs", &old, &new);
        let is_in =
            |line: &str| found.iter().any(|(old, new)| old.contains(line) && new.contains(line));
        assert!(
            ["use a;", "use b;", "const N", "stays"].iter().all(|line| is_in(line)),
            "{found:?}"
        );
    }

    #[test]
    fn methods_are_compared_within_their_class() {
        let old =
            "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n";
        let new = "class A:\n    def h(self):\n        if self:\n            pass\n\n    def g(self):\n        return 3\n";
        let found = texts("x.py", old, new);
        assert!(found.contains(&("    def f(self):\n        return 1\n", "")), "{found:?}");
    }

    #[test]
    fn a_renamed_function_is_compared_with_what_it_was() {
        let old = "int a(int x) {\n  x += 1;\n  x *= 2;\n  return x;\n}\n";
        let new = "int b(int x) {\n  x += 1;\n  x *= 2;\n  return -x;\n}\n";
        assert_eq!(texts("x.c", old, new), [(old, new)]);
    }

    proptest! {
        #[test]
        fn segments_cover_both_texts(
            old in "([a-c]\\(\\) \\{\n|  x;\n|\\}\n|\n|int [ab];\n){0,20}",
            new in "([a-c]\\(\\) \\{\n|  x;\n|\\}\n|\n|int [ab];\n){0,20}"
        ) {
            let found = texts("x.c", &old, &new);
            let joined: (String, String) = found.into_iter().unzip();
            prop_assert_eq!(joined, (old, new));
        }
    }
}
