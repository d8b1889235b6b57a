//! What identifies a name: its text and, for names that are known within one top-level element only, that element.

use crate::text::parsed_text::ParsedText;
use std::borrow::Cow;
use std::collections::HashSet;
use wynot_subjects::NodeId;

/// A name: the top-level element in which it is known, 0 for the whole text, and its text.
pub type NameKey<'a> = (NodeId, Cow<'a, [u8]>);

/// All leaves that are names, in order, with what identifies them.
pub fn name_keys(parsed: &ParsedText) -> Vec<(NodeId, NameKey<'_>)> {
    let mut found: Vec<(NodeId, NameKey<'_>)> = Vec::new();
    let tree = &parsed.tree;
    let mut element = 0;
    for id in parsed.node_ids().skip(1) {
        if tree.node(id).parent == 0 {
            element = id;
        }
        if tree.is_leaf(id)
            && let Some(text) = name_of(parsed, id)
        {
            found.push((id, (element, text)));
        }
    }
    let Some(sigil) = parsed.language.local_sigil else {
        found.iter_mut().for_each(|(_, key)| key.0 = 0);
        return found;
    };
    let is_defined = |id: NodeId| tree.field(id) == "name" && tree.node(id).parent != 0;
    let is_top_level = |id: NodeId| tree.node(tree.node(id).parent).parent == 0;
    let local: HashSet<NameKey<'_>> = found
        .iter()
        .filter(|(id, (_, text))| {
            is_defined(*id) && text.first() == Some(&sigil) && !is_top_level(*id)
        })
        .map(|(_, key)| key.clone())
        .collect();
    for (_, key) in &mut found {
        if !local.contains(key) {
            key.0 = 0;
        }
    }
    found
}

/// The name that a leaf is.
fn name_of(parsed: &ParsedText, id: NodeId) -> Option<Cow<'_, [u8]>> {
    let is_label = parsed.tree.kind(id) == "block_identifier";
    (is_label || is_name(parsed, parsed.text_of(id))).then(|| spelled_name(parsed, id))
}

/// The text of a leaf as it is mentioned elsewhere: the label of a block with a sigil that it does not have itself.
pub fn spelled_name(parsed: &ParsedText, id: NodeId) -> Cow<'_, [u8]> {
    let text = parsed.text_of(id);
    match parsed.language.local_sigil.filter(|_| parsed.tree.kind(id) == "block_identifier") {
        Some(sigil) => Cow::Owned([&[sigil], text].concat()),
        None => Cow::Borrowed(text),
    }
}

/// Whether a text has the form of a name.
pub fn is_name(parsed: &ParsedText, text: &[u8]) -> bool {
    let sigils = parsed.language.sigils;
    let starts = |byte: &u8| byte.is_ascii_alphabetic() || *byte == b'_' || sigils.contains(byte);
    let is_sign = text.len() == 1 && text[0] != b'$' && sigils.contains(&text[0]);
    text.first().is_some_and(starts) && !is_sign && !text.iter().any(u8::is_ascii_whitespace)
}
