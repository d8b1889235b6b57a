//! Numbers in bytes.

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    Little,
    Big,
}

/// The number in `width` bytes, at most 8, at a position; `None` if they are not there.
pub(crate) fn number(bytes: &[u8], at: usize, width: usize, order: ByteOrder) -> Option<usize> {
    let digits = bytes.get(at..at.checked_add(width)?)?;
    let shifted = |number: u64, digit: &u8| number << 8 | u64::from(*digit);
    let value = match order {
        ByteOrder::Little => digits.iter().rev().fold(0, shifted),
        ByteOrder::Big => digits.iter().fold(0, shifted),
    };
    usize::try_from(value).ok()
}

/// A number in groups of seven bits at a position, and the position after it; `None` if it has more than 64 bits or ends
/// early.
pub(crate) fn varint(bytes: &[u8], at: usize) -> Option<(u64, usize)> {
    let mut value = 0;
    for (index, byte) in bytes.get(at..)?.iter().take(10).enumerate() {
        value |= u64::from(byte & 0x7f).checked_shl(7 * index as u32)?;
        if byte & 0x80 == 0 {
            return Some((value, at + index + 1));
        }
    }
    None
}

/// A number in groups of seven bits at a position, the highest first, and the position after it; `None` if it has more
/// than eight groups or ends early.
pub(crate) fn big_varint(bytes: &[u8], at: usize) -> Option<(usize, usize)> {
    let mut value = 0usize;
    for (index, byte) in bytes.get(at..)?.iter().take(8).enumerate() {
        value = value << 7 | usize::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            return Some((value, at + index + 1));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_in_both_orders_and_never_beyond_the_end() {
        let bytes = [1, 2, 3, 4];
        assert_eq!(number(&bytes, 0, 2, ByteOrder::Little), Some(0x0201));
        assert_eq!(number(&bytes, 1, 3, ByteOrder::Big), Some(0x0002_0304));
        assert_eq!(number(&bytes, 1, 4, ByteOrder::Big), None);
        assert_eq!(number(&bytes, usize::MAX, 2, ByteOrder::Big), None);
        assert_eq!(varint(&[0xac, 0x02], 0), Some((300, 2)));
        assert_eq!(varint(&[0xff; 20], 0), None);
        assert_eq!(varint(&[0x80], 0), None);
        assert_eq!(varint(&[1], 5), None);
        assert_eq!(big_varint(&[0x81, 0x00], 0), Some((128, 2)));
        assert_eq!(big_varint(&[0xff; 20], 3), None);
    }
}
