//! Syntax trees of texts, for strategies that propose candidates by syntax.
//!
//! [`language`] is what is known about one, [`language_table`] lists them with their rules; [`tree`] holds the trees. The parsers are
//! [`tree_sitter`] for most languages, [`s_expressions`], [`dimacs`], [`llvm_ir`], and [`brackets`] for texts of unknown
//! syntax, in which [`line_sections`] and [`odd_brackets`] look at indentation and quotes. All but the first take linear time;
//! [`parse_budget`] and [`open_tags`] limit its work, and [`gnu_extensions`] hides from it what the grammar of C++ does not know.
//! Deltas of texts do not depend on syntax; they belong to [`text`](crate::text).

pub(crate) mod brackets;
pub(crate) mod dimacs;
pub(crate) mod gnu_extensions;
pub(crate) mod language;
pub(crate) mod language_table;
mod line_sections;
pub(crate) mod llvm_ir;
pub(crate) mod not_parsed;
mod odd_brackets;
pub(crate) mod open_tags;
pub(crate) mod packed_grammar;
pub(crate) mod parse_budget;
pub(crate) mod s_expressions;
pub(crate) mod tree;
pub(crate) mod tree_sitter;
