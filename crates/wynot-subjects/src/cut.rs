//! Cutting bytes into pieces of a unit.

use crate::Unit;
use std::ops::Range;

/// Where bytes are cut into consecutive pieces.
///
/// Single bytes need no table, so even 10 MB of them cost nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Every byte is a piece; this many.
    Bytes(u32),
    /// Where each piece starts, and at the end the number of bytes.
    Starts(Vec<u32>),
}

impl Cut {
    /// Cuts a text of less than 4 GiB at a unit.
    pub fn new(text: &[u8], unit: Unit) -> Self {
        let len = u32::try_from(text.len()).expect("inputs are checked to be below 4 GiB");
        match unit {
            Unit::Byte => Self::Bytes(len),
            _ => Self::Starts(
                Self::pieces(text, unit).map(|piece| piece.start as u32).chain([len]).collect(),
            ),
        }
    }

    /// The pieces of a text one after the other, without a table of them.
    pub fn pieces(text: &[u8], unit: Unit) -> impl Iterator<Item = Range<usize>> {
        let length_at: fn(&[u8]) -> usize = match unit {
            Unit::Byte => |_| 1,
            // Elements of JSON lie in each other; cut one after the other, they are lines.
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

    /// How many pieces.
    pub fn len(&self) -> u32 {
        match self {
            Self::Bytes(len) => *len,
            Self::Starts(starts) => starts.len() as u32 - 1,
        }
    }

    /// Whether there is nothing to cut.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The bytes that consecutive pieces cover.
    pub fn bytes(&self, pieces: Range<u32>) -> Range<usize> {
        let offset = |piece: u32| match self {
            Self::Bytes(_) => piece as usize,
            Self::Starts(starts) => starts[piece as usize] as usize,
        };
        offset(pieces.start)..offset(pieces.end)
    }
}

fn line_length(rest: &[u8]) -> usize {
    rest.iter().position(|&byte| byte == b'\n').map_or(rest.len(), |at| at + 1)
}

/// A word, a run of blanks at the start of a line, a line end, or a single sign; words and signs take
/// the blanks behind them along. Tokens never cross a line end, so they split lines.
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

/// The length of the UTF-8 character at the start, or 1 where there is none.
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
        let cut = Cut::new(text, unit);
        (0..cut.len()).map(|i| text[cut.bytes(i..i + 1)].to_vec()).collect()
    }

    #[test]
    fn lines_keep_their_ends_and_the_last_may_have_none() {
        assert_eq!(pieces(b"a\r\n\nb", Unit::Line), [&b"a\r\n"[..], b"\n", b"b"]);
        assert!(pieces(b"", Unit::Line).is_empty());
    }

    #[test]
    fn tokens_take_the_blanks_behind_them() {
        let text = b"  if (x1 <= 0)\n\treturn;\n";
        let expected: Vec<&[u8]> = vec![
            b"  ", b"if ", b"(", b"x1 ", b"<", b"= ", b"0", b")", b"\n", b"\t", b"return", b";",
            b"\n",
        ];
        assert_eq!(pieces(text, Unit::Token), expected);
    }

    #[test]
    fn characters_are_whole_and_bad_bytes_stand_alone() {
        let text = "aé✘😀".as_bytes();
        let expected = ["a", "é", "✘", "😀"].map(|c| c.as_bytes().to_vec());
        assert_eq!(pieces(text, Unit::Char), expected);
        assert_eq!(
            pieces(b"\xff\xc3a\xe2\x9c", Unit::Char),
            [[255], [0xc3], [b'a'], [0xe2], [0x9c]]
        );
    }
}
