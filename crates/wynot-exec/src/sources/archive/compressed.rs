//! The contents of a compressed file as a stream, with the compression recognised by its first bytes.

use super::ArchiveError;
use super::zstd_frames::ZstdFrames;
use std::io::{BufRead, Read};

/// The memory that a decoder may use, in KiB: what the strongest usual settings need, and not what a file may ask for.
const DECODER_KIB: u32 = 512 << 10;

/// Opens the stream behind some bytes, given their start. Without a known compression, it is the bytes themselves.
pub(super) fn open<'r>(
    source: impl BufRead + 'r,
    start: &[u8],
) -> Result<Box<dyn Read + 'r>, ArchiveError> {
    Ok(match start {
        [0x1f, 0x8b, ..] => Box::new(flate2::bufread::MultiGzDecoder::new(source)),
        [b'B', b'Z', b'h', ..] => Box::new(bzip2::bufread::MultiBzDecoder::new(source)),
        [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => {
            Box::new(lzma_rust2::XzReader::new_mem_limit(source, true, DECODER_KIB))
        }
        [b'L', b'Z', b'I', b'P', ..] => Box::new(lzma_rust2::LzipReader::new(source)),
        [0x5d, 0, 0, ..] => {
            let reader = lzma_rust2::LzmaReader::new_mem_limit(source, DECODER_KIB, None);
            Box::new(reader.map_err(|error| ArchiveError::Damaged(format!("lzma: {}", error)))?)
        }
        [0x28, 0xb5, 0x2f, 0xfd, ..] | [0x50..=0x5f, 0x2a, 0x4d, 0x18, ..] => {
            Box::new(ZstdFrames::new(source))
        }
        _ => Box::new(source),
    })
}
