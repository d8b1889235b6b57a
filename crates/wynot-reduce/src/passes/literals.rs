//! Replaces literals by plainer ones.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::BTreeMap;
use wynot_subjects::NodeId;

/// Parts of the names that grammars give to literals.
const LITERAL_KINDS: [&str; 6] = ["number", "integer", "float", "string", "literal", "char"];

/// Replaces literals by plainer ones: all equal ones together, then each by itself. In short texts, uses of
/// names become 0 first.
pub fn literals(parsed: &ParsedText) -> OneByOne {
    let mut by_text: BTreeMap<Vec<u8>, Vec<NodeId>> = BTreeMap::new();
    for id in parsed.node_ids().filter(|&id| is_literal(parsed, id)) {
        by_text.entry(parsed.text_of(id).to_vec()).or_default().push(id);
    }
    let mut proposals = vec![empty_statements(parsed)];
    proposals.extend(names_as_zero(parsed));
    for (text, nodes) in by_text {
        for plainer in plainer(&text) {
            let edit = |&id: &NodeId| Edit::replace(parsed.span(id), plainer.clone());
            if nodes.len() > 1 {
                proposals.push(nodes.iter().map(edit).collect());
            }
            proposals.extend(nodes.iter().map(|id| vec![edit(id)]));
        }
    }
    OneByOne::new("literals", proposals)
}

fn is_literal(parsed: &ParsedText, id: NodeId) -> bool {
    let kind = parsed.tree.kind(id);
    let has_literal_kind = LITERAL_KINDS.iter().any(|word| kind.contains(word));
    let is_numeric_atom =
        kind == "atom" && parsed.text_of(id).first().is_some_and(u8::is_ascii_digit);
    // Parsers insert empty nodes for missing ones.
    let is_empty = parsed.span(id).is_empty();
    parsed.tree.is_named(id) && !is_empty && (has_literal_kind || is_numeric_atom)
}

/// The replacement of all statements that do nothing by 0, which does nothing either.
fn empty_statements(parsed: &ParsedText) -> Vec<Edit> {
    let is_empty = |id: &NodeId| parsed.tree.kind(*id) == "pass_statement" && parsed.size(*id) > 1;
    let all = parsed.node_ids().filter(is_empty);
    all.map(|id| Edit::replace(parsed.span(id), "0")).collect()
}

/// In short texts, the replacement of each single use of a name by 0.
fn names_as_zero(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    let tree = &parsed.tree;
    if !parsed.is_short() || !parsed.language.expressions.contains(&"0") {
        return Vec::new();
    }
    let uses = parsed.node_ids().rev().filter(|&id| {
        tree.kind(id) == "identifier"
            && !matches!(tree.field(id), "declarator" | "name" | "function")
    });
    uses.map(|id| vec![Edit::replace(parsed.span(id), "0")]).collect()
}

/// The literals that may replace another, the plainest first.
fn plainer(text: &[u8]) -> Vec<Vec<u8>> {
    let quoted = text.len() > 1 && text[0] == text[text.len() - 1] && b"\"'`".contains(&text[0]);
    let mut found: Vec<Vec<u8>> = match quoted {
        true => vec![b"0".to_vec(), vec![text[0], text[0]], vec![text[0], b'a', text[0]]],
        false if text[0].is_ascii_digit() || text[0] == b'-' => {
            vec![b"0".to_vec(), b"1".to_vec(), b"2".to_vec()]
        }
        false => Vec::new(),
    };
    found.retain(|plain| (plain.len(), plain.as_slice()) < (text.len(), text));
    found
}
