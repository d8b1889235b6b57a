//! What may stand where: expressions, types, statements, blocks, told by the names of their kinds.

use crate::Draft;
use wynot_subjects::NodeId;

/// What a node is to its surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Category {
    Expression,
    Type,
    Statement,
    Block,
    Other,
}

const EXPRESSIONS: &[&str] = &[
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

const BLOCKS: &[&str] = &[
    "block",
    "compound_statement",
    "statement_block",
    "declaration_list",
    "field_declaration_list",
    "class_body",
    "enumerator_list",
];

fn of(draft: &Draft, node: NodeId) -> Category {
    let kind = draft.tree.kind(node);
    if BLOCKS.contains(&kind) {
        Category::Block
    } else if kind.ends_with("_expression") || EXPRESSIONS.contains(&kind) {
        Category::Expression
    } else if kind.ends_with("_type")
        || kind.ends_with("type_identifier")
        || draft.tree.field(node) == "type"
    {
        Category::Type
    } else if kind.ends_with("_statement") {
        Category::Statement
    } else {
        Category::Other
    }
}

/// Whether a node is a type.
pub fn is_type(draft: &Draft, node: NodeId) -> bool {
    of(draft, node) == Category::Type
}

/// Whether a node is an expression.
pub fn is_expression(draft: &Draft, node: NodeId) -> bool {
    of(draft, node) == Category::Expression
}

/// Whether a node is a block.
pub fn is_block(draft: &Draft, node: NodeId) -> bool {
    of(draft, node) == Category::Block
}

/// The constants that may take the place of a node.
pub fn constants(draft: &Draft, node: NodeId) -> &'static [&'static str] {
    let language = draft.language;
    match of(draft, node) {
        Category::Expression => language.expressions,
        Category::Type => language.types,
        Category::Statement => language.statements,
        Category::Block if language.statements.contains(&";") => &["{}", ";"],
        Category::Block if language.body.is_some_and(|body| body.starts_with('{')) => &["{}"],
        Category::Block | Category::Other => &[],
    }
}

/// Whether a descendant may stand where a node stands.
pub fn fits(draft: &Draft, descendant: NodeId, node: NodeId) -> bool {
    match (of(draft, descendant), of(draft, node)) {
        (a, b) if a == b => true,
        (Category::Type, Category::Expression) | (Category::Expression, Category::Type) => false,
        (Category::Block | Category::Statement, Category::Expression | Category::Type) => false,
        _ => true,
    }
}
