//! Empties the bodies of functions.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

/// Parts of the names of nodes that own a body.
const OWNER_KINDS: [&str; 6] =
    ["function", "method", "lambda", "closure", "constructor", "func_literal"];

/// Replaces bodies by the shortest body of the language: one pass for each depth of nesting, the
/// outermost first.
pub fn bodies_by_depth(parsed: &ParsedText) -> Vec<ByHalves> {
    let Some(shortest) = parsed.language.body else { return Vec::new() };
    let tree = &parsed.tree;
    let is_body = |id: NodeId| {
        let parent = tree.kind(tree.node(id).parent);
        tree.field(id) == "body" && OWNER_KINDS.iter().any(|kind| parent.contains(kind))
    };
    let mut by_depth: BTreeMap<usize, Vec<Edit>> = BTreeMap::new();
    // The ends of the bodies around the current node.
    let mut enclosing: Vec<NodeId> = Vec::new();
    for id in parsed.node_ids() {
        while enclosing.last().is_some_and(|&after| after <= id) {
            enclosing.pop();
        }
        if is_body(id) {
            if parsed.size(id) > shortest.len() {
                let edit = Edit::replace(parsed.span(id), shortest);
                by_depth.entry(enclosing.len()).or_default().push(edit);
            }
            enclosing.push(tree.node(id).after);
        }
    }
    by_depth.into_values().map(|edits| ByHalves::new("bodies", edits)).collect()
}
