//! Texts in Markdown: words in which nothing is markup, and code.

use crate::text::changed_line::{LinePart, line_parts};
use crate::text::escape::escape;

/// A text in a fence that is longer than any in the text.
pub(super) fn fenced(text: &str, language: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let visible = |c: char| match escape(c) {
        Some(escaped) if !matches!(c, '\n' | '\t') => escaped,
        _ => c.to_string(),
    };
    let text: String = text.chars().map(visible).collect();
    let language: String = language.chars().filter(char::is_ascii_alphanumeric).collect();
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A text within a line, in which nothing is markup.
pub(super) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match (c, escape(c)) {
            ('\\' | '`' | '*' | '_' | '<' | '>' | '[' | ']' | '#' | '|' | '~' | '@', _) => {
                plain.push('\\');
                plain.push(c);
            }
            (_, Some(escaped)) => plain.push_str(&escaped),
            (c, None) => plain.push(c),
        }
    }
    plain
}

/// A text within a line as code, with more backticks around it than it has.
pub(super) fn code_span(text: &str) -> String {
    let visible: String =
        text.chars().map(|c| escape(c).unwrap_or_else(|| c.to_string())).collect();
    let longest = visible.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let gap = if visible.starts_with('`') || visible.ends_with('`') { " " } else { "" };
    match visible.trim().is_empty() {
        true => format!("{visible:?}"),
        false => format!("{fence}{gap}{visible}{gap}{fence}"),
    }
}

/// The description of a change as an item of a list, with its code as such.
pub(super) fn changed_item(line: &str) -> String {
    let mut item = "- ".to_owned();
    for part in line_parts(line) {
        match part {
            LinePart::Words(words) if item.ends_with("\n  ") => item += &plain(words.trim_start()),
            LinePart::Words(words) => item += &plain(words),
            LinePart::Code(code) if code != "\n" && code.contains('\n') => {
                item.truncate(item.trim_end().len());
                let block = fenced(&code, "").replace('\n', "\n  ");
                item += &format!("\n\n  {block}\n\n  ");
            }
            LinePart::Code(code) => item += &code_span(&code),
        }
    }
    item.trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changed_lines_are_code() {
        let line = "a.py, line 2, column 1: fails with \"x[0] = `y`\\n\" instead of \"x*\\n\"";
        let item = "- a.py, line 2, column 1: fails with `` x[0] = `y` `` instead of `x*`";
        assert_eq!(changed_item(line), item);
        let lines = changed_item("line 1, column 1: fails with \"a\\nb\\n\", before \"c\\n\"");
        assert_eq!(
            lines,
            "- line 1, column 1: fails with\n\n  ```\n  a\n  b\n  ```\n\n  , before `c`"
        );
    }

    #[test]
    fn blanks_are_in_quotes() {
        assert_eq!((code_span(" "), code_span("a\n")), ("\" \"".to_owned(), "`a\\n`".to_owned()));
    }
}
