//! Children that a node can do without: runs of one to three that stand next to each other.

use crate::{Draft, Edit, Pass};
use std::rc::Rc;
use wynot_subjects::NodeId;

/// The longest run of children.
const LONGEST: usize = 3;

/// Takes out runs of children, whatever their role, of the largest nodes first.
#[derive(Clone, Debug)]
pub struct Optional {
    spans: Rc<Vec<(u32, u32)>>,
    at: usize,
}

impl Optional {
    pub fn new(draft: &Draft) -> Self {
        let tree = &draft.tree;
        let mut nodes: Vec<NodeId> =
            (0..tree.nodes().len() as NodeId).filter(|&id| !tree.is_leaf(id)).collect();
        nodes.sort_by_key(|&id| (std::cmp::Reverse(draft.size(id)), id));
        let mut spans = Vec::new();
        for node in nodes {
            let children: Vec<NodeId> = tree.children(node).collect();
            for length in (1..=LONGEST).rev() {
                for (at, run) in children.windows(length).enumerate().rev() {
                    let (first, last) = (tree.node(run[0]), tree.node(run[length - 1]));
                    let behind = children.get(at + length).map(|&child| tree.node(child).start);
                    spans.push((first.start, behind.unwrap_or(last.end).max(last.end)));
                }
            }
        }
        Self { spans: Rc::new(spans), at: 0 }
    }
}

impl Pass for Optional {
    const NAME: &'static str = "optional";

    fn is_doubtful(&self) -> bool {
        true
    }

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while let Some(&(start, end)) = self.spans.get(self.at) {
            self.at += 1;
            if start < end && !draft.edits.covers(&(start..end)) {
                return Some(vec![draft.cut(start..end)]);
            }
        }
        None
    }
}
