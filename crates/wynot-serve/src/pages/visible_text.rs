//! Untrusted text as pages show it.
//!
//! The templates escape markup. What is left are characters that are invisible or that change how others are displayed, such
//! as control characters and changes of the writing direction: they are written as in a string literal.

use maud::{Markup, PreEscaped, Render, html};

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
    let mut result = String::with_capacity(text.len());
    let mut plain = String::new();
    for character in text.chars() {
        match escape(character).filter(|_| !matches!(character, '\n' | '\t')) {
            None => plain.push(character),
            Some(escape) => {
                plain.render_to(&mut result);
                plain.clear();
                html! { span.sign { (escape) } }.render_to(&mut result);
            }
        }
    }
    plain.render_to(&mut result);
    PreEscaped(result)
}

/// The escape of a character that is not shown as itself.
fn escape(character: char) -> Option<String> {
    let code = u32::from(character);
    match character {
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
