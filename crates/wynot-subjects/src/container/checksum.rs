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
            Self::TarSum => {
                let field = bytes.get(TAR_SUM_FIELD).unwrap_or_default();
                sum(bytes) - sum(field) + u64::from(b' ') * field.len() as u64
            }
        }
    }
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
        assert_eq!(Checksum::TarSum.of(&[1; 512]), 504 + 8 * 32);
    }
}
