//! The number of tags that are open at each tag of a text in HTML or XML.
//!
//! The scanners of these grammars copy the list of open tags for every token, which no count of a parser's actions
//! shows. Texts with so many open tags are not parsed.

/// The sum of open tags that is allowed for each byte of the text.
const OPEN_TAGS_PER_BYTE: u64 = 8;

/// The sum of open tags that is allowed for a text of any size.
const FREE_OPEN_TAGS: u64 = 1_000_000;

/// The elements of HTML that have no closing tag.
const VOID: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr",
];

/// The elements of HTML that end where the next one begins.
const NEVER_NESTED: &[&str] = &["p", "li", "dt", "dd", "tr", "td", "th", "option"];

/// Whether a parser that copies the open tags at each tag would copy too many.
pub(crate) fn are_too_many(text: &[u8]) -> bool {
    let mut left = FREE_OPEN_TAGS + text.len() as u64 * OPEN_TAGS_PER_BYTE;
    let mut open: Vec<&[u8]> = Vec::new();
    for (at, _) in text.iter().enumerate().filter(|(_, byte)| **byte == b'<') {
        let rest = &text[at + 1..];
        match rest.first() {
            Some(b'/') => {
                let name = name(&rest[1..]);
                if let Some(opener) = open.iter().rposition(|opener| *opener == name) {
                    open.truncate(opener);
                }
            }
            Some(first) if first.is_ascii_alphabetic() => {
                let name = name(rest);
                let is = |list: &[&str]| list.iter().any(|known| known.as_bytes() == name);
                if is(NEVER_NESTED) {
                    close_sibling(&mut open, name);
                }
                if !is(VOID) && !is_closed(rest) {
                    open.push(name);
                }
            }
            _ => continue,
        }
        match left.checked_sub(open.len() as u64) {
            Some(rest) => left = rest,
            None => return true,
        }
    }
    false
}

/// Closes the element that ends where one with this name begins, and those in it, if it is not outside an element that
/// needs a closing tag.
fn close_sibling(open: &mut Vec<&[u8]>, name: &[u8]) {
    let is_never_nested =
        |open: &&&[u8]| NEVER_NESTED.iter().any(|known| known.as_bytes() == **open);
    let innermost = open.iter().rev().take_while(is_never_nested);
    if let Some(inside) = innermost.into_iter().position(|open| *open == name) {
        open.truncate(open.len() - 1 - inside);
    }
}

/// The name at the start of a tag.
fn name(tag: &[u8]) -> &[u8] {
    let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'<' | b'>' | b'/');
    &tag[..tag.iter().position(ends).unwrap_or(tag.len())]
}

/// Whether a tag closes itself, as in `<br/>`.
fn is_closed(tag: &[u8]) -> bool {
    let end = tag.iter().position(|byte| matches!(byte, b'<' | b'>')).unwrap_or(0);
    tag[..end].ends_with(b"/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_tags_are_counted_and_closed_ones_are_not() {
        let open = "<a>".repeat(5_000);
        assert!(are_too_many(open.as_bytes()));
        assert!(are_too_many("<a></b>".repeat(5_000).as_bytes()));
        assert!(are_too_many("<ul><li>".repeat(5_000).as_bytes()));
        for harmless in
            ["<a></a>", "<a b='c'/>", "<br>", "<p>text", "<tr><td>x<td>y", "a < b", "<!-- x -->"]
        {
            assert!(!are_too_many(harmless.repeat(5_000).as_bytes()), "{harmless}");
        }
    }
}
