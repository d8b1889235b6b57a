//! Bodies of functions: which nodes are one, and which of them compilers need for more than code.

use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Parts of the names of nodes that own a body.
const OWNER_KINDS: [&str; 6] =
    ["function", "method", "lambda", "closure", "constructor", "func_literal"];

/// Whether a node is the body of a function.
pub fn is_body(parsed: &ParsedText, node: NodeId) -> bool {
    let tree = &parsed.tree;
    let owner = || tree.kind(tree.node(node).parent);
    tree.field(node) == "body" && OWNER_KINDS.iter().any(|kind| owner().contains(kind))
}

/// Whether the compiler needs the body of a function for more than code: a result that it computes, a type that it deduces.
/// One such body in a group that is emptied makes all of the group fail.
pub fn is_evaluated(parsed: &ParsedText, function: NodeId, body: NodeId) -> bool {
    let tree = &parsed.tree;
    let head = function..body;
    let is_marked = |id: NodeId| {
        tree.is_leaf(id)
            && parsed.language.evaluated.iter().any(|word| parsed.text_of(id) == word.as_bytes())
    };
    head.into_iter().any(is_marked)
}
