//! Kinds of nodes: which of them are expressions, types, statements or blocks, by the names that grammars
//! give them, and so which node may take the place of which.

use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// The role of a node, as far as other nodes can take its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Category {
    Expression,
    Type,
    Statement,
    Block,
    Other,
}

/// Kinds of expressions whose names do not end in `_expression`.
const EXPRESSION_KINDS: &[&str] = &[
    "call",
    "string",
    "string_literal",
    "number",
    "list",
    "dictionary",
    "tuple",
    "lambda",
    "object",
    "array",
    "attribute",
    "subscript",
    "await",
    "set",
    "conditional_expression",
    "macro_invocation",
    "template_string",
    "arrow_function",
    "term",
    "invocation",
    "subquery",
    "binary_operator",
    "boolean_operator",
    "comparison_operator",
    "unary_operator",
    "not_operator",
    "list_comprehension",
    "generator_expression",
    "integer_literal",
    "number_literal",
    "concatenated_string",
    "cast",
];

/// Kinds of blocks: lists of statements or declarations.
const BLOCK_KINDS: &[&str] = &[
    "block",
    "compound_statement",
    "statement_block",
    "declaration_list",
    "field_declaration_list",
    "class_body",
    "enumerator_list",
];

fn category(parsed: &ParsedText, node: NodeId) -> Category {
    let kind = parsed.tree.kind(node);
    if BLOCK_KINDS.contains(&kind) {
        Category::Block
    } else if kind.ends_with("_expression") || EXPRESSION_KINDS.contains(&kind) {
        Category::Expression
    } else if kind.ends_with("_type")
        || kind.ends_with("type_identifier")
        || parsed.tree.field(node) == "type"
    {
        Category::Type
    } else if kind.ends_with("_statement") {
        Category::Statement
    } else {
        Category::Other
    }
}

/// Whether a node is a type.
pub fn is_type(parsed: &ParsedText, node: NodeId) -> bool {
    category(parsed, node) == Category::Type
}

/// Whether a node is an expression.
pub fn is_expression(parsed: &ParsedText, node: NodeId) -> bool {
    category(parsed, node) == Category::Expression
}

/// Whether a node is a block.
pub fn is_block(parsed: &ParsedText, node: NodeId) -> bool {
    category(parsed, node) == Category::Block
}

/// The constants of the language that may take the place of a node.
pub fn constants(parsed: &ParsedText, node: NodeId) -> &'static [&'static str] {
    let language = parsed.language;
    match category(parsed, node) {
        Category::Expression => language.expressions,
        Category::Type => language.types,
        Category::Statement => language.statements,
        Category::Block if language.statements.contains(&";") => &["{}", ";"],
        Category::Block if language.body.is_some_and(|body| body.starts_with('{')) => &["{}"],
        Category::Block | Category::Other => &[],
    }
}

/// Whether a descendant of a node may take its place.
pub fn can_replace(parsed: &ParsedText, descendant: NodeId, node: NodeId) -> bool {
    match (category(parsed, descendant), category(parsed, node)) {
        (a, b) if a == b => true,
        (Category::Type, Category::Expression) | (Category::Expression, Category::Type) => false,
        (Category::Block | Category::Statement, Category::Expression | Category::Type) => false,
        _ => true,
    }
}
