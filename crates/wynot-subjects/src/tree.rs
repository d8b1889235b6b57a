//! Syntax trees in flat arrays.
//!
//! Nodes stand in preorder, so the descendants of a node follow it without a gap and every traversal is
//! a loop. Nothing here recurses: inputs nest a million deep.

use std::ops::Range;

/// A node, by its place in preorder.
pub type NodeId = u32;

/// One node of a tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// Where its text starts.
    pub start: u32,
    /// Where its text ends.
    pub end: u32,
    /// The node it belongs to; the root belongs to itself.
    pub parent: NodeId,
    /// The first node behind it that is not below it.
    pub after: NodeId,
    kind: u16,
    field: u16,
    named: bool,
}

/// A parsed text.
#[derive(Clone, Debug, Default)]
pub struct Tree {
    nodes: Vec<Node>,
    /// Names of kinds and fields.
    names: Vec<String>,
    /// How many places the grammar did not understand.
    pub errors: u32,
}

impl Tree {
    /// All nodes in preorder; the first is the root.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// A node.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Where its text is.
    pub fn span(&self, id: NodeId) -> Range<usize> {
        let node = self.node(id);
        node.start as usize..node.end as usize
    }

    /// What kind of node it is, by the grammar.
    pub fn kind(&self, id: NodeId) -> &str {
        &self.names[self.node(id).kind as usize]
    }

    /// The role it plays in its parent; empty if the grammar gives it none.
    pub fn field(&self, id: NodeId) -> &str {
        &self.names[self.node(id).field as usize]
    }

    /// Whether it is more than punctuation or a keyword.
    pub fn is_named(&self, id: NodeId) -> bool {
        self.node(id).named
    }

    /// Whether nothing is below it.
    pub fn is_leaf(&self, id: NodeId) -> bool {
        self.node(id).after == id + 1
    }

    /// Its children in order.
    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let end = self.node(id).after;
        let first = (id + 1 < end).then_some(id + 1);
        std::iter::successors(first, move |&child| {
            let next = self.node(child).after;
            (next < end).then_some(next)
        })
    }

    /// The child that plays a role.
    pub fn child_by_field(&self, id: NodeId, field: &str) -> Option<NodeId> {
        self.children(id).find(|&child| self.field(child) == field)
    }

    /// All leaves below and including a node, in order.
    pub fn leaves(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        (id..self.node(id).after).filter(|&node| self.is_leaf(node))
    }
}

/// Builds a tree from the outside in.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    tree: Tree,
    open: Vec<NodeId>,
    known: std::collections::HashMap<String, u16>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let mut builder = Self::default();
        builder.name("");
        builder
    }

    fn name(&mut self, name: &str) -> u16 {
        if let Some(&known) = self.known.get(name) {
            return known;
        }
        let index = self.tree.names.len() as u16;
        self.tree.names.push(name.to_owned());
        self.known.insert(name.to_owned(), index);
        index
    }

    /// Begins a node; what comes until it is closed is below it.
    pub(crate) fn open(&mut self, kind: &str, field: &str, named: bool, span: Range<usize>) {
        let (kind, field) = (self.name(kind), self.name(field));
        let id = self.tree.nodes.len() as NodeId;
        let parent = self.open.last().copied().unwrap_or(id);
        let (start, end) = (span.start as u32, span.end as u32);
        self.tree.nodes.push(Node { start, end, parent, after: id + 1, kind, field, named });
        self.open.push(id);
    }

    /// Ends the node that was opened last.
    pub(crate) fn close(&mut self) {
        if let Some(id) = self.open.pop() {
            self.tree.nodes[id as usize].after = self.tree.nodes.len() as NodeId;
        }
    }

    /// Ends it at a place that was not known when it was opened.
    pub(crate) fn close_at(&mut self, end: usize) {
        if let Some(&id) = self.open.last() {
            self.tree.nodes[id as usize].end = end as u32;
        }
        self.close();
    }

    /// Where the node that was opened last starts.
    pub(crate) fn start(&self) -> usize {
        self.open.last().map_or(0, |&id| self.tree.nodes[id as usize].start as usize)
    }

    /// Takes the node that was opened last out again, with all that is below it.
    pub(crate) fn discard(&mut self) {
        if let Some(id) = self.open.pop() {
            self.tree.nodes.truncate(id as usize);
        }
    }

    /// A node without children.
    pub(crate) fn leaf(&mut self, kind: &str, named: bool, span: Range<usize>) {
        self.open(kind, "", named, span);
        self.close();
    }

    /// Takes note of a place that was not understood.
    pub(crate) fn error(&mut self) {
        self.tree.errors += 1;
    }

    pub(crate) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(crate) fn finish(mut self) -> Tree {
        while !self.open.is_empty() {
            self.close();
        }
        self.tree
    }
}
