//! The list-like children of a node: statements, arguments, members, fields.
//!
//! One rule gives the lists of every grammar: named children without a field, or whose field repeats in
//! that parent. Children with a field of their own are parts, not elements.

use crate::{Draft, Edit};
use std::ops::Range;
use wynot_subjects::NodeId;

/// The elements of one list.
#[derive(Clone, Debug)]
pub struct Group {
    /// The nodes themselves.
    pub nodes: Vec<NodeId>,
    /// Where they are, with what is attached to them.
    spans: Vec<Range<u32>>,
    /// Whether the gap behind each element may go with it.
    loose: Vec<bool>,
    /// What stands in for a list that must not be empty.
    filler: Option<&'static str>,
}

impl Group {
    /// The list below a node, if it has one.
    pub fn of(draft: &Draft, parent: NodeId) -> Option<Self> {
        let tree = &draft.tree;
        let fields: Vec<&str> = tree.children(parent).map(|child| tree.field(child)).collect();
        let repeats = |field: &str| fields.iter().filter(|&&other| other == field).count() > 1;
        let mut group = Self { nodes: vec![], spans: vec![], loose: vec![], filler: None };
        let mut tokens = 0;
        let mut attached = None;
        for child in tree.children(parent) {
            let span = draft.span(child);
            let field = tree.field(child);
            if !tree.is_named(child) || !(field.is_empty() || repeats(field)) {
                tokens += 1;
                continue;
            }
            if draft.language.attached.contains(&tree.kind(child)) {
                attached = attached.or(Some(span.start));
                continue;
            }
            if let Some(gap) = group.loose.last_mut() {
                *gap = tokens <= 1;
            }
            let start = attached.take().unwrap_or(span.start);
            group.nodes.push(child);
            group.spans.push(start..span.end);
            group.loose.push(false);
            tokens = 0;
        }
        group.drop_head(draft);
        let kind = tree.kind(parent);
        if draft.language.is_layout_sensitive && kind == "block" {
            group.filler = draft.language.body;
        }
        (!group.nodes.is_empty()).then_some(group)
    }

    /// A word before elements of another kind names the list (a tag, an operator) and is none of them.
    fn drop_head(&mut self, draft: &Draft) {
        let tree = &draft.tree;
        let [head, first, rest @ ..] = self.nodes.as_slice() else { return };
        let kind = tree.kind(*first);
        let names = tree.is_leaf(*head) && tree.kind(*head) != kind;
        if names && rest.iter().all(|&node| tree.kind(node) == kind) {
            self.nodes.remove(0);
            self.spans.remove(0);
            self.loose.remove(0);
        }
    }

    /// How many elements; there is at least one.
    #[expect(clippy::len_without_is_empty, reason = "a group is never empty")]
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// How many bytes of an element are left.
    pub fn weight(&self, draft: &Draft, element: u32) -> usize {
        let span = &self.spans[element as usize];
        if span.is_empty() || draft.edits.covers(span) { 0 } else { draft.edits.left_of(span) }
    }

    /// The edits that take out what is left of the elements `from..to`, with their separators.
    pub fn delete(&self, draft: &Draft, (from, to): (u32, u32)) -> Vec<Edit> {
        let (from, to) = (from as usize, to as usize);
        let alive = |element: &usize| self.weight(draft, *element as u32) > 0;
        let Some(first) = (from..to).find(alive) else { return Vec::new() };
        let last = (from..to).rev().find(alive).unwrap_or(first);
        let before = (0..first).rev().find(alive);
        let behind = (last + 1..self.len()).find(alive);
        let loose = |from: usize, to: usize| self.loose[from..to].iter().all(|&loose| loose);
        let span = match (before, behind) {
            (_, Some(behind)) if loose(last, behind) => {
                self.spans[first].start..self.spans[behind].start
            }
            (Some(before), _) if loose(before, first) => {
                self.spans[before].end..self.spans[last].end
            }
            (None, None) if self.filler.is_none() => {
                // Nothing is left to keep apart from what stands before the list.
                let start = self.spans[first].start as usize;
                let blanks = draft.text[..start].iter().rev().take_while(|&&byte| byte == b' ');
                (start - blanks.count()) as u32..self.spans[last].end
            }
            _ => self.spans[first].start..self.spans[last].end,
        };
        match (before, behind, self.filler) {
            (None, None, Some(filler)) => vec![Edit::replace(span, filler)],
            _ => vec![draft.cut(span)],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wynot_subjects::Language;

    fn draft(language: &str, text: &str) -> Draft {
        Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap())
    }

    /// The text without some elements of the first list that has enough of them.
    fn without(language: &str, text: &str, stretch: (u32, u32)) -> String {
        let draft = draft(language, text);
        let nodes = 0..draft.tree.nodes().len() as NodeId;
        let mut groups = nodes.filter_map(|node| Group::of(&draft, node));
        let group = groups.find(|group| group.len() >= 3).unwrap();
        String::from_utf8(draft.with(&group.delete(&draft, stretch)).text()).unwrap()
    }

    #[test]
    fn separators_go_with_their_elements() {
        assert_eq!(without("json", "[1, 2, 3]", (1, 2)), "[1, 3]");
        assert_eq!(without("json", "[1, 2, 3]", (2, 3)), "[1, 2]");
        assert_eq!(without("json", "[1, 2, 3]", (0, 3)), "[]");
        assert_eq!(without("c", "int a;\nint b;\nint c;\n", (0, 1)), "int b;\nint c;\n");
        assert_eq!(without("html", "<p a=1 b=2 c=3>", (0, 3)), "<p>");
    }

    #[test]
    fn python_blocks_are_never_empty_and_keep_their_indentation() {
        let text = "def f():\n    a\n    b\n    c\n";
        assert_eq!(without("python", text, (0, 1)), "def f():\n    b\n    c\n");
        assert_eq!(without("python", text, (2, 3)), "def f():\n    a\n    b\n");
        assert_eq!(without("python", text, (0, 3)), "def f():\n    pass\n");
    }

    #[test]
    fn attributes_go_with_what_they_belong_to() {
        let text = "#[a]\nfn f() {}\nfn g() {}\n#[b]\n#[c]\nfn h() {}\n";
        assert_eq!(without("rust", text, (0, 1)), "fn g() {}\n#[b]\n#[c]\nfn h() {}\n");
        assert_eq!(without("rust", text, (2, 3)), "#[a]\nfn f() {}\nfn g() {}\n");
    }
}
