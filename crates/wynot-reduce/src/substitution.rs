//! A declaration goes, and something simpler takes the place of its name wherever it is used: a constant, or
//! a name that the declaration itself uses.

use crate::choices::{Choices, choosing};
use crate::references::References;
use crate::{Draft, Edit, Group, category};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_subjects::NodeId;

choosing! {
    /// Puts simpler things in the place of declared names.
    Substitution, "substitution"
}

/// Above this many bytes, names are left alone: every use of every name is looked at.
const LARGE: usize = 128 << 10;

/// How many names of a declaration are tried in its place.
const CANDIDATES: usize = 6;

impl Substitution {
    pub fn new(draft: &Draft) -> Self {
        if draft.text.len() > LARGE {
            return Self(Choices::new(Vec::new()));
        }
        let references = References::of(draft);
        let mut choices = Vec::new();
        for declaration in references.declarations() {
            let uses = references.uses_outside(declaration);
            if uses.is_empty() {
                continue;
            }
            let inside: BTreeSet<&[u8]> = references.names_inside(declaration).collect();
            let constants = draft.language.types.iter().chain(draft.language.expressions);
            let constants = constants.map(|constant| constant.as_bytes());
            let values = values(draft, &declaration.span);
            let values = values.iter().map(Vec::as_slice);
            for simpler in values.chain(constants).chain(inside.into_iter().take(CANDIDATES)) {
                let mut edits = vec![Edit::delete(declaration.span.clone())];
                edits.extend(uses.iter().map(|span| Edit::replace(span.clone(), simpler)));
                edits.sort_by_key(|edit| edit.span.start);
                choices.push(edits);
            }
        }
        choices.extend(assigned(draft));
        choices.extend(equal_types(draft));
        Self(Choices::new(choices))
    }
}

/// Names that are given a value once: the value takes their place.
fn assigned(draft: &Draft) -> Vec<Vec<Edit>> {
    let tree = &draft.tree;
    let mut choices = Vec::new();
    for id in 0..tree.nodes().len() as NodeId {
        let part =
            |fields: [&str; 4]| fields.iter().find_map(|field| tree.child_by_field(id, field));
        let name = part(["left", "name", "pattern", "declarator"]).filter(|&id| tree.is_leaf(id));
        let value = part(["right", "value", "default", "init"]);
        let (Some(name), Some(value)) = (name, value) else { continue };
        let Some(statement) = element(draft, id) else { continue };
        let gone = statement.iter().map(|edit| edit.span.clone()).collect::<Vec<_>>();
        let is_use = |leaf: &NodeId| {
            let span = draft.span(*leaf);
            draft.text_of(*leaf) == draft.text_of(name)
                && !gone.iter().any(|gone| gone.start <= span.start && span.end <= gone.end)
        };
        let uses: Vec<NodeId> = tree.leaves(0).filter(is_use).collect();
        if !uses.is_empty() {
            let mut edits = statement;
            let text = draft.text_of(value);
            edits.extend(uses.iter().map(|&leaf| Edit::replace(draft.span(leaf), text)));
            edits.sort_by_key(|edit| edit.span.start);
            choices.push(edits);
        }
    }
    choices
}

/// The edits that take out the element of a block that a node is, or is the only thing in.
fn element(draft: &Draft, node: NodeId) -> Option<Vec<Edit>> {
    let mut inner = node;
    for _ in 0..3 {
        let parent = draft.tree.node(inner).parent;
        let group = Group::of(draft, parent)?;
        let at = group.nodes.iter().position(|&element| element == inner)? as u32;
        if parent == 0 || category::is_block(draft, parent) {
            return Some(group.delete(draft, (at, at + 1)));
        }
        inner = parent;
    }
    None
}

/// Types that occur several times: the simplest one everywhere.
fn equal_types(draft: &Draft) -> Vec<Vec<Edit>> {
    let Some(simplest) = draft.language.types.first() else { return Vec::new() };
    let mut by_text: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
    for id in 0..draft.tree.nodes().len() as NodeId {
        if category::is_type(draft, id) && draft.size(id) > simplest.len() {
            let edits = by_text.entry(draft.text_of(id)).or_default();
            // Types within types come as part of them.
            if edits.last().is_none_or(|last| last.span.end <= draft.span(id).start) {
                edits.push(Edit::replace(draft.span(id), *simplest));
            }
        }
    }
    by_text.into_values().filter(|edits| edits.len() > 1).collect()
}

/// What a declaration gives its names: their value, or the type they stand for.
fn values(draft: &Draft, span: &Range<u32>) -> Vec<Vec<u8>> {
    let nodes = (0..draft.tree.nodes().len() as NodeId).filter(|&id| {
        let node = draft.tree.node(id);
        span.start <= node.start
            && node.end <= span.end
            && matches!(draft.tree.field(id), "value" | "type")
    });
    nodes.map(|id| draft.text_of(id).to_vec()).take(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    #[test]
    fn a_function_may_give_way_to_the_one_it_calls() {
        let text = "int g();\nint f(){g();}\nint main(){f();}\n";
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named("c").unwrap());
        let mut pass = Substitution::new(&draft);
        let proposed = std::iter::from_fn(|| pass.propose(&draft));
        let tried: Vec<String> =
            proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect();
        assert!(tried.contains(&"int g();\nint main(){g();}\n".to_owned()), "{tried:?}");
    }

    fn tried(language: &str, text: &str) -> Vec<String> {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let mut pass = Substitution::new(&draft);
        let proposed = std::iter::from_fn(|| pass.propose(&draft));
        proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    #[test]
    fn a_value_may_take_the_place_of_its_name() {
        let python = tried("python", "def f(a):\n h = 0\n a[1] = h\n");
        assert!(python.contains(&"def f(a):\n a[1] = 0\n".to_owned()), "{python:?}");
        let rust = tried("rust", "fn f() { let h = g(); k(h); }");
        assert!(rust.contains(&"fn f() { k(g()); }".to_owned()), "{rust:?}");
    }

    #[test]
    fn equal_types_become_simpler_together() {
        let rust = tried("rust", "fn f(a: Map<String, u8>) -> String {}");
        assert!(rust.contains(&"fn f(a: Map<(), u8>) -> () {}".to_owned()), "{rust:?}");
    }
}
