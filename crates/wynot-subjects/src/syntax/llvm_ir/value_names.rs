//! Names for what is numbered by its position, so that something can go without a change to all that follows it.

use super::module_reader::parse;
use crate::syntax::tree::{NodeId, SyntaxTree};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The first and the further bytes of names.
const FIRST_BYTES: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
const FURTHER_BYTES: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";

/// The replacements after which values, blocks, globals and types have names instead of numbers.
pub(crate) fn names_of_numbered(text: &[u8]) -> Vec<(Range<usize>, Vec<u8>)> {
    let tree = parse(text);
    let mut edits = Vec::new();
    let mut global = Names::new(&tree, 0, text);
    for id in (0..tree.nodes().len() as NodeId).filter(|&id| tree.is_leaf(id)) {
        let is_local_type =
            tree.kind(id) == "type_identifier" || text[tree.span(id)].starts_with(b"@");
        let defines_type =
            tree.kind(tree.node(id).parent) == "type_item" && tree.field(id) == "name";
        if is_local_type || defines_type {
            edits.extend(global.rename(&tree, id, text));
        }
    }
    for function in tree.children(0).filter(|&id| tree.kind(id) == "function_definition") {
        name_locals(&tree, function, text, &global, &mut edits);
    }
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    edits
}

/// Gives names to the values and blocks of a function.
fn name_locals(
    tree: &SyntaxTree,
    function: NodeId,
    text: &[u8],
    global: &Names,
    edits: &mut Vec<(Range<usize>, Vec<u8>)>,
) {
    let mut local = Names::new(tree, function, text);
    local.taken.extend(global.names.values().cloned());
    let kinds = [
        "identifier",
        "identifier_expression",
        "label_identifier",
        "predecessor_identifier",
        "block_identifier",
    ];
    for id in tree.leaves(function).filter(|&id| kinds.contains(&tree.kind(id))) {
        if !text[tree.span(id)].starts_with(b"@") {
            edits.extend(local.rename(tree, id, text));
        }
    }
    // The first block has a number without a label. If it is mentioned, it needs one.
    let Some(body) = tree.child_by_field(function, "body") else { return };
    let Some(entry) = tree.children(body).find(|&id| tree.kind(id) == "basic_block") else {
        return;
    };
    let parameters = tree.child_by_field(function, "parameters");
    let parameters = parameters.into_iter().flat_map(|id| tree.children(id));
    let unnamed = parameters.filter(|&id| {
        let name = tree.child_by_field(id, "name");
        tree.is_named(id)
            && &text[tree.span(id)] != b"..."
            && name.is_none_or(|name| is_number(&text[tree.span(name)][1..]))
    });
    let number = unnamed.count().to_string().into_bytes();
    if let (None, Some(name)) = (tree.child_by_field(entry, "name"), local.names.get(&number)) {
        let start = tree.span(entry).start;
        edits.push((start..start, [name.as_slice(), b":\n"].concat()));
    }
}

/// The names that numbers become in one scope.
struct Names {
    taken: HashSet<Vec<u8>>,
    names: HashMap<Vec<u8>, Vec<u8>>,
    /// The number of names that were made, free or taken.
    made: usize,
}

impl Names {
    fn new(tree: &SyntaxTree, scope: NodeId, text: &[u8]) -> Self {
        let names = tree.leaves(scope).map(|leaf| {
            let name = &text[tree.span(leaf)];
            name.strip_prefix(b"%").or(name.strip_prefix(b"@")).unwrap_or(name).to_vec()
        });
        Self { taken: names.collect(), names: HashMap::new(), made: 0 }
    }

    /// The replacement of a leaf that is a number.
    fn rename(
        &mut self,
        tree: &SyntaxTree,
        leaf: NodeId,
        text: &[u8],
    ) -> Option<(Range<usize>, Vec<u8>)> {
        let span = tree.span(leaf);
        let sigil =
            usize::from(text[span.clone()].first().is_some_and(|byte| b"%@".contains(byte)));
        let number = &text[span.start + sigil..span.end];
        if !is_number(number) {
            return None;
        }
        if !self.names.contains_key(number) {
            let name = loop {
                let name = nth_name(self.made);
                self.made += 1;
                if !self.taken.contains(&name) {
                    break name;
                }
            };
            self.names.insert(number.to_vec(), name);
        }
        Some((span.start + sigil..span.end, self.names[number].clone()))
    }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}

/// The names in order: one byte, then two, and so on.
fn nth_name(mut index: usize) -> Vec<u8> {
    let mut name = vec![FIRST_BYTES[index % FIRST_BYTES.len()]];
    index /= FIRST_BYTES.len();
    while index > 0 {
        index -= 1;
        name.push(FURTHER_BYTES[index % FURTHER_BYTES.len()]);
        index /= FURTHER_BYTES.len();
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_names_and_the_first_block_gets_a_label() {
        let text = b"%7 = type { i32 }\n@0 = global %7 zeroinitializer\ndefine i32 @f(i32 %0) {\n  %2 = add i32 %0, 1\n  br label %3\n\n3:\n  %4 = phi i32 [ %2, %1 ], [ %4, %3 ]\n  ret i32 %4\n}\n";
        let mut result = text.to_vec();
        for (span, name) in names_of_numbered(text).into_iter().rev() {
            result.splice(span, name);
        }
        let expected = "%a = type { i32 }\n@b = global %a zeroinitializer\ndefine i32 @f(i32 %c) {\n  \
                        h:\n%d = add i32 %c, 1\n  br label %e\n\ne:\n  \
                        %g = phi i32 [ %d, %h ], [ %g, %e ]\n  ret i32 %g\n}\n";
        assert_eq!(String::from_utf8(result).unwrap(), expected);
    }

    #[test]
    fn names_do_not_repeat() {
        let names: HashSet<Vec<u8>> = (0..10_000).map(nth_name).collect();
        assert_eq!(names.len(), 10_000);
    }
}
