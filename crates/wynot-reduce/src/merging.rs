//! Neighbours that begin alike become one: two inserts one with two rows, two blocks one block.

use crate::choices::{Choices, choosing};
use crate::{Draft, Edit, Group};
use wynot_subjects::NodeId;

choosing! {
    /// Merges an element of a list with the one behind it.
    Merging, "merging"
}

impl Merging {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let mut choices = Vec::new();
        for parent in 0..tree.nodes().len() as NodeId {
            let Some(group) = Group::of(draft, parent) else { continue };
            for pair in group.nodes.windows(2) {
                choices.extend(merge(draft, pair[0], pair[1]));
                if draft.language.is_layout_sensitive {
                    choices.extend(take_in(draft, pair[0], pair[1]));
                }
            }
        }
        Self(Choices::new(choices))
    }
}

/// The ways to merge two neighbours.
fn merge(draft: &Draft, first: NodeId, second: NodeId) -> Vec<Vec<Edit>> {
    let leaves = |id: NodeId| -> Vec<NodeId> {
        draft.tree.leaves(id).filter(|&leaf| !draft.span(leaf).is_empty()).collect()
    };
    let (a, b) = (leaves(first), leaves(second));
    let same =
        a.iter().zip(&b).take_while(|(a, b)| draft.text_of(**a) == draft.text_of(**b)).count();
    // Where a bracket opens, or all that is alike.
    let opens = |leaf: NodeId| matches!(draft.text_of(leaf), b"(" | b"{" | b"[");
    let longest = same.min(b.len().saturating_sub(1));
    let borders = (1..=longest).filter(|&at| at == longest || opens(b[at - 1]) || opens(b[at]));
    let mut ways = Vec::new();
    for shared in borders.take(4) {
        let to = draft.span(b[shared - 1]).end;
        // The beginning of the second becomes a comma behind the first.
        ways.push(vec![Edit::replace(draft.span(first).end..to, ",")]);
        // The end of the first and the beginning of the second cancel out, as brackets do.
        if let Some(&last) = a.last() {
            ways.push(vec![Edit::delete(draft.span(last).start..to)]);
        }
    }
    ways
}

/// The ways to let the body of the second continue a block at the end of the first.
fn take_in(draft: &Draft, first: NodeId, second: NodeId) -> Vec<Vec<Edit>> {
    let tree = &draft.tree;
    let Some(body) = tree.child_by_field(second, "body") else { return Vec::new() };
    let blocks = (first..tree.node(first).after)
        .filter(|&id| tree.kind(id) == "block" && tree.node(id).end == tree.node(first).end);
    let was = draft.column(tree.node(body).start);
    let mut ways = Vec::new();
    for block in blocks {
        let becomes = draft.column(tree.node(block).start);
        let mut line = vec![b'\n'];
        line.resize(1 + becomes, b' ');
        let between = draft.span(first).end..draft.span(body).start;
        let mut edits = vec![Edit::replace(between, line)];
        edits.extend(draft.indent(draft.span(body), was, becomes));
        ways.push(edits);
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Pass;
    use wynot_subjects::Language;

    fn proposals(language: &str, text: &str) -> Vec<String> {
        let draft = Draft::new(text.as_bytes().to_vec(), Language::named(language).unwrap());
        let mut pass = Merging::new(&draft);
        let proposed = std::iter::from_fn(|| pass.propose(&draft));
        proposed.map(|edits| String::from_utf8(draft.with(&edits).text()).unwrap()).collect()
    }

    #[test]
    fn inserts_and_blocks_become_one() {
        let inserts = proposals("sql", "INSERT INTO t VALUES(1,2);INSERT INTO t VALUES(1,2);");
        assert!(inserts.contains(&"INSERT INTO t VALUES(1,2),(1,2);".to_owned()), "{inserts:?}");
        let blocks = proposals("rust", "impl S{fn f(){}}impl S{fn g(){}}");
        assert!(blocks.contains(&"impl S{fn f(){}fn g(){}}".to_owned()), "{blocks:?}");
        let bodies = proposals("python", "def f():\n def g():\n  a\ndef h():\n b\n c\n");
        assert!(bodies.contains(&"def f():\n def g():\n  a\n  b\n  c\n".to_owned()), "{bodies:?}");
    }
}
