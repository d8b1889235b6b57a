//! Gives names to what is numbered by its position, so that something can go without a change to all that follows it.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Gives names instead of numbers, all of them or none. Comments and indentation go as well, which makes room for labels.
pub fn naming(parsed: &ParsedText) -> ByHalves {
    let names = parsed.language.names_of_numbered.map(|names| names(&parsed.text));
    let Some(names) = names.filter(|names| !names.is_empty()) else {
        return ByHalves::new("naming", Vec::new());
    };
    let tree = &parsed.tree;
    let comments = parsed.node_ids().filter(|&id| tree.kind(id).contains("comment"));
    let mut edits: Vec<Edit> = comments.map(|id| Edit::delete(parsed.span(id))).collect();
    for (at, _) in parsed.text.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
        let rest = &parsed.text[at + 1..];
        let blanks = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
        let start = at as u32 + 1;
        if blanks > 0 {
            edits.push(Edit::delete(start..start + blanks));
        }
    }
    for (span, name) in names {
        let span = span.start as u32..span.end as u32;
        // A label takes the place of the blanks before a block.
        match edits.iter_mut().find(|edit| span.is_empty() && edit.span.end == span.start) {
            Some(blanks) => blanks.text = name,
            None => edits.push(Edit::replace(span, name)),
        }
    }
    edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
    ByHalves::all_or_nothing("naming", edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn numbers_become_names_in_one_step() {
        let text = "; preds\ndefine i32 @f(i32 %0) {\n  %2 = add i32 %0, 1\n  br label %3\n\n3:\n  %4 = phi i32 [ %2, %1 ]\n  ret i32 %2\n}\n";
        let parsed = parse("llvm", text);
        let expected = "\ndefine i32 @f(i32 %a) {\ne:\n%b = add i32 %a, 1\nbr label %c\nc:\n\
                        %d = phi i32 [ %b, %e ]\nret i32 %b\n}\n";
        assert_eq!(proposals(naming(&parsed), &parsed), [expected]);
    }
}
