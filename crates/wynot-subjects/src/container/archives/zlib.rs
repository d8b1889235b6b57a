//! The zlib format: two bytes, a stream, and the Adler-32 of its contents.

use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::read_nested;

/// The bytes before the stream.
const HEADER_BYTES: usize = 2;

/// The contents of a stream in zlib format, and the bytes that the stream takes between the header and the checksum.
pub(crate) fn zlib_contents(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let [method, flags, stream @ ..] = bytes else { return None };
    let is_header = method & 0x0f == 8
        && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
        && flags & 0x20 == 0;
    is_header.then(|| builder.contents_of_stream(stream)).flatten()
}

/// Appends a stream in zlib format, whose contents `append` appends, and what follows it.
pub(crate) fn append_zlib(
    builder: &mut LayoutBuilder,
    bytes: &[u8],
    (contents, length): (&[u8], usize),
    append: impl FnOnce(&mut LayoutBuilder),
) {
    builder.bytes(&bytes[..HEADER_BYTES]);
    let of = builder.stream(append);
    let rest = &bytes[HEADER_BYTES + length..];
    let big = ByteOrder::Big;
    let is_right = number(rest, 0, 4, big) == Some(Checksum::Adler32.of(contents) as usize);
    if is_right {
        let field = builder.field(&rest[..4], FieldNotation::Fixed(big));
        builder.depends(field, FieldValue::Checksum { kind: Checksum::Adler32, of });
    }
    builder.payload(&rest[if is_right { 4 } else { 0 }..]);
}

/// Appends a stream in zlib format with some container or text in it; `false` if it is none.
pub(crate) fn append_nested_zlib(builder: &mut LayoutBuilder, bytes: &[u8]) -> bool {
    let Some((contents, length)) = zlib_contents(builder, bytes) else { return false };
    append_zlib(builder, bytes, (&contents, length), |builder| {
        read_nested(builder, &contents, b"");
    });
    true
}

/// Reads a file in zlib format, which must be whole.
pub(crate) fn read_zlib(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let (contents, length) = zlib_contents(builder, bytes)?;
    let checksum = number(bytes, HEADER_BYTES + length, 4, ByteOrder::Big)?;
    if checksum != Checksum::Adler32.of(&contents) as usize {
        return None;
    }
    append_nested_zlib(builder, bytes).then_some(())
}
