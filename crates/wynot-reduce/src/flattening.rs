//! Structure that a value does not need: brackets around one thing, and paths to a member.

use crate::choices::{Choices, choosing};
use crate::{Draft, Edit};
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

choosing! {
    /// Takes a pair of brackets away, with or without what it belongs to, and leaves what is between them.
    Unwrapping, "unwrapping"
}

impl Unwrapping {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let mut choices = Vec::new();
        for id in 0..tree.nodes().len() as NodeId {
            let children: Vec<NodeId> = tree.children(id).collect();
            let (Some(&first), Some(&last)) = (children.first(), children.last()) else { continue };
            let pair = (draft.text_of(first), draft.text_of(last));
            if matches!(pair, (b"(", b")") | (b"{", b"}") | (b"[", b"]")) {
                choices.push(vec![draft.cut(draft.span(first)), draft.cut(draft.span(last))]);
                let owner = tree.node(id).parent;
                if pair.0 == b"{" && owner != 0 {
                    let owner = draft.span(owner);
                    let (open, close) = (draft.span(first), draft.span(last));
                    let head = draft.cut(owner.start..open.end);
                    choices.push(vec![head, draft.cut(close.start..owner.end)]);
                }
            }
        }
        Self(Choices::new(choices))
    }
}

choosing! {
    /// Makes a variable a plain number: its type becomes the simplest one, and every path that begins at
    /// it (a member, an element, what it points to) becomes the variable itself.
    Flattening, "flattening"
}

/// Kinds of paths; the object is their first named child.
const PATHS: &[&str] = &[
    "field_expression",
    "subscript_expression",
    "pointer_expression",
    "member_expression",
    "field_access",
    "array_access",
    "parenthesized_expression",
];

/// Kinds that declare one variable or parameter, type first.
const DECLARATIONS: &[&str] = &["parameter_declaration", "declaration", "formal_parameter"];

impl Flattening {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let Some(simplest) = draft.language.types.first() else {
            return Self(Choices::new(Vec::new()));
        };
        let mut declared: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
        for id in 0..tree.nodes().len() as NodeId {
            if !DECLARATIONS.contains(&tree.kind(id)) {
                continue;
            }
            let Some(name) = declarator(draft, id) else { continue };
            let end = if tree.kind(id) == "declaration" { ";" } else { "" };
            let mut text = simplest.as_bytes().to_vec();
            text.push(b' ');
            text.extend_from_slice(draft.text_of(name));
            text.extend_from_slice(end.as_bytes());
            declared
                .entry(draft.text_of(name))
                .or_default()
                .push(Edit::replace(draft.span(id), text));
        }
        let mut choices = Vec::new();
        for (name, declarations) in declared {
            let uses = (0..tree.nodes().len() as NodeId)
                .filter(|&id| tree.is_leaf(id) && draft.text_of(id) == name);
            let mut edits = declarations.clone();
            for leaf in uses {
                let path = path_from(draft, leaf);
                let inside =
                    declarations.iter().any(|edit| edit.span.contains(&tree.node(leaf).start));
                if path != leaf && !inside {
                    edits.push(Edit::replace(draft.span(path), name));
                }
            }
            edits.sort_by_key(|edit| edit.span.start);
            choices.push(edits);
        }
        Self(Choices::new(choices))
    }
}

/// The innermost declarator of a declaration with a single one.
fn declarator(draft: &Draft, id: NodeId) -> Option<NodeId> {
    let mut next = draft
        .tree
        .child_by_field(id, "declarator")
        .or_else(|| draft.tree.child_by_field(id, "name"))?;
    while !draft.tree.is_leaf(next) {
        next = draft.tree.child_by_field(next, "declarator")?;
    }
    Some(next)
}

/// The longest path that begins at a leaf. Brackets are part of a path only if it goes on behind them.
fn path_from(draft: &Draft, leaf: NodeId) -> NodeId {
    let tree = &draft.tree;
    let (mut path, mut next) = (leaf, leaf);
    while next > 0 {
        let parent = tree.node(next).parent;
        let object = tree.children(parent).find(|&child| tree.is_named(child));
        if !PATHS.contains(&tree.kind(parent)) || object != Some(next) {
            break;
        }
        next = parent;
        if tree.kind(next) != "parenthesized_expression" {
            path = next;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    fn proposals(mut pass: impl Pass, draft: &Draft) -> Vec<String> {
        let proposed = std::iter::from_fn(|| pass.propose(draft));
        proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    #[test]
    fn a_pointer_to_a_structure_becomes_a_number() {
        let text = "int a(struct c*o,int g){return g*o->b.d[1];}";
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named("c").unwrap());
        let tried = proposals(Flattening::new(&draft), &draft);
        assert!(tried.contains(&"int a(int o,int g){return g*o;}".to_owned()), "{tried:?}");
    }

    #[test]
    fn brackets_go_in_pairs() {
        let draft = Draft::new(b"f(){{x;}}".to_vec(), Language::named("c").unwrap());
        let tried = proposals(Unwrapping::new(&draft), &draft);
        assert!(tried.contains(&"f(){x;}".to_owned()), "{tried:?}");
    }

    #[test]
    fn what_is_in_a_block_does_without_what_the_block_belongs_to() {
        let text = "namespace n{class a{};}int b;";
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named("cpp").unwrap());
        let tried = proposals(Unwrapping::new(&draft), &draft);
        assert!(tried.contains(&"class a{};int b;".to_owned()), "{tried:?}");
    }

    #[test]
    fn brackets_that_a_statement_needs_stay() {
        let text = "int f(enum e b){switch(b){}return (*b).c;}";
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named("c").unwrap());
        let tried = proposals(Flattening::new(&draft), &draft);
        let expected = "int f(int b){switch(b){}return b;}".to_owned();
        assert!(tried.contains(&expected), "{tried:?}");
    }
}
