//! The items of a text (functions, types, statements) and the blocks inside of them, by its syntax tree.

use crate::syntax::tree::{NodeId, SyntaxTree};

/// A text with its syntax tree and the offsets of its lines.
pub(crate) struct Outline<'a> {
    pub(crate) tree: &'a SyntaxTree,
    pub(crate) text: &'a [u8],
    /// The offset at which each line starts.
    starts: Vec<usize>,
}

/// A block of an item, with its first and last line inside.
pub(crate) struct Block {
    pub(crate) node: NodeId,
    pub(crate) first_inside: usize,
    pub(crate) last_inside: usize,
}

impl<'a> Outline<'a> {
    pub(crate) fn new(tree: &'a SyntaxTree, text: &'a [u8]) -> Self {
        let ends = text.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
        let starts = std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect();
        Self { tree, text, starts }
    }

    /// The line that contains an offset.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts.partition_point(|&start| start <= offset) - 1
    }

    /// The number of lines.
    pub(crate) fn lines(&self) -> usize {
        self.starts.len()
    }

    /// The offset at which a line starts; the end of the text if there is no such line.
    pub(crate) fn line_start(&self, line: usize) -> usize {
        self.starts.get(line).copied().unwrap_or(self.text.len())
    }

    /// The first and the last line of a node; `None` if it has no text.
    pub(crate) fn line_range(&self, node: NodeId) -> Option<(usize, usize)> {
        let span = self.tree.span(node);
        let text = self.text[span.clone()].trim_ascii_start();
        let start = span.end - text.len();
        let length = text.trim_ascii_end().len();
        (length > 0).then(|| (self.line_at(start), self.line_at(start + length - 1)))
    }

    pub(crate) fn is_comment(&self, node: NodeId) -> bool {
        self.tree.kind(node).contains("comment")
    }

    /// The nodes that a block, or the whole text, consists of. The parts of what the parser did not understand count as
    /// well.
    pub(crate) fn items(&self, block: NodeId) -> Vec<NodeId> {
        let mut items = Vec::new();
        if self.tree.nodes().is_empty() {
            return items;
        }
        for child in self.tree.children(block).filter(|&child| self.tree.is_named(child)) {
            match self.tree.kind(child) {
                "ERROR" => items.extend(self.tree.children(child)),
                _ => items.push(child),
            }
        }
        items
    }

    /// The outermost blocks of an item that have lines of their own.
    pub(crate) fn blocks(&self, item: NodeId) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut node = item;
        let after = self.tree.node(item).after;
        while node < after {
            match self.block(node) {
                Some(block) => {
                    // The alternatives of a condition of the preprocessor are nested in it.
                    let is_nested = self.tree.kind(node).starts_with("preproc_");
                    blocks.push(block);
                    node = if is_nested { node + 1 } else { self.tree.node(node).after };
                }
                None => node += 1,
            }
        }
        blocks
    }

    /// The lines inside of a node, if it is a block: brackets around items, or items that are indented.
    fn block(&self, node: NodeId) -> Option<Block> {
        let (first, last) = self.line_range(node)?;
        if first == last {
            return None;
        }
        let (first_inside, last_inside) = match self.tree.kind(node) {
            // Python: the line before belongs to the frame.
            "block" if self.text[self.tree.span(node).start] != b'{' => (first, last),
            "preproc_if" | "preproc_ifdef" => (first + 1, last - 1),
            "preproc_else" | "preproc_elif" | "preproc_elifdef" => (first + 1, last),
            "case_statement"
            | "switch_case"
            | "switch_default"
            | "case_clause"
            | "expression_case"
            | "type_case"
            | "default_case"
            | "communication_case"
            | "switch_block_statement_group" => (first + 1, last),
            _ => {
                let opens = self.text[self.tree.span(node).start];
                let closes = self.text[self.tree.span(node)].trim_ascii_end().last();
                match (opens, closes) {
                    (b'{', Some(b'}')) | (b'[', Some(b']')) => (first + 1, last - 1),
                    _ => return None,
                }
            }
        };
        (first_inside <= last_inside).then_some(Block { node, first_inside, last_inside })
    }
}
