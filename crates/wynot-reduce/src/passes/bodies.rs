//! Empties the bodies of functions.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::function_bodies::{is_body, is_evaluated};
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::{Declaring, NodeId};

/// The number of parts into which the bodies of a long text are split at most.
const PARTS_OF_LONG_TEXT: usize = 64;

/// Replaces bodies by the shortest body of the language: one pass for each depth of nesting, the
/// outermost first, and those that a compiler evaluates after all others.
pub fn bodies_by_depth(parsed: &ParsedText) -> Vec<ByHalves> {
    let Some(shortest) = parsed.language.body else { return Vec::new() };
    let tree = &parsed.tree;
    // Depth, and whether the compiler needs the body for more than code.
    let mut by_depth: BTreeMap<(bool, usize), Vec<Vec<Edit>>> = BTreeMap::new();
    // The ends of the bodies around the current node.
    let mut enclosing: Vec<NodeId> = Vec::new();
    for id in parsed.node_ids() {
        while enclosing.last().is_some_and(|&after| after <= id) {
            enclosing.pop();
        }
        if is_body(parsed, id) {
            let edits = match parsed.language.declaring {
                Some(declaring) => declare(parsed, tree.node(id).parent, &declaring),
                None => vec![Edit::replace(parsed.span(id), shortest)],
            };
            if parsed.size(id) > shortest.len() {
                let is_evaluated = is_evaluated(parsed, tree.node(id).parent, id);
                by_depth.entry((is_evaluated, enclosing.len())).or_default().push(edits);
            }
            enclosing.push(tree.node(id).after);
        }
    }
    let pass = |groups: Vec<Vec<Edit>>| match parsed.is_long() {
        // What has to stay takes fewer tests to find when the rest is gone.
        true => ByHalves::of_groups("bodies", groups).coarsely(PARTS_OF_LONG_TEXT),
        false => ByHalves::of_groups("bodies", groups),
    };
    by_depth.into_values().map(pass).collect()
}

/// The edits after which a function is declared and not defined.
fn declare(parsed: &ParsedText, function: NodeId, declaring: &Declaring) -> Vec<Edit> {
    let tree = &parsed.tree;
    let (start, end) = (tree.node(function).start, tree.node(function).end);
    let (define, declare) = declaring.keywords;
    let mut edits = vec![Edit::replace(start..start + define.len() as u32, declare)];
    for child in tree.children(function) {
        if declaring.without.iter().any(|word| parsed.text_of(child) == word.as_bytes()) {
            let span = parsed.span(child);
            edits.push(Edit::delete(span.start - 1..span.end));
        }
        if tree.field(child) == "parameters" {
            // What follows the parameters is about the body, too.
            edits.push(Edit::delete(tree.node(child).end..end));
        }
    }
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_function_becomes_a_declaration() {
        let text = "define internal i32 @f(i32 %x) #0 personality ptr @p {\n  ret i32 %x\n}\n";
        let parsed = parse("llvm", text);
        let tried = proposals(bodies_by_depth(&parsed).remove(0), &parsed);
        assert_eq!(tried, ["declare i32 @f(i32 %x)\n"]);
    }
}
