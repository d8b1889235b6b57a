//! Deletes what a text can do without by the rules of its language: modifiers, attachments.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use wynot_subjects::NodeId;

/// Deletes all modifiers, then halves of them.
pub fn modifiers(parsed: &ParsedText) -> ByHalves {
    let tree = &parsed.tree;
    let is_modifier = |id: &NodeId| {
        parsed.language.modifiers.contains(&tree.kind(*id)) && tree.field(*id) != "name"
    };
    let mut edits: Vec<Edit> = Vec::new();
    for id in parsed.node_ids().filter(is_modifier) {
        let mut span = parsed.span(id);
        if edits.last().is_some_and(|last| span.end <= last.span.end) {
            continue;
        }
        span.start -= u32::from(parsed.text[..span.start as usize].last() == Some(&b' '));
        edits.push(parsed.delete(span));
    }
    ByHalves::new("modifiers", edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn modifiers_and_attachments_go_together() {
        let text = "define dso_local i32 @f(i32 noundef %x) #0 {\n%y = add nsw i32 %x, 1, !dbg !4\nret i32 %y, !dbg !5\n}\n";
        let parsed = parse("llvm", text);
        let expected = "define i32 @f(i32 %x) {\n%y = add i32 %x, 1\nret i32 %y\n}\n";
        assert_eq!(proposals(modifiers(&parsed), &parsed)[0], expected);
    }
}
