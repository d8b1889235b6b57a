//! Hostile text as HTML.
//!
//! Markup characters become entities. Characters that are invisible, or that change how others are
//! displayed, are written as in a string literal: `\x00`, `\r`, `\u{202e}`. Unicode has pictures of
//! control characters, but common fonts do not.

use std::fmt::{self, Write};

/// Text within a line: a name, a title, an attribute. Line ends and tabs are written as escapes too.
pub(crate) struct Inline<'a>(pub &'a str);

/// Text that keeps its line ends and tabs, for `<pre>`. Escapes are set apart by a `<span>`.
pub struct Preformatted<'a>(pub &'a str);

impl fmt::Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match escape(c) {
            Some(escape) => f.write_str(&escape),
            None => write_char(f, c),
        })
    }
}

impl fmt::Display for Preformatted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match escape(c) {
            Some(escape) if !matches!(c, '\n' | '\t') => {
                write!(f, "<span class=\"sign\">{escape}</span>")
            }
            _ => write_char(f, c),
        })
    }
}

/// Writes a character, as an entity if it is markup.
fn write_char(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '&' => f.write_str("&amp;"),
        '<' => f.write_str("&lt;"),
        '>' => f.write_str("&gt;"),
        '"' => f.write_str("&quot;"),
        '\'' => f.write_str("&#39;"),
        c => f.write_char(c),
    }
}

/// The escape of a character that is not shown as itself.
pub fn escape(c: char) -> Option<String> {
    let code = u32::from(c);
    match c {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\0'..'\x20' | '\x7f' => Some(format!("\\x{code:02x}")),
        _ if is_invisible(code) => Some(format!("\\u{{{code:x}}}")),
        _ => None,
    }
}

/// Whether a code is a C1 control, a blank without width, a line or direction control, a tag or no character.
fn is_invisible(code: u32) -> bool {
    let is_format_character = matches!(code,
        0x80..=0x9f | 0xad | 0x61c | 0x180e | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0xfdd0..=0xfdef | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f);
    is_format_character || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_entities() {
        let hostile = "<a href=\"x\" id='y'>&lt;</a>";
        let expected = "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;lt;&lt;/a&gt;";
        assert_eq!(Inline(hostile).to_string(), expected);
        assert_eq!(Preformatted(hostile).to_string(), expected);
    }

    #[test]
    fn invisible_characters_are_escaped() {
        assert_eq!(Inline("a\0b\x1b\x7f\r\n\t").to_string(), r"a\x00b\x1b\x7f\r\n\t");
        assert_eq!(Inline("\u{202e}\u{85}\u{1ffff}").to_string(), r"\u{202e}\u{85}\u{1ffff}");
        assert_eq!(Preformatted("\0\n\t").to_string(), "<span class=\"sign\">\\x00</span>\n\t");
    }

    #[test]
    fn other_languages_stay_as_they_are() {
        let text = "naïve ✘ 日本語 \u{fffd} 👩\u{200d}🚀";
        assert_eq!(Inline(text).to_string(), text);
        assert_eq!(Preformatted(text).to_string(), text);
    }

    #[test]
    fn no_control_character_gets_through() {
        for c in (0..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_control()) {
            assert!(!Inline(&c.to_string()).to_string().contains(char::is_control), "{c:?}");
        }
    }
}
