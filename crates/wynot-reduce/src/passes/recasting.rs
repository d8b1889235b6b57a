//! Exchanges an item for the smallest kind of item around the same type, and a call for an operator between its arguments, in
//! short texts.
//!
//! What matters is often a type or two expressions, while the function or the macro around them only gives them a place. No
//! deletion leads from one place to another.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::newly_unused::delete_newly_unused;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeSet;
use wynot_subjects::NodeId;

/// The operator that takes the place of the comma between two arguments.
const OPERATOR: &str = "==";

/// Exchanges top-level items, then calls with two arguments.
pub fn recasting(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short_program() {
        return OneByOne::empty("recasting");
    }
    let mut proposals = Vec::new();
    for &item in List::of(parsed, 0).iter().flat_map(|list| &list.nodes) {
        proposals.extend(smaller_items(parsed, item));
    }
    let calls = parsed.node_ids().filter(|&id| kinds::is_expression(parsed, id));
    proposals.extend(calls.filter_map(|call| as_operation(parsed, call)));
    let complete = proposals.into_iter().filter_map(|edits| delete_newly_unused(parsed, edits));
    OneByOne::new("recasting", complete.collect()).checking_syntax()
}

/// An item, replaced by each form of the language around each type in it.
fn smaller_items(parsed: &ParsedText, item: NodeId) -> Vec<Vec<Edit>> {
    let tree = &parsed.tree;
    let types: BTreeSet<&[u8]> = (item..tree.node(item).after)
        .filter(|&id| id != item && kinds::is_type(parsed, id) && tree.field(id) != "name")
        .map(|id| parsed.text_of(id))
        .filter(|kind| !kind.is_empty())
        .collect();
    let is_free = |letter: &u8| !tree.leaves(0).any(|leaf| parsed.text_of(leaf) == [*letter]);
    let Some(name) = (b'a'..=b'z').find(is_free) else { return Vec::new() };
    let named = |part: &str| part.replace('_', &char::from(name).to_string()).into_bytes();
    let around = |kind: &[u8]| -> Vec<Vec<Edit>> {
        let forms = parsed.language.items_around_type.iter();
        let texts = forms.map(|(before, after)| {
            [named(before).as_slice(), kind, named(after).as_slice()].concat()
        });
        texts.map(|text| vec![Edit::replace(parsed.span(item), text)]).collect()
    };
    types.into_iter().flat_map(around).collect()
}

/// A call of exactly two arguments, replaced by an operator between them. Macros take tokens, so brackets and the comma are
/// found by their signs.
fn as_operation(parsed: &ParsedText, call: NodeId) -> Option<Vec<Edit>> {
    let leaves: Vec<NodeId> = parsed.tree.leaves(call).collect();
    let open = leaves.iter().position(|&leaf| parsed.text_of(leaf) == b"(").filter(|&at| at > 0)?;
    let mut depth = 0usize;
    let mut commas = Vec::new();
    for (at, &leaf) in leaves.iter().enumerate().skip(open) {
        match parsed.text_of(leaf) {
            b"(" | b"[" | b"{" => depth += 1,
            b")" | b"]" | b"}" => depth = depth.checked_sub(1)?,
            b"," if depth == 1 => commas.push(leaf),
            _ => {}
        }
        // The bracket of the arguments ends the call.
        if depth == 0 && at + 1 != leaves.len() {
            return None;
        }
    }
    let [comma] = commas.as_slice() else { return None };
    let (span, open, close) =
        (parsed.span(call), parsed.span(leaves[open]), parsed.span(*leaves.last()?));
    Some(vec![
        parsed.delete(span.start..open.end),
        Edit::replace(parsed.span(*comma), OPERATOR),
        Edit::delete(close.start..span.end),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(recasting(&parsed), &parsed)
    }

    #[test]
    fn an_item_becomes_the_smallest_one_around_its_type() {
        let rust = tried("rust", "fn a()->Err{}use std::result;");
        assert!(rust.contains(&"impl Err{}use std::result;".to_owned()), "{rust:?}");
        let cpp = tried("cpp", "struct a{};void b(a*c){d(c);}");
        assert!(cpp.contains(&"struct a{};a e;".to_owned()), "{cpp:?}");
    }

    #[test]
    fn a_call_becomes_an_operator() {
        let macros = tried("rust", "fn a(b:&())->&(){assert_eq!(a,a)}");
        assert!(macros.contains(&"fn a(b:&())->&(){a==a}".to_owned()), "{macros:?}");
        let nested = tried("c", "int f(int a){return max(g(a,1),a);}");
        assert!(nested.contains(&"int f(int a){return g(a,1)==a;}".to_owned()), "{nested:?}");
        let three = tried("c", "int f(int a){return max(a,1,a);}");
        assert!(three.iter().all(|text| !text.contains("==")), "{three:?}");
    }
}
