//! Deletes children that a node can do without.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::rc::Rc;
use wynot_subjects::NodeId;

/// The number of adjacent children in the longest run.
const MAX_RUN_CHILDREN: usize = 3;

/// Deletes runs of adjacent children, whatever their role, of the largest nodes first.
pub fn optional(parsed: &ParsedText) -> Optional {
    let tree = &parsed.tree;
    let mut nodes: Vec<NodeId> = parsed.node_ids().filter(|&id| !tree.is_leaf(id)).collect();
    nodes.sort_by_key(|&id| (std::cmp::Reverse(parsed.size(id)), id));
    // Where what follows from an edit is known, parts that need each other go together anyway.
    let longest = if parsed.language.missing_value.is_some() { 1 } else { MAX_RUN_CHILDREN };
    let mut spans = Vec::new();
    for node in nodes {
        let children: Vec<NodeId> = tree.children(node).collect();
        for length in (1..=longest).rev() {
            for (at, run) in children.windows(length).enumerate().rev() {
                let (first, last) = (tree.node(run[0]), tree.node(run[length - 1]));
                let after = children.get(at + length).map(|&child| tree.node(child).start);
                spans.push((first.start, after.unwrap_or(last.end).max(last.end)));
            }
        }
    }
    Optional { spans: Rc::new(spans), next: 0 }
}

/// The runs that remain to be tried.
#[derive(Clone, Debug)]
pub struct Optional {
    spans: Rc<Vec<(u32, u32)>>,
    next: usize,
}

impl Pass for Optional {
    fn name(&self) -> &'static str {
        "optional"
    }

    fn checks_syntax(&self) -> bool {
        true
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while let Some(&(start, end)) = self.spans.get(self.next) {
            self.next += 1;
            if start < end && !parsed.edits.covers(&(start..end)) {
                return Some(vec![parsed.delete(start..end)]);
            }
        }
        None
    }
}
