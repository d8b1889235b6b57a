//! Parsing by tree-sitter. No other file uses its types.

use crate::syntax::not_parsed::NotParsed;
use crate::syntax::packed_grammar;
use crate::syntax::parse_budget::ParseBudget;
use crate::syntax::tree::{SyntaxTree, TreeBuilder};
use std::ops::ControlFlow;
use tree_sitter::{ParseOptions, ParseState, Parser, Point, TreeCursor};
use tree_sitter_language::LanguageFn;

/// The number of actions after which tree-sitter reports its progress.
const ACTIONS_PER_REPORT: u64 = 100;

/// The number of bytes that tree-sitter gets at a time, so that what it reads can be counted.
const BYTES_PER_READ: usize = 1024;

/// The number of nodes that are copied between two looks at whether to stop.
const NODES_PER_STOP_CHECK: usize = 1 << 16;

/// A tree-sitter grammar that is linked into the program.
#[derive(Clone, Copy)]
pub(crate) struct Grammar(LanguageFn);

impl std::fmt::Debug for Grammar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a tree-sitter grammar")
    }
}

pub(crate) const BASH: Grammar = Grammar(packed_grammar::BASH);
pub(crate) const C: Grammar = Grammar(packed_grammar::C);
pub(crate) const CPP: Grammar = Grammar(packed_grammar::CPP);
pub(crate) const CSS: Grammar = Grammar(tree_sitter_css::LANGUAGE);
pub(crate) const GO: Grammar = Grammar(packed_grammar::GO);
pub(crate) const HTML: Grammar = Grammar(tree_sitter_html::LANGUAGE);
pub(crate) const JAVA: Grammar = Grammar(packed_grammar::JAVA);
pub(crate) const JAVASCRIPT: Grammar = Grammar(packed_grammar::JAVASCRIPT);
pub(crate) const JSON: Grammar = Grammar(tree_sitter_json::LANGUAGE);
pub(crate) const PYTHON: Grammar = Grammar(packed_grammar::PYTHON);
pub(crate) const RUST: Grammar = Grammar(packed_grammar::RUST);
pub(crate) const SQL: Grammar = Grammar(packed_grammar::SQL);
pub(crate) const TYPESCRIPT: Grammar = Grammar(packed_grammar::TYPESCRIPT);
pub(crate) const TSX: Grammar = Grammar(packed_grammar::TSX);
pub(crate) const XML: Grammar = Grammar(packed_grammar::XML);

impl Grammar {
    /// The syntax tree of a text.
    pub(crate) fn parse(
        self,
        text: &[u8],
        is_stopped: &dyn Fn() -> bool,
    ) -> Result<SyntaxTree, NotParsed> {
        let mut parser = Parser::new();
        parser.set_language(&self.0.into()).map_err(|_| NotParsed::TooCostly)?;
        let budget = ParseBudget::new(text);
        // A parser that has read too much comes to the end of the text at once. Its tree is not used.
        let mut read = |at: usize, _: Point| {
            budget.spend_reads(BYTES_PER_READ);
            match budget.is_used_up() {
                true => &[],
                false => text.get(at..text.len().min(at + BYTES_PER_READ)).unwrap_or_default(),
            }
        };
        let mut report = |state: &ParseState| {
            let (offset, in_error) = (state.current_byte_offset(), state.has_error());
            budget.spend_actions(ACTIONS_PER_REPORT, offset, in_error);
            match budget.is_used_up() || is_stopped() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            }
        };
        let options = ParseOptions::new().progress_callback(&mut report);
        let tree = parser.parse_with_options(&mut read, None, Some(options));
        if budget.is_used_up() {
            return Err(NotParsed::TooCostly);
        }
        let tree = tree.ok_or(NotParsed::Stopped)?;
        let mut builder = TreeBuilder::new();
        let mut cursor = tree.walk();
        flatten(&mut cursor, &mut builder, is_stopped)?;
        Ok(builder.finish())
    }
}

/// Copies a tree-sitter tree into a builder.
fn flatten(
    cursor: &mut TreeCursor<'_>,
    builder: &mut TreeBuilder,
    is_stopped: &dyn Fn() -> bool,
) -> Result<(), NotParsed> {
    // To look up a name by its text would take longer than all the rest.
    let (mut kinds, mut fields) = (KnownNames::default(), KnownNames::default());
    for nodes in 0usize.. {
        if nodes.is_multiple_of(NODES_PER_STOP_CHECK) && is_stopped() {
            return Err(NotParsed::Stopped);
        }
        let node = cursor.node();
        let kind = kinds.index(node.kind_id(), || builder.name(node.kind()));
        let field_id = cursor.field_id().map_or(0, std::num::NonZero::get);
        let field =
            fields.index(field_id, || builder.name(cursor.field_name().unwrap_or_default()));
        builder.open_named(kind, field, node.is_named(), node.byte_range());
        if node.is_error() || node.is_missing() {
            builder.error();
        }
        if cursor.goto_first_child() {
            continue;
        }
        builder.close();
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(());
            }
            builder.close();
        }
    }
    Ok(())
}

/// The indices of names in a builder, by the numbers that the grammar gives them.
#[derive(Default)]
struct KnownNames(Vec<Option<u16>>);

impl KnownNames {
    /// The index of a name; `find` looks it up the first time.
    fn index(&mut self, number: u16, find: impl FnOnce() -> u16) -> u16 {
        // Errors have the largest number of all.
        let slot = usize::from(number.wrapping_add(1));
        if slot >= self.0.len() {
            self.0.resize(slot + 1, None);
        }
        *self.0[slot].get_or_insert_with(find)
    }
}
