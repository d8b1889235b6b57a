//! Syntax trees in flat arrays.
//!
//! Nodes are in preorder, so the descendants of a node follow it without a gap and every traversal is a
//! loop. Nothing here recurses, since inputs may nest a million levels deep.

use std::collections::HashMap;
use std::ops::Range;

/// The index of a node in preorder.
pub type NodeId = u32;

/// One node of a syntax tree.
#[derive(Clone, Copy, Debug)]
pub struct SyntaxNode {
    /// The offset at which the text of the node starts.
    pub start: u32,
    /// The offset at which the text of the node ends.
    pub end: u32,
    /// The parent of the node; the root is its own parent.
    pub parent: NodeId,
    /// The first node after this one that is not a descendant of it.
    pub after: NodeId,
    kind: u16,
    field: u16,
    named: bool,
}

/// The syntax tree of a text.
#[derive(Clone, Debug, Default)]
pub struct SyntaxTree {
    nodes: Vec<SyntaxNode>,
    /// The names of kinds and fields.
    names: Vec<String>,
    /// For each parent and field, the first child that is the field: in the order of the parents.
    first_of_field: Vec<(NodeId, NodeId)>,
    /// The number of places that do not match the grammar.
    pub errors: u32,
}

impl SyntaxTree {
    /// All nodes in preorder; the first is the root.
    pub fn nodes(&self) -> &[SyntaxNode] {
        &self.nodes
    }

    /// The node with an index.
    pub fn node(&self, id: NodeId) -> &SyntaxNode {
        &self.nodes[id as usize]
    }

    /// The bytes of a node's text.
    pub fn span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// The kind of a node, as the grammar calls it.
    pub fn kind(&self, id: NodeId) -> &str {
        &self.names[self.node(id).kind as usize]
    }

    /// The field of the parent that a node is; empty if the grammar gives it none.
    pub fn field(&self, id: NodeId) -> &str {
        &self.names[self.node(id).field as usize]
    }

    /// Whether a node is more than punctuation or a keyword.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.node(id).named
    }

    /// Whether a node has no children.
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.node(id).after == id + 1
    }

    /// The children of a node, in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).after;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&child| {
            let next = self.node(child).after;
            (next < end).then_some(next)
        })
    }

    /// The first child of a node that is the given field. It does not matter how many children the node has: the
    /// parts of a text that no grammar understands are children of a single node.
    pub fn child_by_field(&self, id: NodeId, field: &str) -> Option<NodeId> {
        let first = self.first_of_field.partition_point(|(parent, _)| *parent < id);
        let of_node = self.first_of_field[first..].iter().take_while(|(parent, _)| *parent == id);
        of_node.map(|(_, child)| *child).find(|&child| self.field(child) == field)
    }

    /// Fills the index of fields.
    fn index_fields(&mut self) {
        let nodes = self.nodes.iter().zip(0..);
        let with_field = nodes.filter(|(node, _)| node.field != NO_NAME);
        let mut all: Vec<(NodeId, NodeId)> =
            with_field.map(|(node, id): (_, NodeId)| (node.parent, id)).collect();
        all.sort_unstable();
        for children in all.chunk_by(|a, b| a.0 == b.0) {
            let mut seen = Vec::new();
            for &(parent, child) in children {
                let field = self.node(child).field;
                if !seen.contains(&field) {
                    seen.push(field);
                    self.first_of_field.push((parent, child));
                }
            }
        }
    }

    /// All leaves among a node and its descendants, in order.
    pub fn leaves(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        (id..self.node(id).after).filter(|&node| self.is_leaf(node))
    }
}

/// The index of the empty name, which is the field of most nodes.
const NO_NAME: u16 = 0;

/// A builder of syntax trees, from the root to the leaves.
#[derive(Debug, Default)]
pub(crate) struct TreeBuilder {
    tree: SyntaxTree,
    open: Vec<NodeId>,
    name_indices: HashMap<String, u16>,
}

impl TreeBuilder {
    pub(crate) fn new() -> Self {
        let mut builder = Self::default();
        builder.name("");
        builder
    }

