//! Untrusted text as pages show it.
//!
//! The templates escape markup. What is left are characters that are invisible or that change how others are displayed, such
//! as control characters and changes of the writing direction: they are written as in a string literal.

use maud::{Markup, PreEscaped};
use wynot_report::{Preformatted, escape};

/// Text within a line, such as a name or a title.
pub fn visible(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match escape(character) {
            Some(escape) => result.push_str(&escape),
            None => result.push(character),
        }
    }
    result
}

/// Text that keeps its line ends and tabs, for `<pre>`. Escapes are set apart.
pub fn preformatted(text: &str) -> Markup {
    PreEscaped(Preformatted(text).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_written_as_an_escape() {
        assert_eq!(visible("a\0b\x1b\r\n\t\u{202e}"), r"a\x00b\x1b\r\n\t\u{202e}");
        assert_eq!(visible("naïve ✘ 日本語 👩\u{200d}🚀"), "naïve ✘ 日本語 👩\u{200d}🚀");
    }

    #[test]
    fn preformatted_text_keeps_its_lines() {
        let shown = preformatted("<b>\n\t\x1b[1m").into_string();
        assert_eq!(shown, "&lt;b&gt;\n\t<span class=\"sign\">\\x1b</span>[1m");
    }

    #[test]
    fn no_control_character_gets_through() {
        for character in (0..0x11_0000).filter_map(char::from_u32).filter(|c| c.is_control()) {
            let shown = visible(&character.to_string());
            assert!(!shown.contains(char::is_control), "{character:?}");
        }
    }
}
