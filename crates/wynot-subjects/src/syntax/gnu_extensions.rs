//! Extensions of C++ by GNU that the grammar does not know. They are everywhere in preprocessed headers, and errors of the
//! parser there hide where namespaces begin and end.

use std::ops::Range;

/// Attributes are shorter than this; brackets that do not end sooner are none of an attribute.
const MAX_ATTRIBUTE_BYTES: usize = 1024;

/// The type that the parser sees in the place of `__typeof(...)`.
const STAND_IN_TYPE: &[u8] = b"int";

/// The text with blanks in the place of such extensions, and of the class in a pointer to a member: attributes,
/// `__extension__`, and `extern` before the instantiation of a template. Positions stay as they are.
pub(crate) fn hidden(text: &[u8]) -> Vec<u8> {
    let mut hidden = text.to_vec();
    let mut at = 0;
    while at < text.len() {
        if !is_word(text[at]) {
            at += 1;
            continue;
        }
        let word = word_at(text, at);
        let next = skip_blanks(text, word.end);
        // A type of the same length that the grammar knows.
        let is_type = matches!(&text[word.clone()], b"__typeof" | b"__typeof__")
            && text.get(next) == Some(&b'(');
        let end = match &text[word.clone()] {
            _ if is_type => end_of_brackets(text, next),
            b"__extension__" => word.end,
            b"__attribute__" if !leads_a_declaration(text, at, next) => end_of_brackets(text, next),
            b"extern" if text[next..].starts_with(b"template") => word.end,
            _ if text[next..].starts_with(b"::*") => next + 2,
            _ => at,
        };
        for byte in hidden[at..end].iter_mut().filter(|byte| **byte != b'\n') {
            *byte = b' ';
        }
        if is_type && end > at {
            hidden[at..at + STAND_IN_TYPE.len()].copy_from_slice(STAND_IN_TYPE);
        }
        at = word.end.max(end);
    }
    hidden
}

/// Whether an attribute, whose arguments begin at `brackets`, comes first in a declaration. The grammar knows it there, and it
/// has to go with the declaration.
fn leads_a_declaration(text: &[u8], start: usize, brackets: usize) -> bool {
    let before = text[..start].iter().rev().find(|byte| !byte.is_ascii_whitespace());
    let after = text.get(skip_blanks(text, end_of_brackets(text, brackets)));
    before.is_none_or(|byte| b";{}:>)".contains(byte)) && after.is_some_and(|&byte| is_word(byte))
}

/// The position after the brackets that open at a position.
fn end_of_brackets(text: &[u8], start: usize) -> usize {
    let mut depth = 0;
    for (at, byte) in text.iter().enumerate().skip(start).take(MAX_ATTRIBUTE_BYTES) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return if *byte == b')' { at + 1 } else { start };
        }
    }
    start
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The word that begins at a position.
fn word_at(text: &[u8], start: usize) -> Range<usize> {
    let length = text[start..].iter().take_while(|&&byte| is_word(byte)).count();
    start..start + length
}

fn skip_blanks(text: &[u8], start: usize) -> usize {
    start + text[start..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_become_blanks_and_nothing_moves() {
        let text = b"namespace std __attribute__ ((__visibility__ (\"x\")))\n{ __extension__ long a; }\n\
            extern template class A<int>; int x __attribute__((y)), (A::*p)(); __attribute__((u)) extern int z;";
        let hidden = String::from_utf8(hidden(text)).unwrap();
        assert_eq!(hidden.len(), text.len());
        let words: Vec<&str> = hidden.split_whitespace().collect();
        assert_eq!(
            words.join(" "),
            "namespace std { long a; } template class A<int>; int x , ( *p)(); __attribute__((u)) extern int z;"
        );
        let typed = super::hidden(b"extern __typeof(f (1)) g;");
        assert_eq!(String::from_utf8(typed).unwrap(), "extern int             g;");
    }
}
