//! Deletes all uses of a name, each with the smallest element of a list around it.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

/// For each name that is used several times, deletes the smallest list elements that hold its uses.
pub fn everywhere(parsed: &ParsedText) -> OneByOne {
    let tree = &parsed.tree;
    let smallest = smallest_deletions(parsed);
    let mut by_name: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
    for id in parsed.node_ids().filter(|&id| tree.is_leaf(id)) {
        let is_name = parsed.text_of(id).first().is_some_and(u8::is_ascii_alphabetic);
        if let (true, true, Some(edit)) = (tree.is_named(id), is_name, &smallest[id as usize]) {
            by_name.entry(parsed.text_of(id)).or_default().push(edit.clone());
        }
    }
    let used_several_times = by_name.into_values().filter(|edits| edits.len() > 1);
    OneByOne::new("everywhere", used_several_times.map(without_nested).collect())
}

/// For each node, the deletion of the smallest list element that holds it.
fn smallest_deletions(parsed: &ParsedText) -> Vec<Option<Edit>> {
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

/// Edits in the order of the text, without those inside others.
fn without_nested(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.sort_by_key(|edit| (edit.span.start, std::cmp::Reverse(edit.span.end)));
    edits.dedup_by(|b, a| b.span.end <= a.span.end);
    edits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_type_parameter_goes_with_all_its_uses() {
        let parsed = parse("rust", "struct S<A>{e:A}impl<A>S<A>{fn f(){}}");
        let tried = proposals(everywhere(&parsed), &parsed);
        assert!(tried.contains(&"struct S{}impl S{fn f(){}}".to_owned()), "{tried:?}");
    }
}
