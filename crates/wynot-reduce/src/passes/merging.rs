//! Merges neighbours that begin alike: two inserts into one with two rows, two blocks into one block.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use wynot_subjects::NodeId;

/// The number of shared beginnings that are tried for each pair of neighbours.
const MAX_SHARED_BEGINNINGS: usize = 4;

/// Merges each element of a list with the one after it.
pub fn merging(parsed: &ParsedText) -> OneByOne {
    let mut proposals = Vec::new();
    for list in parsed.node_ids().filter_map(|parent| List::of(parsed, parent)) {
        for pair in list.nodes.windows(2) {
            proposals.extend(merge(parsed, pair[0], pair[1]));
            proposals.extend(join_bodies(parsed, pair[0], pair[1]));
            if parsed.language.is_layout_sensitive {
                proposals.extend(append_body(parsed, pair[0], pair[1]));
            }
        }
    }
    OneByOne::new("merging", proposals)
}

/// The ways to merge two neighbours.
fn merge(parsed: &ParsedText, first: NodeId, second: NodeId) -> Vec<Vec<Edit>> {
    let leaves = |id: NodeId| -> Vec<NodeId> {
        parsed.tree.leaves(id).filter(|&leaf| !parsed.span(leaf).is_empty()).collect()
    };
    let (a, b) = (leaves(first), leaves(second));
    let same =
        a.iter().zip(&b).take_while(|(a, b)| parsed.text_of(**a) == parsed.text_of(**b)).count();
    // The shared beginning ends where a bracket opens, or is as long as possible.
    let opens = |leaf: NodeId| matches!(parsed.text_of(leaf), b"(" | b"{" | b"[");
    let longest = same.min(b.len().saturating_sub(1));
    let borders = (1..=longest).filter(|&at| at == longest || opens(b[at - 1]) || opens(b[at]));
    let mut ways = Vec::new();
    for shared in borders.take(MAX_SHARED_BEGINNINGS) {
        let to = parsed.span(b[shared - 1]).end;
        // A comma after the first replaces the beginning of the second.
        ways.push(vec![Edit::replace(parsed.span(first).end..to, ",")]);
        // The end of the first and the beginning of the second cancel out: a closing and an opening bracket.
        if let Some(&last) = a.last() {
            ways.push(vec![Edit::delete(parsed.span(last).start..to)]);
        }
    }
    ways
}

/// The edits that move all of the body of the second to the end of that of the first, for neighbours of the same kind. The
/// name of the second then means the first.
fn join_bodies(parsed: &ParsedText, first: NodeId, second: NodeId) -> Option<Vec<Edit>> {
    let tree = &parsed.tree;
    if tree.kind(first) != tree.kind(second) || !parsed.is_short() {
        return None;
    }
    let (first, second) = (definition(parsed, first), definition(parsed, second));
    let body = |id: NodeId| tree.child_by_field(id, "body");
    let (to, from) = (parsed.span(body(first)?), parsed.span(body(second)?));
    let has_braces =
        |span: &Range<u32>| parsed.text.get(span.start as usize) == Some(&b'{') && span.len() > 1;
    let is_line = |span: &Range<u32>| {
        let bytes = &parsed.text[span.start as usize..span.end as usize];
        !bytes.contains(&b'\n') && parsed.text[span.start as usize - 1] == b':'
    };
    let joined = match (has_braces(&to) && has_braces(&from), is_line(&to) && is_line(&from)) {
        (true, _) => Edit::delete(to.end - 1..from.start + 1),
        (_, true) => Edit::replace(to.end..from.start, ";"),
        _ => return None,
    };
    let name = |id: NodeId| tree.child_by_field(id, "name");
    let (kept, dropped) = (name(first)?, name(second)?);
    let is_use = |leaf: &NodeId| {
        let span = parsed.span(*leaf);
        parsed.text_of(*leaf) == parsed.text_of(dropped)
            && (span.end <= joined.span.start || joined.span.end <= span.start)
    };
    let uses = tree.leaves(0).filter(is_use);
    let uses = uses.map(|leaf| Edit::replace(parsed.span(leaf), parsed.text_of(kept)));
    let mut edits: Vec<Edit> = uses.chain([joined.clone()]).collect();
    edits.sort_by_key(|edit| edit.span.start);
    Some(edits)
}

/// The definition itself, where decorators stand before it.
fn definition(parsed: &ParsedText, id: NodeId) -> NodeId {
    parsed.tree.child_by_field(id, "definition").unwrap_or(id)
}

/// The ways to append the body of the second to a block at the end of the first.
fn append_body(parsed: &ParsedText, first: NodeId, second: NodeId) -> Vec<Vec<Edit>> {
    let tree = &parsed.tree;
    let Some(body) = tree.child_by_field(second, "body") else { return Vec::new() };
    let blocks = (first..tree.node(first).after)
        .filter(|&id| tree.kind(id) == "block" && tree.node(id).end == tree.node(first).end);
    let from = parsed.column(tree.node(body).start);
    let mut ways = Vec::new();
    for block in blocks {
        let to = parsed.column(tree.node(block).start);
        let mut line = vec![b'\n'];
        line.resize(1 + to, b' ');
        let between = parsed.span(first).end..parsed.span(body).start;
        let mut edits = vec![Edit::replace(between, line)];
        edits.extend(parsed.reindent(parsed.span(body), from, to));
        ways.push(edits);
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(merging(&parsed), &parsed)
    }

    #[test]
    fn inserts_and_blocks_become_one() {
        let inserts = tried("sql", "INSERT INTO t VALUES(1,2);INSERT INTO t VALUES(1,2);");
        assert!(inserts.contains(&"INSERT INTO t VALUES(1,2),(1,2);".to_owned()), "{inserts:?}");
        let blocks = tried("rust", "impl S{fn f(){}}impl S{fn g(){}}");
        assert!(blocks.contains(&"impl S{fn f(){}fn g(){}}".to_owned()), "{blocks:?}");
        let classes = tried("python", "@d\nclass a:b=0\n@d\nclass c(a):e=1\nc()\n");
        assert!(classes.contains(&"@d\nclass a:b=0;e=1\na()\n".to_owned()), "{classes:?}");
        let classes = tried("java", "class A{int a;}class B{int b;B(){}}");
        assert!(classes.contains(&"class A{int a;int b;A(){}}".to_owned()), "{classes:?}");
        let bodies = tried("python", "def f():\n def g():\n  a\ndef h():\n b\n c\n");
        assert!(bodies.contains(&"def f():\n def g():\n  a\n  b\n  c\n".to_owned()), "{bodies:?}");
    }
}