    /// The index of a kind or field by its name.
    pub(crate) fn name(&mut self, name: &str) -> u16 {
        if let Some(&known) = self.name_indices.get(name) {
            return known;
        }
        let index = self.tree.names.len() as u16;
        self.tree.names.push(name.to_owned());
        self.name_indices.insert(name.to_owned(), index);
        index
    }

    /// Begins a node. Nodes that are opened before it is closed are its descendants.
    pub(crate) fn open(&mut self, kind: &str, field: &str, named: bool, span: Range<usize>) {
        let (kind, field) = (self.name(kind), self.name(field));
        self.open_named(kind, field, named, span);
    }

    /// The same, with the indices of the names of kind and field.
    pub(crate) fn open_named(&mut self, kind: u16, field: u16, named: bool, span: Range<usize>) {
        let id = self.tree.nodes.len() as NodeId;
        let parent = self.open.last().copied().unwrap_or(id);
        let (start, end) = (span.start as u32, span.end as u32);
        self.tree.nodes.push(SyntaxNode { start, end, parent, after: id + 1, kind, field, named });
        self.open.push(id);
    }

    /// Ends the innermost open node.
    pub(crate) fn close(&mut self) {
        if let Some(id) = self.open.pop() {
            self.tree.nodes[id as usize].after = self.tree.nodes.len() as NodeId;
        }
    }

    /// Ends the innermost open node at an offset that was not known when it was opened.
    pub(crate) fn close_at(&mut self, end: usize) {
        if let Some(&id) = self.open.last() {
            self.tree.nodes[id as usize].end = end as u32;
        }
        self.close();
    }

    /// The start of the innermost open node.
    pub(crate) fn start(&self) -> usize {
        self.open.last().map_or(0, |&id| self.tree.nodes[id as usize].start as usize)
    }

    /// Removes the innermost open node and its descendants.
    pub(crate) fn discard(&mut self) {
        if let Some(id) = self.open.pop() {
            self.tree.nodes.truncate(id as usize);
        }
    }

    /// Adds a node without children.
    pub(crate) fn leaf(&mut self, kind: &str, named: bool, span: Range<usize>) {
        self.open(kind, "", named, span);
        self.close();
    }

    /// Counts a place that does not match the grammar.
    pub(crate) fn error(&mut self) {
        self.tree.errors += 1;
    }

    /// The number of open nodes.
    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Closes all nodes and returns the tree.
    pub(crate) fn finish(mut self) -> SyntaxTree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree.index_fields();
        self.tree
    }
}

#[cfg(test)]
impl SyntaxTree {
    /// The nested kinds of the named nodes, with the texts of leaves in angle brackets.
    pub(crate) fn outline(&self, text: &[u8]) -> String {
        let mut outline = String::new();
        let mut ends: Vec<NodeId> = Vec::new();
        for id in 0..self.nodes.len() as NodeId {
            while ends.last() == Some(&id) {
                ends.pop();
                outline.push(']');
            }
            if !self.is_named(id) {
                continue;
            }
            if self.is_leaf(id) {
                outline.push_str(&format!("<{}>", String::from_utf8_lossy(&text[self.span(id)])));
            } else {
                outline.push_str(&format!("[{} ", self.kind(id)));
                ends.push(self.node(id).after);
            }
        }
        outline.push_str(&"]".repeat(ends.len()));
        outline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_child_of_a_field_is_found_among_many() {
        let mut builder = TreeBuilder::new();
        builder.open("root", "", true, 0..9);
        for (field, inner) in [("", "name"), ("value", ""), ("name", "value"), ("value", "name")] {
            builder.open("child", field, true, 0..1);
            builder.open("grandchild", inner, true, 0..1);
            builder.close();
            builder.close();
        }
        let tree = builder.finish();
        assert_eq!(tree.child_by_field(0, "value"), Some(3));
        assert_eq!(tree.child_by_field(0, "name"), Some(5));
        assert_eq!(tree.child_by_field(1, "name"), Some(2));
        assert_eq!(tree.child_by_field(3, "value"), None);
        assert_eq!(tree.child_by_field(0, "type"), None);
    }
}
