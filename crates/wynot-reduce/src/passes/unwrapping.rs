//! Deletes a pair of brackets, with or without what it belongs to, and keeps what is between them.

use crate::pass::one_by_one::OneByOne;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Deletes one pair of brackets after the other.
pub fn unwrapping(parsed: &ParsedText) -> OneByOne {
    let tree = &parsed.tree;
    let mut proposals = Vec::new();
    for id in parsed.node_ids() {
        let children: Vec<NodeId> = tree.children(id).collect();
        let (Some(&first), Some(&last)) = (children.first(), children.last()) else { continue };
        let pair = (parsed.text_of(first), parsed.text_of(last));
        if !matches!(pair, (b"(", b")") | (b"{", b"}") | (b"[", b"]")) {
            continue;
        }
        let (open, close) = (parsed.span(first), parsed.span(last));
        proposals.push(vec![parsed.delete(open.clone()), parsed.delete(close.clone())]);
        let owner = tree.node(id).parent;
        if pair.0 == b"{" && owner != 0 {
            let owner = parsed.span(owner);
            let head = parsed.delete(owner.start..open.end);
            proposals.push(vec![head, parsed.delete(close.start..owner.end)]);
        }
    }
    OneByOne::new("unwrapping", proposals)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn brackets_go_in_pairs() {
        let parsed = parse("c", "f(){{x;}}");
        let tried = proposals(unwrapping(&parsed), &parsed);
        assert!(tried.contains(&"f(){x;}".to_owned()), "{tried:?}");
    }

    #[test]
    fn what_is_in_a_block_does_without_what_the_block_belongs_to() {
        let text = "namespace n{class a{};}int b;";
        let parsed = parse("cpp", text);
        let tried = proposals(unwrapping(&parsed), &parsed);
        assert!(tried.contains(&"class a{};int b;".to_owned()), "{tried:?}");
    }
}
