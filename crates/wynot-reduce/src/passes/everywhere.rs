//! Deletes all uses of a name, each with the smallest element of a list around it.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::element_deletion::smallest_deletions;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;

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
