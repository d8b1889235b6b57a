//! The order among texts of the same length.
//!
//! A reduction ends with a text that is a local minimum of length and this order, so that the same failure found in different
//! texts tends to end in the same bytes.

/// Whether a text comes before another one of the same length: by its bytes, small letters before capital ones, and brackets
/// last, since a word is one token and brackets are several.
pub fn is_plainer(text: &[u8], other: &[u8]) -> bool {
    let rank = |byte: &u8| match byte {
        b'(' | b')' | b'[' | b']' => byte | 0x80,
        _ if byte.is_ascii_alphabetic() => byte ^ 0x20,
        _ => *byte,
    };
    text.iter().map(rank).lt(other.iter().map(rank))
}

/// Whether a text is shorter than another one or, at the same length, plainer.
pub fn is_simpler(text: &[u8], other: &[u8]) -> bool {
    text.len() < other.len() || (text.len() == other.len() && is_plainer(text, other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_letters_and_digits_come_first() {
        assert!(is_plainer(b"a", b"b") && is_plainer(b"z", b"A") && is_plainer(b"0", b"1"));
        assert!(is_plainer(b"u8", b"()") && is_plainer(b"f=", b"f("));
        assert!(is_plainer(b"0", b"a") && !is_plainer(b"a", b"a") && !is_plainer(b"B", b"b"));
    }
}
