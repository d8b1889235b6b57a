//! Parsing by tree-sitter. No other file uses its types.

use crate::syntax::tree::{SyntaxTree, TreeBuilder};
use tree_sitter::{Parser, TreeCursor};
use tree_sitter_language::LanguageFn;

/// A tree-sitter grammar that is linked into the program.
#[derive(Clone, Copy)]
pub(crate) struct Grammar(LanguageFn);

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a tree-sitter grammar")
    }
}

pub(crate) const BASH: Grammar = Grammar(tree_sitter_bash::LANGUAGE);
pub(crate) const C: Grammar = Grammar(tree_sitter_c::LANGUAGE);
pub(crate) const CPP: Grammar = Grammar(tree_sitter_cpp::LANGUAGE);
pub(crate) const CSS: Grammar = Grammar(tree_sitter_css::LANGUAGE);
pub(crate) const GO: Grammar = Grammar(tree_sitter_go::LANGUAGE);
pub(crate) const HTML: Grammar = Grammar(tree_sitter_html::LANGUAGE);
pub(crate) const JAVA: Grammar = Grammar(tree_sitter_java::LANGUAGE);
pub(crate) const JAVASCRIPT: Grammar = Grammar(tree_sitter_javascript::LANGUAGE);
pub(crate) const JSON: Grammar = Grammar(tree_sitter_json::LANGUAGE);
pub(crate) const PYTHON: Grammar = Grammar(tree_sitter_python::LANGUAGE);
pub(crate) const RUST: Grammar = Grammar(tree_sitter_rust::LANGUAGE);
pub(crate) const SQL: Grammar = Grammar(tree_sitter_sequel::LANGUAGE);
pub(crate) const TYPESCRIPT: Grammar = Grammar(tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
pub(crate) const TSX: Grammar = Grammar(tree_sitter_typescript::LANGUAGE_TSX);
pub(crate) const XML: Grammar = Grammar(tree_sitter_xml::LANGUAGE_XML);

impl Grammar {
    /// The syntax tree of a text; `None` if the grammar cannot be loaded or the parser gives up.
    pub(crate) fn parse(self, text: &[u8]) -> Option<SyntaxTree> {
        let mut parser = Parser::new();
        parser.set_language(&self.0.into()).ok()?;
        let tree = parser.parse(text, None)?;
        let mut builder = TreeBuilder::new();
        let mut cursor = tree.walk();
        flatten(&mut cursor, &mut builder);
        Some(builder.finish())
    }
}

/// Copies a tree-sitter tree into a builder.
fn flatten(cursor: &mut TreeCursor<'_>, builder: &mut TreeBuilder) {
    loop {
        let node = cursor.node();
        let field = cursor.field_name().unwrap_or_default();
        builder.open(node.kind(), field, node.is_named(), node.byte_range());
        if node.is_error() || node.is_missing() {
            builder.error();
        }
        if cursor.goto_first_child() {
            continue;
        }
        builder.close();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
            builder.close();
        }
    }
}
