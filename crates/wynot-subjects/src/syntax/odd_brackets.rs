//! Brackets that are no brackets: in quotes, or without the one that belongs to them.
//!
//! In a text of unknown syntax, a bracket in a string or in a regular expression would otherwise swallow all that follows.

/// The number of open brackets among which the one that is closed is searched.
const MAX_SKIPPED_BRACKETS: usize = 16;

/// An open bracket: its position, the byte that closes it, and the indentation of its line.
type OpenBracket = (usize, u8, usize);

/// For each byte of a text, whether it is a bracket that counts for nothing.
pub(super) fn odd_brackets(text: &[u8]) -> Vec<bool> {
    let mut is_odd = vec![false; text.len()];
    let mut open: Vec<OpenBracket> = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let indentation = line.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        if indentation < line.len() {
            // Nothing in brackets is less indented than the line in which they open.
            while let Some((at, ..)) = open.pop_if(|(.., deeper)| *deeper > indentation) {
                is_odd[at] = true;
            }
        }
        read_line(line, start, indentation, &mut open, &mut is_odd);
        start += line.len();
    }
    for (at, ..) in open {
        is_odd[at] = true;
    }
    is_odd
}

/// Opens and closes the brackets of a line that begins at a position.
fn read_line(
    line: &[u8],
    start: usize,
    indentation: usize,
    open: &mut Vec<OpenBracket>,
    is_odd: &mut [bool],
) {
    let mut at = 0;
    while at < line.len() {
        let quoted = quoted_length(&line[at..]);
        for within in at..at + quoted {
            is_odd[start + within] = b"()[]{}".contains(&line[within]);
        }
        at += quoted;
        let Some(&byte) = line.get(at) else { break };
        match byte {
            b'(' => open.push((start + at, b')', indentation)),
            b'[' => open.push((start + at, b']', indentation)),
            b'{' => open.push((start + at, b'}', indentation)),
            b')' | b']' | b'}' => {
                let mut near = open.iter().rev().take(MAX_SKIPPED_BRACKETS);
                match near.position(|(_, closer, _)| *closer == byte) {
                    Some(skipped) => {
                        for (odd, ..) in open.drain(open.len() - skipped..) {
                            is_odd[odd] = true;
                        }
                        open.pop();
                    }
                    None => is_odd[start + at] = true,
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// The length of a text in quotes at the start of the rest of a line, if it ends there; single quotes hold one character.
fn quoted_length(rest: &[u8]) -> usize {
    match rest {
        [b'\'', b'\\', _, b'\'', ..] => 4,
        [b'\'', byte, b'\'', ..] if *byte != b'\'' => 3,
        [b'"', inner @ ..] => {
            let mut at = 0;
            while at < inner.len() && inner[at] != b'"' {
                at += if inner[at] == b'\\' { 2 } else { 1 };
            }
            if at < inner.len() { at + 2 } else { 0 }
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The text with its odd brackets as question marks.
    fn marked(text: &str) -> String {
        let odd = odd_brackets(text.as_bytes());
        text.bytes().zip(odd).map(|(byte, odd)| if odd { '?' } else { char::from(byte) }).collect()
    }

    #[test]
    fn brackets_in_quotes_and_without_partner_are_odd() {
        assert_eq!(marked("f(\"(\", '[', '\\{')\n(a"), "f(\"?\", '?', '\\?')\n?a");
        assert_eq!(marked("a [(b] c)\n"), "a [?b] c?\n");
        assert_eq!(marked("  a (b\n c\n"), "  a ?b\n c\n");
        assert_eq!(marked("a (\n b\n)\n{ \"x }"), "a (\n b\n)\n{ \"x }");
    }
}
