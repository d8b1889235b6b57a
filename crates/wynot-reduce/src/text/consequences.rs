//! What must change with an edit, so that names and blocks still fit: an edit and its consequences are one.
//!
//! Where a definition goes, what mentions it goes as well, or gets a value that stands for nothing in particular. Where
//! a jump goes, the values that came with it go. This is for languages in which a text with a name that is not defined
//! cannot be right (`Language::missing_value`); elsewhere passes decide what goes with what.

use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::references::References;
use crate::text::span_set::SpanSet;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_subjects::NodeId;

/// Lists that must have an element. What they belong to goes with the last one.
const NEVER_EMPTY: &[&str] = &["phi"];

/// The names of a text, as far as edits have consequences for them.
#[derive(Debug)]
pub struct Consequences {
    references: References,
    /// For each name, the indices of its uses.
    uses_of: Vec<Vec<u32>>,
    /// The indices of the uses that define a name.
    definitions: Vec<u32>,
    /// The instructions that end blocks.
    terminators: Vec<NodeId>,
}

impl Consequences {
    /// What edits of a text can lead to.
    pub fn of(parsed: &ParsedText) -> Self {
        let references = References::of(parsed);
        let mut uses_of = vec![Vec::new(); references.name_count()];
        let mut definitions = Vec::new();
        for (index, (leaf, name)) in references.named_leaves().enumerate() {
            uses_of[name].push(index as u32);
            if parsed.tree.field(leaf) == "name" {
                definitions.push(index as u32);
            }
        }
        let is_terminator = |id: &NodeId| parsed.tree.kind(*id) == "terminator_statement";
        let terminators = parsed.node_ids().filter(is_terminator).collect();
        Self { references, uses_of, definitions, terminators }
    }

    /// Edits with their consequences.
    pub fn with(&self, parsed: &ParsedText, edits: Vec<Edit>) -> Vec<Edit> {
        let mut closure = Closure {
            index: self,
            parsed,
            gone: SpanSet::default(),
            elements: BTreeMap::new(),
            edits: Vec::new(),
            pending: Vec::new(),
        };
        for mut edit in edits {
            closure.end_blocks(&mut edit);
            if !self.renames(parsed, &edit) {
                closure.remove(edit.span.clone());
            }
            closure.edits.push(edit);
        }
        while let Some(span) = closure.pending.pop() {
            closure.follow(&span);
        }
        closure.finish()
    }

    /// Whether an edit gives another name to what a name defines, so that nothing is missing after it.
    fn renames(&self, parsed: &ParsedText, edit: &Edit) -> bool {
        let all = &self.definitions;
        let after =
            all.partition_point(|&index| self.references.position(index) <= edit.span.start);
        let definition = after.checked_sub(1).map(|before| self.references.leaf(all[before]));
        definition.is_some_and(|leaf| edit.span.end <= parsed.span(leaf).end)
            && !edit.text.is_empty()
    }
}

/// Edits, and what was found to follow from them so far.
struct Closure<'a> {
    index: &'a Consequences,
    parsed: &'a ParsedText,
    /// What goes.
    gone: SpanSet,
    /// For each list that loses elements, the indices of these.
    elements: BTreeMap<NodeId, BTreeSet<u32>>,
    edits: Vec<Edit>,
    /// Spans that go, whose consequences are not looked at yet.
    pending: Vec<Range<u32>>,
}

