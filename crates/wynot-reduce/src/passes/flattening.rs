//! Makes variables plain: the type becomes the simplest one, and every path that begins at the variable (a
//! member, an element, what it points to) becomes the variable itself.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

/// Kinds of paths to members; the object is the first named child.
const PATH_KINDS: &[&str] = &[
    "field_expression",
    "subscript_expression",
    "pointer_expression",
    "member_expression",
    "field_access",
    "array_access",
    "parenthesized_expression",
];

/// Kinds that declare one variable or parameter, with the type before the name.
const DECLARATION_KINDS: &[&str] = &["parameter_declaration", "declaration", "formal_parameter"];

/// Makes one variable after the other plain.
pub fn flattening(parsed: &ParsedText) -> OneByOne {
    let tree = &parsed.tree;
    let mut proposals = Vec::new();
    for (name, declarations) in plain_declarations(parsed) {
        let uses = parsed.node_ids().filter(|&id| tree.is_leaf(id) && parsed.text_of(id) == name);
        let mut edits = declarations.clone();
        for leaf in uses {
            let path = path_from(parsed, leaf);
            let start = tree.node(leaf).start;
            let is_in_declaration = declarations.iter().any(|edit| edit.span.contains(&start));
            if path != leaf && !is_in_declaration {
                edits.push(Edit::replace(parsed.span(path), name));
            }
        }
        edits.sort_by_key(|edit| edit.span.start);
        proposals.push(edits);
    }
    OneByOne::new("flattening", proposals)
}

/// For each variable, the edits that declare it with the simplest type.
fn plain_declarations(parsed: &ParsedText) -> BTreeMap<&[u8], Vec<Edit>> {
    let tree = &parsed.tree;
    let mut declared: BTreeMap<&[u8], Vec<Edit>> = BTreeMap::new();
    let Some(simplest) = parsed.language.types.first() else { return declared };
    for id in parsed.node_ids().filter(|&id| DECLARATION_KINDS.contains(&tree.kind(id))) {
        let Some(name) = declarator(parsed, id) else { continue };
        let name = parsed.text_of(name);
        let end: &[u8] = if tree.kind(id) == "declaration" { b";" } else { b"" };
        let text = [simplest.as_bytes(), b" ", name, end].concat();
        declared.entry(name).or_default().push(Edit::replace(parsed.span(id), text));
    }
    declared
}

/// The innermost declarator of a declaration that has a single one.
fn declarator(parsed: &ParsedText, id: NodeId) -> Option<NodeId> {
    let mut next = parsed
        .tree
        .child_by_field(id, "declarator")
        .or_else(|| parsed.tree.child_by_field(id, "name"))?;
    while !parsed.tree.is_leaf(next) {
        next = parsed.tree.child_by_field(next, "declarator")?;
    }
    Some(next)
}

/// The longest path that begins at a leaf. Brackets are part of a path only if it continues after them.
fn path_from(parsed: &ParsedText, leaf: NodeId) -> NodeId {
    let tree = &parsed.tree;
    let (mut path, mut next) = (leaf, leaf);
    while next > 0 {
        let parent = tree.node(next).parent;
        let object = tree.children(parent).find(|&child| tree.is_named(child));
        if !PATH_KINDS.contains(&tree.kind(parent)) || object != Some(next) {
            break;
        }
        next = parent;
        if tree.kind(next) != "parenthesized_expression" {
            path = next;
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_pointer_to_a_structure_becomes_a_number() {
        let text = "int a(struct c*o,int g){return g*o->b.d[1];}";
        let parsed = parse("c", text);
        let tried = proposals(flattening(&parsed), &parsed);
        assert!(tried.contains(&"int a(int o,int g){return g*o;}".to_owned()), "{tried:?}");
    }

    #[test]
    fn brackets_that_a_statement_needs_stay() {
        let text = "int f(enum e b){switch(b){}return (*b).c;}";
        let parsed = parse("c", text);
        let tried = proposals(flattening(&parsed), &parsed);
        let expected = "int f(int b){switch(b){}return b;}".to_owned();
        assert!(tried.contains(&expected), "{tried:?}");
    }
}
