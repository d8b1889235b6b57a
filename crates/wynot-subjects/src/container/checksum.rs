//! Checksums that formats use.

/// A kind of checksum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Checksum {
    /// The CRC-32 of Ethernet, PNG and ZIP.
    Crc32,
    /// Adler-32, of zlib.
    Adler32,
    /// The sum of all bytes.
    Sum,
    /// The CRC-8 of headers in FLAC.
    Crc8,
    /// The CRC-16 of frames in FLAC.
    Crc16,
    /// The CRC-32 of Ogg, whose bits are in the other order.
    OggCrc,
    /// The sum of big-endian words, the last of which may be cut off (fonts).
    Words,
    /// What that sum lacks to the number that all fonts have.
    SfntFile,
    /// The sum of a header of tar, in which its own field counts as eight blanks.
    TarSum,
}

impl Checksum {
    /// The checksum of some bytes; of a sum, as many bits as the field has are used.
    pub(crate) fn of(self, bytes: &[u8]) -> u64 {
        let sum = |bytes: &[u8]| bytes.iter().map(|byte| u64::from(*byte)).sum::<u64>();
        match self {
            Self::Crc32 => u64::from(crc32fast::hash(bytes)),
            Self::Adler32 => u64::from(adler2::adler32_slice(bytes)),
            Self::Sum => sum(bytes),
            Self::Crc8 => bitwise_crc(0, bytes, (8, 0x07)),
            Self::Crc16 => u64::from(Self::crc16_from(0, bytes)),
            Self::OggCrc => bitwise_crc(0, bytes, (32, 0x04c1_1db7)),
            Self::Words => word_sum(bytes),
            Self::SfntFile => SFNT_SUM.wrapping_sub(word_sum(bytes)),
            Self::TarSum => {
                let field = bytes.get(TAR_SUM_FIELD).unwrap_or_default();
                sum(bytes) - sum(field) + u64::from(b' ') * field.len() as u64
            }
        }
    }
}

impl Checksum {
    /// The CRC-16 of bytes with this checksum and some more.
    pub(crate) fn crc16_from(crc: u16, bytes: &[u8]) -> u16 {
        bitwise_crc(u64::from(crc), bytes, (16, 0x8005)) as u16
    }
}

/// The sum of all words of a font.
const SFNT_SUM: u64 = 0xb1b0_afba;

/// A checksum of some bits, the highest first, with a polynomial.
fn bitwise_crc(start: u64, bytes: &[u8], (bits, polynomial): (u32, u64)) -> u64 {
    let (highest, mask) = (1 << (bits - 1), (1 << bits) - 1);
    let bit = |crc: u64| match crc & highest {
        0 => crc << 1,
        _ => crc << 1 ^ polynomial,
    };
    let byte = |crc: u64, byte: &u8| {
        (0..8).fold(crc ^ u64::from(*byte) << (bits - 8), |crc, _| bit(crc)) & mask
    };
    bytes.iter().fold(start, byte)
}

fn word_sum(bytes: &[u8]) -> u64 {
    let word = |word: &[u8]| {
        let digits = word.iter().enumerate();
        digits.map(|(at, byte)| u64::from(*byte) << (24 - 8 * at)).sum::<u64>()
    };
    bytes.chunks(4).map(word).fold(0, u64::wrapping_add)
}

/// Where a header of tar has its checksum.
pub(crate) const TAR_SUM_FIELD: std::ops::Range<usize> = 148..156;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checksums_are_those_of_the_standards() {
        assert_eq!(Checksum::Crc32.of(b"123456789"), 0xcbf4_3926);
        assert_eq!(Checksum::Adler32.of(b"Wikipedia"), 0x11e6_0398);
        assert_eq!(Checksum::Sum.of(&[255, 255]), 510);
        assert_eq!(Checksum::Crc8.of(b"123456789"), 0xf4);
        assert_eq!(Checksum::Crc16.of(b"123456789"), 0xfee8);
        assert_eq!(Checksum::OggCrc.of(b"123456789"), 0x89a1_897f);
        assert_eq!(Checksum::Words.of(&[0, 0, 0, 1, 2]), 0x0200_0001);
        assert_eq!(Checksum::SfntFile.of(&[0, 0, 0, 1]), 0xb1b0_afb9);
        assert_eq!(Checksum::TarSum.of(&[1; 512]), 504 + 8 * 32);
    }
}
