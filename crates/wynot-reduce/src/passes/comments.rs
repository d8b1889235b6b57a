//! Deletes comments.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Deletes all comments, then halves of them.
pub fn comments(parsed: &ParsedText) -> ByHalves {
    let comments = parsed.node_ids().filter(|&id| parsed.tree.kind(id).contains("comment"));
    ByHalves::new("comments", comments.map(|id| Edit::delete(parsed.span(id))).collect())
}
