//! Edits together with the deletion of what they leave unused.

use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::references::References;
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

/// Adds to some edits the deletion of declarations and parameters that are used before them and unused
/// after them; `None` if the text does not become shorter.
pub fn delete_newly_unused(parsed: &ParsedText, mut edits: Vec<Edit>) -> Option<Vec<Edit>> {
    edits.sort_by_key(|edit| edit.span.start);
    let after = parsed.parse_alike(parsed.with_edits(&edits).text());
    let mut unused = References::of(&after).newly_unused(&after, &References::of(parsed), parsed);
    unused.extend(newly_unused_parameters(parsed, &after));
    if !unused.is_empty() {
        let text = after.with_edits(&unused).text();
        edits = vec![Edit::replace(0..parsed.text.len() as u32, text)];
    }
    (parsed.with_edits(&edits).len() < parsed.text.len()).then_some(edits)
}

/// The deletion of parameters that were used before some edits, but not after them.
fn newly_unused_parameters(before: &ParsedText, after: &ParsedText) -> Vec<Edit> {
    let earlier = identifiers(before);
    let mut edits = Vec::new();
    for (name, now) in identifiers(after) {
        let uses_before = earlier.get(&name).map_or(0, Vec::len);
        let [leaf] = now.as_slice() else { continue };
        if uses_before > 1 {
            edits.extend(delete_parameter(after, *leaf));
        }
    }
    edits
}

/// All identifiers of a text, by name.
fn identifiers(parsed: &ParsedText) -> BTreeMap<Vec<u8>, Vec<NodeId>> {
    let mut found: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
    for leaf in parsed.tree.leaves(0).filter(|&leaf| parsed.tree.kind(leaf) == "identifier") {
        found.entry(parsed.text_of(leaf).to_vec()).or_default().push(leaf);
    }
    found
}

/// The deletion of the parameter that a leaf belongs to.
fn delete_parameter(parsed: &ParsedText, leaf: NodeId) -> Option<Edit> {
    let tree = &parsed.tree;
    let mut inner = leaf;
    while inner != 0 && !kinds::is_block(parsed, inner) {
        let parent = tree.node(inner).parent;
        if tree.kind(parent).contains("parameters") || tree.kind(parent) == "parameter_list" {
            let list = List::of(parsed, parent)?;
            let at = list.nodes.iter().position(|&element| element == inner)? as u32;
            return list.delete(parsed, (at, at + 1)).pop();
        }
        inner = parent;
    }
    None
}
