//! The deletion of the smallest element of a list around each node.

use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// For each node, the deletion of the smallest list element that holds it.
pub fn smallest_deletions(parsed: &ParsedText) -> Vec<Option<Edit>> {
    let tree = &parsed.tree;
    let mut smallest: Vec<Option<Edit>> = vec![None; tree.nodes().len()];
    for id in parsed.node_ids() {
        if let Some(list) = List::of(parsed, id) {
            for (index, &node) in list.nodes.iter().enumerate() {
                let is_only = list.len() == 1 && id > 0 && tree.is_named(id);
                let edit = match is_only && is_bracketed(parsed, id) {
                    // A list without its only element goes with its brackets.
                    true => Some(parsed.delete(parsed.span(id))),
                    false => list.delete(parsed, (index as u32, index as u32 + 1)).pop(),
                };
                smallest[node as usize] = edit;
            }
        }
        if smallest[id as usize].is_none() {
            smallest[id as usize] = smallest[tree.node(id).parent as usize].clone();
        }
    }
    smallest
}

/// Whether a node is a list in angle or square brackets, which can go as a whole.
fn is_bracketed(parsed: &ParsedText, id: NodeId) -> bool {
    let text = parsed.text_of(id);
    matches!((text.first(), text.last()), (Some(b'<'), Some(b'>')) | (Some(b'['), Some(b']')))
}
