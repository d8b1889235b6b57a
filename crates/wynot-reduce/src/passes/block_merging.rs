//! Joins a block with the block after it, to which it jumps: the jump and the label go, and what mentions the label mentions
//! the first block instead.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::name_keys::spelled_name;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Joins one pair of blocks after the other, in languages whose blocks end in jumps.
pub fn block_merging(parsed: &ParsedText) -> OneByOne {
    let tree = &parsed.tree;
    let is_block = |id: &NodeId| tree.kind(*id) == "basic_block";
    let blocks: Vec<NodeId> = parsed.node_ids().filter(is_block).collect();
    let neighbours = blocks.windows(2).filter(|pair| {
        tree.node(pair[0]).parent == tree.node(pair[1]).parent && parsed.is_present(pair[1])
    });
    let proposals = neighbours.filter_map(|pair| join(parsed, pair[0], pair[1])).collect();
    OneByOne::new("block merging", proposals).without_repairs()
}

/// The edits that join two blocks.
fn join(parsed: &ParsedText, first: NodeId, second: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    let is_jump = |id: &NodeId| tree.kind(*id) == "terminator_statement";
    let jump = tree.children(first).filter(is_jump).last()?;
    let mut targets = tree.leaves(jump).filter(|&id| tree.kind(id) == "label_identifier");
    let (target, None) = (targets.next()?, targets.next()) else { return None };
    let (kept, dropped) =
        (tree.child_by_field(first, "name")?, tree.child_by_field(second, "name")?);
    let name = spelled_name(parsed, dropped);
    if spelled_name(parsed, target) != name {
        return None;
    }
    let after_label = parsed.span(dropped).end as usize;
    let rest = &parsed.text[after_label..];
    let blanks = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    let colon = blanks(rest);
    let end = after_label + colon + usize::from(rest.get(colon) == Some(&b':'));
    let end = end + blanks(&parsed.text[end..]);
    let removed = tree.node(jump).start..end as u32;
    let function = tree.node(first).parent;
    let is_mention = |leaf: &NodeId| {
        let span = parsed.span(*leaf);
        spelled_name(parsed, *leaf) == name
            && (span.end <= removed.start || removed.end <= span.start)
    };
    let mentions = tree.leaves(function).filter(is_mention);
    let name = spelled_name(parsed, kept).into_owned();
    let renamed = mentions.map(|leaf| Edit::replace(parsed.span(leaf), name.clone()));
    let mut edits: Vec<Edit> = renamed.chain([Edit::delete(removed.clone())]).collect();
    edits.sort_by_key(|edit| edit.span.start);
    Some(edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_block_takes_the_place_of_the_one_that_follows_it() {
        let text = "define void @f() {\na:\nbr label %b\nb:\n%x = add i8 1, 2\nbr label %c\n\
            c:\n%y = phi i8 [ 0, %b ]\nret void\n}\n";
        let parsed = parse("llvm", text);
        let tried = proposals(block_merging(&parsed), &parsed);
        let joined = "define void @f() {\na:\n%x = add i8 1, 2\nbr label %c\n\
            c:\n%y = phi i8 [ 0, %a ]\nret void\n}\n";
        assert!(tried.contains(&joined.to_owned()), "{tried:?}");
    }
}
