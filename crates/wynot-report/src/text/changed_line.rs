//! Descriptions of changes, such as `a.c, line 3, column 1: fails with "x\n" instead of "y\n"`, in their parts: what is in
//! quotes is code.

use crate::text::escape::{Inline, Preformatted};
use std::fmt;

/// A part of a description.
#[derive(Debug, PartialEq)]
pub(crate) enum LinePart<'l> {
    /// Words of the description.
    Words(&'l str),
    /// Code, as it is in its file. The line end that each of several texts has is left out.
    Code(String),
}

/// The parts of a line. Only a line that names a place quotes code; others are words.
pub(crate) fn line_parts(line: &str) -> Vec<LinePart<'_>> {
    let is_place = line.split('"').next().is_some_and(|start| start.contains("column "));
    if !is_place {
        return vec![LinePart::Words(line)];
    }
    let (mut parts, mut rest) = (Vec::new(), line);
    while let Some((words, from)) = rest.split_once('"') {
        let Some(end) = closing_quote(from) else { break };
        parts.push(LinePart::Words(words));
        parts.push(LinePart::Code(unescaped(&from[..end])));
        rest = &from[end + 1..];
    }
    parts.push(LinePart::Words(rest));
    let codes = || parts.iter().filter_map(as_code);
    if codes().all(|code| code.len() > 1 && code.ends_with('\n')) {
        for part in &mut parts {
            if let LinePart::Code(code) = part {
                code.pop();
            }
        }
    }
    parts.retain(|part| *part != LinePart::Words(""));
    parts
}

fn as_code<'p>(part: &'p LinePart<'_>) -> Option<&'p str> {
    match part {
        LinePart::Code(code) => Some(code),
        LinePart::Words(_) => None,
    }
}

/// The place of the next quote that is not escaped.
fn closing_quote(text: &str) -> Option<usize> {
    let mut is_escaped = false;
    text.char_indices().find_map(|(at, c)| {
        let is_closing = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        is_closing.then_some(at)
    })
}

/// A text whose escapes are replaced by what they stand for; those that are not known stay.
fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        plain.push_str(before);
        let mut chars = after.chars();
        let known = match chars.next() {
            Some('n') => Some('\n'),
            Some('t') => Some('\t'),
            Some('r') => Some('\r'),
            Some('0') => Some('\0'),
            Some(quoted @ ('"' | '\'' | '\\')) => Some(quoted),
            _ => None,
        };
        match known {
            Some(c) => {
                plain.push(c);
                rest = chars.as_str();
            }
            None => {
                plain.push('\\');
                rest = after;
            }
        }
    }
    plain + rest
}

/// A description as HTML.
pub(crate) struct ChangedLine<'l>(pub &'l str);

impl fmt::Display for ChangedLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for part in line_parts(self.0) {
            match part {
                LinePart::Words(words) => write!(f, "{}", Inline(words))?,
                LinePart::Code(code) if code == "\n" => {
                    write!(f, "<code><span class=\"sign\">\\n</span></code>")?
                }
                LinePart::Code(code) => {
                    let class = if code.contains('\n') { "text lines" } else { "text" };
                    write!(f, "<code class=\"{class}\">{}</code>", Preformatted(&code))?
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_quotes_is_code() {
        let line =
            "a.py, line 1, column 1: fails with \"say(\\\"x\\\")\\n\" instead of \"  y\\\\n\\n\"";
        let parts = line_parts(line);
        assert_eq!(parts[1], LinePart::Code("say(\"x\")".to_owned()));
        assert_eq!(parts[2], LinePart::Words(" instead of "));
        assert_eq!(parts[3], LinePart::Code("  y\\n".to_owned()));
        let one_end = line_parts("line 1, column 1: fails with \"a\\n\" instead of \"a\"");
        assert_eq!(one_end[1], LinePart::Code("a\n".to_owned()), "the line end is the change");
    }

    #[test]
    fn lines_without_a_place_are_words() {
        for line in ["commit 1 by A: say \"a\\nb\"", "audit: it passes", "line 1, column 2: \"x"] {
            assert_eq!(line_parts(line), [LinePart::Words(line)]);
        }
    }

    #[test]
    fn code_has_real_line_ends() {
        let html = ChangedLine("line 1, column 1: fails with \"a\\nb<\\n\"").to_string();
        assert!(html.ends_with("<code class=\"text lines\">a\nb&lt;</code>"), "{html}");
        let html = ChangedLine("line 1, column 1: fails without \"\\n\"").to_string();
        assert!(html.ends_with("<span class=\"sign\">\\n</span></code>"), "{html}");
    }
}
