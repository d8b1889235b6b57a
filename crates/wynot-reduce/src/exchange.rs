//! In short texts, anything may stand for anything: an expression becomes a name that is used nearby, and
//! what a statement computes moves into a call next to it, or is returned. What nobody names after that
//! goes at once.

use crate::choices::{Choices, choosing};
use crate::references::References;
use crate::{Draft, Edit, Group, category};
use std::collections::BTreeSet;
use wynot_subjects::NodeId;

/// Below this many bytes, texts are short.
const SHORT: usize = 400;

/// How many names are tried in the place of an expression.
const CANDIDATES: usize = 6;

choosing! {
    /// Puts names in the place of expressions.
    Exchange, "exchange"
}

impl Exchange {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        if !is_short(draft) {
            return Self(Choices::new(Vec::new()));
        }
        let mut expressions: Vec<NodeId> =
            (1..tree.nodes().len() as NodeId).filter(|&id| is_value(draft, id)).collect();
        expressions.sort_by_key(|&id| (std::cmp::Reverse(draft.size(id)), id));
        let mut choices = Vec::new();
        for id in expressions {
            let near = names(draft, element(draft, id));
            let near = near.into_iter().filter(|&name| name != draft.text_of(id));
            for name in near.take(CANDIDATES) {
                choices.push(tidied(draft, vec![Edit::replace(draft.span(id), name)]));
            }
        }
        Self(Choices::new(choices))
    }
}

choosing! {
    /// Moves what statements compute.
    Moving, "moving"
}

impl Moving {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let blocks = (0..tree.nodes().len() as NodeId).filter(|&id| is_short(draft) && is_block(draft, id));
        let mut choices = Vec::new();
        for block in blocks {
            let Some(group) = Group::of(draft, block) else { continue };
            for (at, &statement) in group.nodes.iter().enumerate() {
                for value in values(draft, statement) {
                    let text = draft.text_of(value);
                    let others = group.nodes.iter().filter(|&&other| other != statement);
                    for arguments in others.flat_map(|&other| arguments(draft, other)) {
                        let mut edits = group.delete(draft, (at as u32, at as u32 + 1));
                        let list = draft.span(arguments);
                        let only = [b"(", text, b")"].concat();
                        edits.push(Edit::replace(list.clone(), only));
                        choices.push(tidied(draft, edits.clone()));
                        if draft.text_of(arguments).len() > 2 {
                            edits.pop();
                            let more = [b",", text, b")"].concat();
                            edits.push(Edit::replace(list.end - 1..list.end, more));
                            choices.push(tidied(draft, edits));
                        }
                    }
                    if !tree.kind(statement).starts_with("return") {
                        let before = draft.span(statement).start..draft.span(value).start;
                        choices.push(tidied(draft, vec![Edit::replace(before, "return ")]));
                    }
                }
            }
        }
        Self(Choices::new(choices))
    }
}

fn is_short(draft: &Draft) -> bool {
    draft.text.len() < SHORT && draft.language.declares && draft.language.body.is_some()
}

fn is_block(draft: &Draft, id: NodeId) -> bool {
    id == 0 || category::is_block(draft, id)
}

/// Whether a node is an expression, or a name that is used as one.
fn is_value(draft: &Draft, id: NodeId) -> bool {
    let tree = &draft.tree;
    let declares = ["declarator", "parameter", "definition"];
    let is_name = || {
        let parent = tree.kind(tree.node(id).parent);
        tree.kind(id) == "identifier"
            && !matches!(tree.field(id), "declarator" | "name" | "function" | "pattern")
            && !declares.iter().any(|kind| parent.contains(kind))
    };
    tree.is_named(id) && !draft.span(id).is_empty() && (category::is_expression(draft, id) || is_name())
}

/// The outermost thing around a node.
fn element(draft: &Draft, id: NodeId) -> NodeId {
    let parents = std::iter::successors(Some(id), |&id| Some(draft.tree.node(id).parent));
    let mut parents = parents.take_while(|&id| id != 0);
    parents.by_ref().last().unwrap_or(id)
}

/// The names of variables in a node.
fn names(draft: &Draft, element: NodeId) -> BTreeSet<&[u8]> {
    let tree = &draft.tree;
    let leaves = tree.leaves(element).filter(|&leaf| {
        tree.kind(leaf) == "identifier" && !matches!(tree.field(leaf), "function" | "field")
    });
    leaves.map(|leaf| draft.text_of(leaf)).filter(|name| !name.is_empty()).collect()
}

/// What a statement computes: what it assigns, or all of it.
fn values(draft: &Draft, statement: NodeId) -> Vec<NodeId> {
    let tree = &draft.tree;
    let mut found = Vec::new();
    let mut inner = statement;
    for _ in 0..3 {
        let assigned = ["right", "value", "default", "init"].iter();
        if let Some(value) = assigned.filter_map(|field| tree.child_by_field(inner, field)).next() {
            found.push(value);
        }
        let Some(next) = tree.children(inner).find(|&child| tree.is_named(child)) else { break };
        if category::is_expression(draft, next) {
            found.push(next);
        }
        inner = next;
    }
    found.truncate(2);
    found
}

/// The lists of arguments in a statement.
fn arguments(draft: &Draft, statement: NodeId) -> impl Iterator<Item = NodeId> + '_ {
    let tree = &draft.tree;
    (statement..tree.node(statement).after)
        .filter(|&id| tree.field(id) == "arguments" && draft.text_of(id).first() == Some(&b'('))
}

/// Edits, and with them what nobody names any more.
fn tidied(draft: &Draft, mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| edit.span.start);
    let text = draft.with(&edits).text();
    let after = Draft::new(text.clone(), draft.language);
    let unused = References::of(&after).newly_unused(&after, &References::of(draft), draft);
    if unused.is_empty() {
        return edits;
    }
    vec![Edit::replace(0..draft.text.len() as u32, after.with(&unused).text())]
}
