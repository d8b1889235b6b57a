//! The children of a node that form a list: statements, arguments, members, fields.
//!
//! One rule finds the lists of every grammar: named children without a field name, or with a field name
//! that repeats below the same parent. A child with a field name of its own is a part of its parent and
//! not an element.

use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_subjects::{NodeId, SyntaxTree};

/// The elements of one list.
#[derive(Clone, Debug)]
pub struct List {
    /// The nodes of the elements.
    pub nodes: Vec<NodeId>,
    /// The spans of the elements, each with the attributes before it.
    spans: Vec<Range<u32>>,
    /// For each element, whether the text between it and the next one is a mere separator.
    separated: Vec<bool>,
    /// The replacement of all elements where a list must not be empty.
    filler: Option<&'static str>,
}

impl List {
    /// The list below a node, if it has one.
    pub fn of(parsed: &ParsedText, parent: NodeId) -> Option<Self> {
        let tree = &parsed.tree;
        let repeated = repeated_fields(tree, parent);
        let mut list = Self { nodes: vec![], spans: vec![], separated: vec![], filler: None };
        let mut tokens_between = 0;
        let mut attached = None;
        for child in tree.children(parent) {
            let span = parsed.span(child);
            let field = tree.field(child);
            if !tree.is_named(child) || !(field.is_empty() || repeated.contains(&field)) {
                tokens_between += 1;
                continue;
            }
            if parsed.language.attached.contains(&tree.kind(child)) {
                attached = attached.or(Some(span.start));
                continue;
            }
            if let Some(gap) = list.separated.last_mut() {
                *gap = tokens_between <= 1;
            }
            let span = span.start..end_of_label(tree, child).unwrap_or(span.end);
            let start = attached.take().unwrap_or(span.start);
            list.nodes.push(child);
            list.spans.push(start..span.end);
            list.separated.push(false);
            tokens_between = 0;
        }
        list.drop_head(parsed);
        let kind = tree.kind(parent);
        if parsed.language.is_layout_sensitive && kind == "block" {
            list.filler = parsed.language.body;
        }
        (!list.nodes.is_empty()).then_some(list)
    }

    /// Drops a word before elements of another kind: it names the list, as a tag or an operator does.
    fn drop_head(&mut self, parsed: &ParsedText) {
        let tree = &parsed.tree;
        let [head, first, rest @ ..] = self.nodes.as_slice() else { return };
        let kind = tree.kind(*first);
        let names = tree.is_leaf(*head) && tree.kind(*head) != kind;
        if names && rest.iter().all(|&node| tree.kind(node) == kind) {
            self.nodes.remove(0);
            self.spans.remove(0);
            self.separated.remove(0);
        }
    }

    /// The number of elements, at least one.
    pub fn len(&self) -> usize {
        self.spans.len()
    }

    /// The span of an element, with the attributes before it.
    pub fn span(&self, element: usize) -> Range<u32> {
        self.spans[element].clone()
    }

    /// The number of bytes that the accepted edits leave of an element.
    pub fn weight(&self, parsed: &ParsedText, element: u32) -> usize {
        let span = &self.spans[element as usize];
        if span.is_empty() || parsed.edits.covers(span) { 0 } else { parsed.edits.remaining(span) }
    }

    /// Whether the sign behind an element ends it instead of separating it from the next ones, of which the last has none: `struct A {}; void
    /// f() {}`.
    fn is_terminated(&self, parsed: &ParsedText, element: usize, last: usize) -> bool {
        let sign_behind = |end: u32| {
            parsed.text[end as usize..].iter().find(|byte| !byte.is_ascii_whitespace()).copied()
        };
        parsed.language.has_preprocessor
            && sign_behind(self.spans[element].end) == Some(b';')
            && sign_behind(self.spans[last].end) != Some(b';')
    }

    /// The edits that delete what is left of the elements `from..to`, with their separators.
    pub fn delete(&self, parsed: &ParsedText, (from, to): (u32, u32)) -> Vec<Edit> {
        let (from, to) = (from as usize, to as usize);
        let is_present = |element: &usize| self.weight(parsed, *element as u32) > 0;
        let Some(first) = (from..to).find(is_present) else { return Vec::new() };
        let last = (from..to).rev().find(is_present).unwrap_or(first);
        let before = (0..first).rev().find(is_present);
        let after = (last + 1..self.len()).find(is_present);
        let separated =
            |from: usize, to: usize| self.separated[from..to].iter().all(|&separated| separated);
        let span = match (before, after) {
            (_, Some(after)) if separated(last, after) => {
                self.spans[first].start..self.spans[after].start
            }
            (Some(before), _)
                if separated(before, first) && !self.is_terminated(parsed, before, last) =>
            {
                self.spans[before].end..self.spans[last].end
            }
            (None, None) if self.filler.is_none() => {
                // The blanks before the list separate it from nothing any more.
                let start = self.spans[first].start as usize;
                let blanks = parsed.text[..start].iter().rev().take_while(|&&byte| byte == b' ');
                (start - blanks.count()) as u32..self.spans[last].end
            }
            _ => self.spans[first].start..self.spans[last].end,
        };
        match (before, after, self.filler) {
            (None, None, Some(filler)) => vec![Edit::replace(span, filler)],
            _ => vec![parsed.delete(span)],
        }
    }
}

/// The end of the colon after a word such as `public`, which is no separator.
fn end_of_label(tree: &SyntaxTree, node: NodeId) -> Option<u32> {
    let after = tree.node(node).after;
    let is_label = tree.kind(node) == "access_specifier";
    let is_colon = |colon: &NodeId| tree.kind(*colon) == ":";
    (is_label && (after as usize) < tree.nodes().len())
        .then_some(after)
        .filter(is_colon)
        .map(|colon| tree.node(colon).end)
}

/// The field names that more than one child of a node has.
fn repeated_fields(tree: &SyntaxTree, parent: NodeId) -> Vec<&str> {
    let (mut seen, mut repeated) = (Vec::new(), Vec::new());
    for field in tree.children(parent).map(|child| tree.field(child)) {
        if !field.is_empty() && !repeated.contains(&field) {
            match seen.contains(&field) {
                true => repeated.push(field),
                false => seen.push(field),
            }
        }
    }
    repeated
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use wynot_subjects::Language;

    fn parse(language: &str, text: &str) -> ParsedText {
        ParsedText::new(text.as_bytes().to_vec(), Language::named(language).unwrap(), &NoHooks)
    }

    /// The text without some elements of the first list that has enough of them.
    fn without(language: &str, text: &str, range: (u32, u32)) -> String {
        let parsed = parse(language, text);
        let nodes = parsed.node_ids();
        let mut lists = nodes.filter_map(|node| List::of(&parsed, node));
        let list = lists.find(|list| list.len() >= 3).unwrap();
        String::from_utf8(parsed.with_edits(&list.delete(&parsed, range)).text()).unwrap()
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
    fn a_sign_that_ends_an_element_stays() {
        let text = "namespace n { struct A {}; struct B {}; void f() {} }";
        assert_eq!(without("cpp", text, (2, 3)), "namespace n { struct A {}; struct B {};  }");
        assert_eq!(without("cpp", text, (1, 3)), "namespace n { struct A {};  }");
    }

    #[test]
    fn what_is_for_a_preprocessor_keeps_its_line() {
        let text = "int a;\n  int b;\n# 7 \"x.h\"\nint c;\nint d;\n";
        let left = without("c", text, (1, 2));
        assert!(left.contains("\n# 7"), "{left}");
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
