//! Deletes lines that hold nothing but blanks, blanks at the ends of lines, and those before the first word.

use crate::pass::by_halves::ByHalves;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Deletes all of them, then halves of them. What was deleted from a line leaves such blanks.
pub fn blank_lines(parsed: &ParsedText) -> ByHalves {
    let mut edits = Vec::new();
    let mut at = 0;
    for line in parsed.text.split_inclusive(|&byte| byte == b'\n') {
        let content = line.trim_ascii_end().len();
        if at == 0 && content > 0 && line[0].is_ascii_whitespace() {
            let leading = line.len() - line.trim_ascii_start().len();
            edits.push(Edit::delete(0..leading as u32));
        }
        let line_end = if line.ends_with(b"\n") && content > 0 { 1 } else { 0 };
        let span = (at + content) as u32..(at + line.len() - line_end) as u32;
        if !span.is_empty() {
            edits.push(Edit::delete(span));
        }
        at += line.len();
    }
    ByHalves::new("blanks", edits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn lines_without_text_go_and_indentation_stays() {
        let parsed = parse("c", " int f() {\n  \n\n  g(); \n}\n");
        assert_eq!(proposals(blank_lines(&parsed), &parsed)[0], "int f() {\n  g();\n}\n");
    }
}
