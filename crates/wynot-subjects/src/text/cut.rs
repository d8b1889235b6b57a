//! Where a text is cut into pieces of a unit.

use crate::text::unit::Unit;
use std::ops::Range;

/// The positions at which a text is cut into consecutive pieces of a unit.
///
/// Single bytes need no table, so a large text costs nothing at the unit byte.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextCut {
    /// Each of this many bytes is a piece.
    Bytes(u32),
    /// The offset of each piece, and at the end the number of bytes.
    Starts(Vec<u32>),
}

impl TextCut {
    /// Cuts a text of less than 4 GiB into pieces of a unit.
    ///
    /// # Panics
    /// If the text is larger.
    pub fn new(text: &[u8], unit: Unit) -> Self {
        let len = u32::try_from(text.len()).expect("inputs are checked to be below 4 GiB");
        match unit {
            Unit::Byte => Self::Bytes(len),
            _ => Self::Starts(
                Self::pieces(text, unit).map(|piece| piece.start as u32).chain([len]).collect(),
            ),
        }
    }

    /// The pieces of a text in order, without a table of them.
    pub fn pieces(text: &[u8], unit: Unit) -> impl Iterator<Item = Range<usize>> {
        let length_at: fn(&[u8]) -> usize = match unit {
            Unit::Byte => |_| 1,
            // Elements of JSON are nested and so no consecutive pieces; lines are the nearest unit.
            Unit::Line | Unit::Json => line_length,
            Unit::Token => token_length,
            Unit::Char => char_length,
        };
        let mut at = 0;
        std::iter::from_fn(move || {
            let start = at;
            (start < text.len()).then(|| {
                at += length_at(&text[start..]);
                start..at
            })
        })
    }

    /// The number of pieces.
    pub fn len(&self) -> u32 {
        match self {
            Self::Bytes(len) => *len,
            Self::Starts(starts) => starts.len() as u32 - 1,
        }
    }

    /// Whether there are no pieces.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes of consecutive pieces.
    pub fn bytes(&self, pieces: Range<u32>) -> Range<usize> {
        let offset = |piece: u32| match self {
            Self::Bytes(_) => piece as usize,
            Self::Starts(starts) => starts[piece as usize] as usize,
        };
        offset(pieces.start)..offset(pieces.end)
    }
}

/// The length of the line at the start, with its line end.
fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1)
}

/// The length of the token at the start: a word or a single punctuation character with the blanks after it,
/// the blanks at the start of a line, or a line end. Tokens never cross a line end, so they split lines.
fn token_length(rest: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
    let run = |bytes: &[u8], belongs: &dyn Fn(&u8) -> bool| {
        bytes.iter().position(|byte| !belongs(byte)).unwrap_or(bytes.len())
    };
    let head = match rest[0] {
        b'\n' => return 1,
        byte if is_word(&byte) => run(rest, &is_word),
        byte if is_blank(&byte) => 0,
        _ => 1,
    };
    head + run(&rest[head..], &is_blank)
}

/// The length of the UTF-8 character at the start, or 1 if there is none.
fn char_length(rest: &[u8]) -> usize {
    let longest = &rest[..rest.len().min(4)];
    let valid = match std::str::from_utf8(longest) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&longest[..error.valid_up_to()]).unwrap_or_default(),
    };
    valid.chars().next().map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &[u8], unit: Unit) -> Vec<Vec<u8>> {
        let cut = TextCut::new(text, unit);
        (0..cut.len()).map(|i| text[cut.bytes(i..i + 1)].to_vec()).collect()
    }

    #[test]
    fn lines_keep_their_ends_and_the_last_may_have_none() {
        assert_eq!(pieces(b"a\r\n\nb", Unit::Line), [&b"a\r\n"[..], b"\n", b"b"]);
        assert!(pieces(b"", Unit::Line).is_empty());
    }

    #[test]
    fn tokens_include_the_blanks_after_them() {
        let text = b"  if (x1 <= 0)\n\treturn;\n";
        let expected: Vec<&[u8]> = vec![
            b"  ", b"if ", b"(", b"x1 ", b"<", b"= ", b"0", b")", b"\n", b"\t", b"return", b";",
            b"\n",
        ];
        assert_eq!(pieces(text, Unit::Token), expected);
    }

    #[test]
    fn characters_are_whole_and_invalid_bytes_stand_alone() {
        let text = "aé✘😀".as_bytes();
        let expected = ["a", "é", "✘", "😀"].map(|c| c.as_bytes().to_vec());
        assert_eq!(pieces(text, Unit::Char), expected);
        assert_eq!(
            pieces(b"\xff\xc3a\xe2\x9c", Unit::Char),
            [[255], [0xc3], [b'a'], [0xe2], [0x9c]]
        );
    }
}
