//! Hostile text in HTML.
//!
//! Markup characters become entities. Characters that cannot be seen, or that change how others are
//! seen, are spelled out as in a string literal: `\x00`, `\r`, `\u{202e}`. Unicode has pictures of
//! control characters, but common fonts have not.

use std::fmt::{self, Write};

/// Text within a line: a name, a title, an attribute. Line ends and tabs are shown as signs too.
pub(crate) struct Line<'a>(pub &'a str);

/// Text that keeps its line ends and tabs, for `<pre>`. Signs are set apart by a `<span>`.
pub(crate) struct Block<'a>(pub &'a str);

impl fmt::Display for Line<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match sign(c) {
            Some(sign) => f.write_str(&sign),
            None => plain(f, c),
        })
    }
}

impl fmt::Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|c| match sign(c) {
            Some(sign) if !matches!(c, '\n' | '\t') => {
                write!(f, "<span class=\"sign\">{sign}</span>")
            }
            _ => plain(f, c),
        })
    }
}

fn plain(f: &mut fmt::Formatter<'_>, c: char) -> fmt::Result {
    match c {
        '&' => f.write_str("&amp;"),
        '<' => f.write_str("&lt;"),
        '>' => f.write_str("&gt;"),
        '"' => f.write_str("&quot;"),
        '\'' => f.write_str("&#39;"),
        c => f.write_char(c),
    }
}

/// What stands for a character that is not to be seen as itself.
fn sign(c: char) -> Option<String> {
    let code = u32::from(c);
    match c {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\0'..'\x20' | '\x7f' => Some(format!("\\x{code:02x}")),
        _ if hides(code) => Some(format!("\\u{{{code:x}}}")),
        _ => None,
    }
}

/// C1 controls, blanks without width, line and direction controls, tags and noncharacters.
fn hides(code: u32) -> bool {
    let invisible = matches!(code,
        0x80..=0x9f | 0xad | 0x61c | 0x180e | 0x200b | 0x200e..=0x200f | 0x2028..=0x202e
        | 0x2060..=0x206f | 0xfdd0..=0xfdef | 0xfeff | 0xfff9..=0xfffb | 0xe0000..=0xe007f);
    invisible || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_entities() {
        let hostile = "<a href=\"x\" id='y'>&lt;</a>";
        let expected = "&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;lt;&lt;/a&gt;";
        assert_eq!(Line(hostile).to_string(), expected);
        assert_eq!(Block(hostile).to_string(), expected);
    }

    #[test]
    fn what_cannot_be_seen_is_shown() {
        assert_eq!(Line("a\0b\x1b\x7f\r\n\t").to_string(), r"a\x00b\x1b\x7f\r\n\t");
        assert_eq!(Line("\u{202e}\u{85}\u{1ffff}").to_string(), r"\u{202e}\u{85}\u{1ffff}");
        assert_eq!(Block("\0\n\t").to_string(), "<span class=\"sign\">\\x00</span>\n\t");
    }

    #[test]
    fn other_languages_stay_as_they_are() {
        let text = "naïve ✘ 日本語 \u{fffd} 👩\u{200d}🚀";
        assert_eq!(Line(text).to_string(), text);
        assert_eq!(Block(text).to_string(), text);
    }

    #[test]
    fn no_control_character_gets_through() {
        for c in (0..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_control()) {
            assert!(!Line(&c.to_string()).to_string().contains(char::is_control), "{c:?}");
        }
    }
}
