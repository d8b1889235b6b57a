//! The notations of fields: how a number is written in the place of the bytes that were there before.

use crate::container::byte_numbers::ByteOrder;

/// How a field is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FieldNotation {
    /// A number in as many bytes as the field has.
    Fixed(ByteOrder),
    /// A number in groups of seven bits, the lowest first (protocol buffers, WebAssembly).
    Varint,
    /// A number, `times` as large and `plus` more, in groups of seven bits, the highest first (SQLite).
    BigVarint { times: u8, plus: u8 },
    /// A length as in the distinguished encoding rules of ASN.1.
    Der,
    /// Octal digits, then what was there before.
    Octal,
    /// Decimal digits, then blanks, in as many bytes as the field has.
    Decimal,
    /// The flags of a table of colours in a GIF: the highest bit, and the number less 1 in the lowest three bits.
    ColorTable,
    /// A length in Matroska, as short as possible: a one behind as many zeros as bytes follow the first one.
    Ebml,
    /// The same in as many bytes as the field has.
    WideEbml,
    /// The kind of a block in FLAC, whose highest bit is set if the number is 0.
    LastBlock,
    /// As many bytes of one value as the number says.
    Fill(u8),
}

impl FieldNotation {
    /// Whether the size of the field depends on its value.
    pub(crate) fn is_dynamic(self) -> bool {
        matches!(
            self,
            Self::Varint | Self::BigVarint { .. } | Self::Der | Self::Ebml | Self::Fill(_)
        )
    }

    /// A value in some notation, in the place of the bytes that were there before.
    pub(crate) fn written(self, value: u64, before: &[u8]) -> Vec<u8> {
        match self {
            Self::Fixed(order) => {
                let width = before.len().min(8);
                match order {
                    ByteOrder::Little => value.to_le_bytes()[..width].to_vec(),
                    ByteOrder::Big => value.to_be_bytes()[8 - width..].to_vec(),
                }
            }
            Self::Varint => {
                let groups = (64 - value.leading_zeros()).div_ceil(7).max(1);
                let group = |index: u32| {
                    let more = if index + 1 < groups { 0x80 } else { 0 };
                    (value >> (7 * index)) as u8 & 0x7f | more
                };
                (0..groups).map(group).collect()
            }
            Self::BigVarint { times, plus } => {
                let value = value.wrapping_mul(u64::from(times)).wrapping_add(u64::from(plus));
                let mut bytes = Self::Varint.written(value, &[]);
                bytes.reverse();
                let last = bytes.len() - 1;
                bytes[..last].iter_mut().for_each(|byte| *byte |= 0x80);
                bytes[last] &= 0x7f;
                bytes
            }
            Self::Der if value < 0x80 => vec![value as u8],
            Self::Der => {
                let bytes = value.to_be_bytes();
                let digits = &bytes[value.leading_zeros() as usize / 8..];
                std::iter::once(0x80 | digits.len() as u8).chain(digits.iter().copied()).collect()
            }
            Self::Octal => {
                let digits = before.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let number = format!("{value:0digits$o}").into_bytes();
                let kept = &number[number.len() - digits..];
                [kept, &before[digits..]].concat()
            }
            Self::Decimal => format!("{value:<width$}", width = before.len()).into_bytes(),
            Self::ColorTable => {
                let flags = before.first().map_or(0, |byte| byte & 0x78);
                let size = value.checked_sub(1).map_or(0, |exponent| 0x80 | exponent.min(7) as u8);
                vec![flags | size]
            }
            Self::Ebml => {
                // Ones alone mean that a length is not stated.
                let bits = 64 - value.saturating_add(1).leading_zeros() as usize;
                ebml(value, bits.div_ceil(7).clamp(1, 8))
            }
            Self::WideEbml => ebml(value, before.len().clamp(1, 8)),
            Self::LastBlock => {
                let kind = before.first().map_or(0, |byte| byte & 0x7f);
                vec![if value == 0 { kind | 0x80 } else { kind }]
            }
            Self::Fill(byte) => vec![byte; value as usize],
        }
    }
}

/// A length of Matroska in some bytes.
fn ebml(value: u64, width: usize) -> Vec<u8> {
    let marked = value | 1 << (7 * width);
    marked.to_be_bytes()[8 - width..].to_vec()
}