impl Closure<'_> {
    fn remove(&mut self, span: Range<u32>) {
        if !span.is_empty() && self.gone.insert(span.clone()) {
            self.pending.push(span);
        }
    }

    fn is_gone(&self, at: u32) -> bool {
        self.gone.contains(at) || self.parsed.edits.covers(&(at..at + 1))
    }

    /// A deletion at the end of a block leaves something that ends it.
    fn end_blocks(&self, edit: &mut Edit) {
        let (parsed, tree) = (self.parsed, &self.parsed.tree);
        let last = self.terminators_in(&edit.span).last();
        let Some(last) = last.filter(|_| edit.text.trim_ascii().is_empty()) else { return };
        let block = tree.node(last).parent;
        let starts_before = tree.node(block).start < edit.span.start;
        let ends_after = tree.node(last).end <= edit.span.end;
        if starts_before && ends_after && !parsed.edits.covers(&parsed.span(last)) {
            let ending = parsed.language.statements.first().copied().unwrap_or_default();
            edit.text = [b"\n", ending.as_bytes()].concat();
            if parsed.text.get(edit.span.end as usize).is_some_and(|byte| *byte != b'\n') {
                edit.text.push(b'\n');
            }
        }
    }

    fn terminators_in(
        &self,
        span: &Range<u32>,
    ) -> impl DoubleEndedIterator<Item = NodeId> + use<'_> {
        let all = &self.index.terminators;
        let start = |at: u32| all.partition_point(|&id| self.parsed.tree.node(id).start < at);
        all[start(span.start)..start(span.end).max(start(span.start))].iter().copied()
    }

    /// Finds what follows from the removal of a span.
    fn follow(&mut self, span: &Range<u32>) {
        let (index, parsed) = (self.index, self.parsed);
        let all = &index.definitions;
        let start =
            |at: u32| all.partition_point(|&use_index| index.references.position(use_index) < at);
        for &definition in &all[start(span.start)..start(span.end)] {
            let at = index.references.position(definition);
            if parsed.edits.covers(&(at..at + 1)) {
                continue;
            }
            let name = index.references.name(definition);
            let uses = &index.uses_of[name];
            let field = |mention: u32| parsed.tree.field(index.references.leaf(mention));
            let defines = |&&mention: &&u32| {
                field(mention) == "name" && !self.is_gone(index.references.position(mention))
            };
            if uses.iter().any(|mention| defines(&mention)) {
                continue;
            }
            for &mention in uses {
                if !self.is_gone(index.references.position(mention)) {
                    self.lose_mention(index.references.leaf(mention));
                }
            }
        }
        let terminators: Vec<NodeId> = self.terminators_in(span).collect();
        for terminator in terminators {
            self.drop_edges(terminator);
        }
    }

    /// Something mentions a name that is no longer defined.
    fn lose_mention(&mut self, leaf: NodeId) {
        let parsed = self.parsed;
        let tree = &parsed.tree;
        let around = |kinds: &[&str]| {
            let outer = std::iter::successors(Some(leaf), |&id| Some(tree.node(id).parent));
            outer.take_while(|&id| id != 0).find(|&id| kinds.contains(&tree.kind(id)))
        };
        match tree.kind(leaf) {
            "identifier_expression" => {
                let is_called = parsed.text.get(tree.span(leaf).end) == Some(&b'(');
                let call = around(&["call_instruction"]).filter(|_| is_called);
                match (call, parsed.language.missing_value) {
                    (Some(call), _) => self.remove_element(call),
                    (None, Some(value)) => self.replace(parsed.span(leaf), value),
                    (None, None) => {}
                }
            }
            "label_identifier" => match around(&["case", "terminator_statement"]) {
                Some(case) if tree.kind(case) == "case" => self.remove_element(case),
                Some(terminator) => self.lose_label(terminator),
                None => {}
            },
            "metadata_identifier" | "predecessor_identifier" | "attribute_identifier" => {
                let element =
                    around(&["attachment", "incoming", "element", "attribute_identifier"]);
                let is_numbered =
                    |item: NodeId| parsed.text_of(item).get(1).is_some_and(u8::is_ascii_digit);
                match element {
                    Some(element)
                        if tree.kind(element) == "element"
                            && tree.span(element) == tree.span(leaf)
                            && is_numbered(tree.node(element).parent) =>
                    {
                        self.replace(parsed.span(leaf), "null");
                    }
                    Some(element) => self.remove_element(element),
                    None => {}
                }
            }
            _ => {}
        }
    }

    /// A jump loses one of its targets: of two, the other one is left.
    fn lose_label(&mut self, terminator: NodeId) {
        let (parsed, tree) = (self.parsed, &self.parsed.tree);
        let labels = tree.leaves(terminator).filter(|&id| tree.kind(id) == "label_identifier");
        let labels: Vec<NodeId> = labels.collect();
        let is_defined = |label: &NodeId| {
            self.block_of(*label).is_some_and(|block| {
                tree.child_by_field(block, "name")
                    .is_some_and(|name| !self.is_gone(tree.node(name).start))
            })
        };
        let left: Vec<NodeId> = labels.iter().copied().filter(|label| is_defined(label)).collect();
        let span = parsed.span(terminator);
        let is_branch = parsed.text_of(terminator).starts_with(b"br ");
        if let ([_, _], [left], true) = (labels.as_slice(), left.as_slice(), is_branch) {
            let label = parsed.span(*left);
            let before = span.start + "br ".len() as u32;
            let keyword = label.start - "label ".len() as u32;
            for gone in [before..keyword, label.end..parsed.span(labels[1]).end.max(label.end)] {
                self.remove(gone.clone());
                self.edits.push(Edit::delete(gone));
            }
            return;
        }
        let ending = parsed.language.statements.first().copied().unwrap_or_default();
        self.replace(span, ending);
    }

    fn replace(&mut self, span: Range<u32>, text: &str) {
        self.edits.push(Edit::replace(span.clone(), text));
        self.remove(span);
    }

    /// The block that a label leads to.
    fn block_of(&self, label: NodeId) -> Option<NodeId> {
        let index = self.index;
        let name = index.references.name_of(label)?;
        let leaves = index.uses_of[name].iter().map(|&mention| index.references.leaf(mention));
        let mut definitions =
            leaves.filter(|&leaf| self.parsed.tree.kind(leaf) == "block_identifier");
        definitions.next().map(|leaf| self.parsed.tree.node(leaf).parent)
    }

    /// A block no longer ends in a jump: the values that come with the jump go.
    fn drop_edges(&mut self, terminator: NodeId) {
        let tree = &self.parsed.tree;
        let block = tree.node(terminator).parent;
        let name =
            tree.child_by_field(block, "name").filter(|&name| !self.is_gone(tree.node(name).start));
        let Some(name) = name.and_then(|name| self.index.references.name_of(name)) else { return };
        if self.parsed.edits.covers(&self.parsed.span(terminator)) {
            return;
        }
        let labels: Vec<NodeId> =
            tree.leaves(terminator).filter(|&id| tree.kind(id) == "label_identifier").collect();
        for label in labels {
            let Some(target) = self.block_of(label) else { continue };
            let phis = tree.children(target).filter(|&id| tree.kind(id) == "phi");
            let incoming: Vec<NodeId> = phis
                .flat_map(|phi| tree.children(phi))
                .filter(|&id| tree.kind(id) == "incoming" && !self.is_gone(tree.node(id).start))
                .filter(|&id| {
                    let from = tree.child_by_field(id, "predecessor");
                    from.and_then(|from| self.index.references.name_of(from)) == Some(name)
                })
                .collect();
            incoming.into_iter().for_each(|id| self.remove_element(id));
        }
    }

    /// Removes an element of a list.
    fn remove_element(&mut self, element: NodeId) {
        let (parsed, tree) = (self.parsed, &self.parsed.tree);
        let parent = tree.node(element).parent;
        if matches!(tree.kind(parent), "basic_block" | "module") {
            let mut span = parsed.span(element);
            let rest = &parsed.text[span.end as usize..];
            span.end += rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
            self.edits.push(Edit::delete(span.clone()));
            self.remove(span);
            return;
        }
        let Some(list) = List::of(parsed, parent) else { return };
        let Some(at) = list.nodes.iter().position(|&node| node == element) else { return };
        let gone = self.elements.entry(parent).or_default();
        gone.insert(at as u32);
        let all = 0..list.len() as u32;
        let is_empty = all.clone().all(|at| gone.contains(&at) || list.weight(parsed, at) == 0);
        self.remove(parsed.span(element));
        if is_empty && NEVER_EMPTY.contains(&tree.kind(parent)) {
            self.remove_element(parent);
        }
    }

    /// All edits.
    fn finish(mut self) -> Vec<Edit> {
        for (parent, gone) in std::mem::take(&mut self.elements) {
            let Some(list) = List::of(self.parsed, parent) else { continue };
            let mut at = 0;
            while at < list.len() as u32 {
                let end = (at..).find(|next| !gone.contains(next)).unwrap_or(at);
                if end > at {
                    self.edits.extend(list.delete(self.parsed, (at, end)));
                }
                at = end + 1;
            }
        }
        self.edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use wynot_subjects::Language;

    const FUNCTION: &str = "define i32 @f(i32 %x) {\na:\n%y = add i32 %x, 1\nbr i1 %c, label %b, label %d\n\
        b:\nbr label %d\nd:\n%r = phi i32 [ %y, %a ], [ 2, %b ]\nret i32 %r\n}\n";

    fn without(part: &str) -> String {
        let language = Language::named("llvm").unwrap();
        let parsed = ParsedText::new(FUNCTION.as_bytes().to_vec(), language, &NoHooks);
        let at = FUNCTION.find(part).unwrap() as u32;
        let edits = vec![Edit::delete(at..at + part.len() as u32)];
        let edits = Consequences::of(&parsed).with(&parsed, edits);
        String::from_utf8(parsed.with_edits(&edits).text()).unwrap()
    }

    #[test]
    fn a_value_that_goes_becomes_undefined_elsewhere() {
        assert_eq!(
            without("%y = add i32 %x, 1\n"),
            FUNCTION.replace("%y = add i32 %x, 1\n", "").replace("%y", "undef")
        );
    }

    #[test]
    fn a_block_goes_with_the_jumps_to_it_and_its_values() {
        let expected = "define i32 @f(i32 %x) {\na:\n%y = add i32 %x, 1\nbr label %d\n\
            d:\n%r = phi i32 [ %y, %a ]\nret i32 %r\n}\n";
        assert_eq!(without("b:\nbr label %d\n"), expected);
    }

    #[test]
    fn a_block_without_its_end_gets_another_one() {
        let expected = "define i32 @f(i32 %x) {\na:\n%y = add i32 %x, 1\nbr i1 %c, label %b, label %d\n\
            b:\nunreachable\nd:\n%r = phi i32 [ %y, %a ]\nret i32 %r\n}\n";
        assert_eq!(without("\nbr label %d"), expected);
        let whole = without("\nd:\n%r = phi i32 [ %y, %a ], [ 2, %b ]\nret i32 %r");
        assert_eq!(
            whole,
            "define i32 @f(i32 %x) {\na:\n%y = add i32 %x, 1\nbr label %b\nb:\nunreachable\n}\n"
        );
    }
}
