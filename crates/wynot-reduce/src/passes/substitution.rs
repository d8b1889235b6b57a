//! Deletes a declaration and replaces its name, wherever it is used, by something simpler: its value, a
//! constant, or a name that the declaration itself uses.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::lexical_values::inlined_values;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::references::References;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use wynot_subjects::NodeId;

/// Texts with more bytes than this are left alone: every use of every name is visited.
const MAX_TEXT_BYTES: usize = 128 << 10;

/// The number of names inside a declaration that are tried in its place.
const MAX_NAMES: usize = 6;

/// The number of values of a declaration that are tried in its place.
const MAX_DECLARED_VALUES: usize = 2;

/// The number of nodes that may lie between an assignment and the block that it is a statement of.
const MAX_STATEMENT_LEVELS: usize = 3;

/// Replaces declared names, then assigned variables, then repeated types.
pub fn substitution(parsed: &ParsedText) -> OneByOne {
    if parsed.text.len() > MAX_TEXT_BYTES {
        return OneByOne::empty("substitution");
    }
    let mut proposals = declared_names(parsed);
    if parsed.language.has_lexical_definitions {
        proposals.extend(inlined_values(parsed));
    }
    proposals.extend(assigned_values(parsed));
    proposals.extend(repeated_types(parsed));
    OneByOne::new("substitution", proposals)
}

/// The deletion of each declaration, with the replacement of its names.
fn declared_names(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    let references = References::of(parsed);
    let mut proposals = Vec::new();
    for declaration in references.declarations() {
        let uses = references.uses_outside(declaration);
        if uses.is_empty() {
            continue;
        }
        let inside: BTreeSet<&[u8]> = references.names_inside(declaration).collect();
        let constants = parsed.language.types.iter().chain(parsed.language.expressions);
        let constants = constants.map(|constant| constant.as_bytes());
        let values = declared_values(parsed, &declaration.span);
        let values = values.iter().map(Vec::as_slice);
        for simpler in values.chain(constants).chain(inside.into_iter().take(MAX_NAMES)) {
            let mut edits = vec![Edit::delete(declaration.span.clone())];
            edits.extend(uses.iter().map(|span| Edit::replace(span.clone(), simpler)));
            edits.sort_by_key(|edit| edit.span.start);
            proposals.push(edits);
        }
    }
    proposals
}

/// The replacement of each variable by the value that it is assigned.
fn assigned_values(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    let tree = &parsed.tree;
    let mut proposals = Vec::new();
    for id in parsed.node_ids() {
        let part =
            |fields: [&str; 4]| fields.iter().find_map(|field| tree.child_by_field(id, field));
        let name = part(["left", "name", "pattern", "declarator"]).filter(|&id| tree.is_leaf(id));
        let value = part(["right", "value", "default", "init"]);
        let (Some(name), Some(value)) = (name, value) else { continue };
        let Some(statement) = delete_statement(parsed, id) else { continue };
        let deleted = statement.iter().map(|edit| edit.span.clone()).collect::<Vec<_>>();
        let is_use = |leaf: &NodeId| {
            let span = parsed.span(*leaf);
            parsed.text_of(*leaf) == parsed.text_of(name)
                && !deleted.iter().any(|gone| gone.start <= span.start && span.end <= gone.end)
        };
        let uses: Vec<NodeId> = tree.leaves(0).filter(is_use).collect();
        if !uses.is_empty() {
            let mut edits = statement;
            let text = parsed.text_of(value);
            edits.extend(uses.iter().map(|&leaf| Edit::replace(parsed.span(leaf), text)));
            edits.sort_by_key(|edit| edit.span.start);
            proposals.push(edits);
        }
    }
    proposals
}

/// The edits that delete the element of a block that a node is, or nearly is.
fn delete_statement(parsed: &ParsedText, node: NodeId) -> Option<Vec<Edit>> {
    let mut inner = node;
    for _ in 0..MAX_STATEMENT_LEVELS {
        let parent = parsed.tree.node(inner).parent;
        let list = List::of(parsed, parent)?;
        let at = list.nodes.iter().position(|&element| element == inner)? as u32;
        if parent == 0 || kinds::is_block(parsed, parent) {
            return Some(list.delete(parsed, (at, at + 1)));
        }
        inner = parent;
    }
    None
}

/// The replacement of all occurrences of a type by the simplest one.
fn repeated_types(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    let Some(simplest) = parsed.language.types.first() else { return Vec::new() };
    let mut by_text: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
    for id in parsed.node_ids() {
        if kinds::is_type(parsed, id) && parsed.size(id) > simplest.len() {
            let edits = by_text.entry(parsed.text_of(id)).or_default();
            // A type within an equal type is replaced with it.
            if edits.last().is_none_or(|last| last.span.end <= parsed.span(id).start) {
                edits.push(Edit::replace(parsed.span(id), *simplest));
            }
        }
    }
    by_text.into_values().filter(|edits| edits.len() > 1).collect()
}

/// The texts that a declaration gives to its names: a value, or the type that they stand for.
fn declared_values(parsed: &ParsedText, span: &Range<u32>) -> Vec<Vec<u8>> {
    let nodes = parsed.node_ids().filter(|&id| {
        let node = parsed.tree.node(id);
        span.start <= node.start
            && node.end <= span.end
            && matches!(parsed.tree.field(id), "value" | "type")
    });
    nodes.map(|id| parsed.text_of(id).to_vec()).take(MAX_DECLARED_VALUES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(substitution(&parsed), &parsed)
    }

    #[test]
    fn a_function_may_give_way_to_the_one_it_calls() {
        let text = "int g();\nint f(){g();}\nint main(){f();}\n";
        let tried = tried("c", text);
        assert!(tried.contains(&"int g();\nint main(){g();}\n".to_owned()), "{tried:?}");
    }

    #[test]
    fn a_value_may_take_the_place_of_its_name() {
        let python = tried("python", "def f(a):\n h = 0\n a[1] = h\n");
        assert!(python.contains(&"def f(a):\n a[1] = 0\n".to_owned()), "{python:?}");
        let rust = tried("rust", "fn f() { let h = g(); k(h); }");
        assert!(rust.contains(&"fn f() { k(g()); }".to_owned()), "{rust:?}");
    }

    #[test]
    fn equal_types_become_simpler_together() {
        let rust = tried("rust", "fn f(a: Map<String, u8>) -> String {}");
        assert!(rust.contains(&"fn f(a: Map<(), u8>) -> () {}".to_owned()), "{rust:?}");
    }
}
