//! Streams that are compressed with DEFLATE.

use flate2::write::DeflateEncoder;
use flate2::{Compression, Decompress, FlushDecompress, Status};
use std::io::Write;

/// Contents with more bytes than this are compressed quickly rather than well.
const MAX_WELL_COMPRESSED_BYTES: usize = 1 << 20;

/// The number of bytes for which there is room before more contents are read.
const BUFFER_BYTES: usize = 32 << 10;

/// The contents of a stream at the start of some bytes, and the number of bytes that the stream takes. `None` if it is
/// damaged, ends early, or has contents of more than `max_bytes`.
pub(crate) fn inflate(bytes: &[u8], max_bytes: usize) -> Option<(Vec<u8>, usize)> {
    let mut state = Decompress::new(false);
    let mut contents = Vec::new();
    loop {
        contents.reserve(BUFFER_BYTES);
        let (read, written) = (state.total_in(), state.total_out());
        let rest = bytes.get(read as usize..)?;
        let status = state.decompress_vec(rest, &mut contents, FlushDecompress::None).ok()?;
        if contents.len() > max_bytes {
            return None;
        }
        match status {
            Status::StreamEnd => return Some((contents, state.total_in() as usize)),
            _ if (state.total_in(), state.total_out()) == (read, written) => return None,
            _ => {}
        }
    }
}

/// A stream with these contents; the same for the same contents.
pub(crate) fn deflate(contents: &[u8]) -> Vec<u8> {
    let level = if contents.len() > MAX_WELL_COMPRESSED_BYTES { 3 } else { 9 };
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::new(level));
    // Writing into memory does not fail.
    let written = encoder.write_all(contents).and_then(|()| encoder.finish());
    written.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_survive_and_limits_hold() {
        let contents = vec![7; 100_000];
        let mut stream = deflate(&contents);
        let length = stream.len();
        stream.extend(b"rest");
        assert_eq!(inflate(&stream, 100_000), Some((contents, length)));
        assert_eq!(inflate(&stream, 99_999), None);
        assert_eq!(inflate(&stream[..length - 1], 100_000), None, "a stream that ends early");
        assert_eq!(inflate(b"", 10), None);
        assert_eq!(inflate(&[0xff; 20], 10), None);
    }
}
