//! PNG: chunks with their lengths and checksums; rows and columns of the image in its compressed stream.

use crate::container::archives::zlib::{append_nested_zlib, append_zlib, zlib_contents};
use crate::container::byte_numbers::{ByteOrder, number};
use crate::container::checksum::Checksum;
use crate::container::container_layout::{FieldId, FieldValue};
use crate::container::field_notation::FieldNotation;
use crate::container::layout_builder::{LayoutBuilder, Opening};
use std::ops::Range;

const SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

const BIG: ByteOrder = ByteOrder::Big;

/// Columns are parts only in images with fewer pieces of columns than this.
const MAX_PIECES_OF_COLUMNS: usize = 1 << 19;

/// A chunk of the file.
#[derive(Clone, Copy, Debug)]
struct Chunk<'b> {
    kind: &'b [u8],
    data: &'b [u8],
    crc: &'b [u8],
}

/// The fields of the header of an image that depend on the image.
#[derive(Clone, Copy, Debug)]
struct Header {
    width: usize,
    height: usize,
    bits_per_pixel: usize,
    width_field: FieldId,
    height_field: FieldId,
}

/// Reads a file: all whole chunks, and what follows them.
pub(crate) fn read_png(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let mut rest = bytes.strip_prefix(SIGNATURE)?;
    builder.bytes(SIGNATURE);
    let list = builder.list(Vec::new());
    let mut parts: Vec<Vec<Range<u32>>> = Vec::new();
    let mut header = None;
    while let Some((chunk, mut after)) = next_chunk(rest) {
        let start = builder.at();
        if chunk.kind == b"IDAT" && builder.opening != Opening::Closed {
            let mut data = chunk.data.to_vec();
            let mut is_right = chunk.has_right_checksum();
            while let Some((next, behind)) = next_chunk(after).filter(|(it, _)| it.kind == b"IDAT")
            {
                data.extend_from_slice(next.data);
                is_right &= next.has_right_checksum();
                after = behind;
            }
            let contents = is_right.then(|| zlib_contents(builder, &data)).flatten();
            match contents {
                Some((contents, length)) => append_chunk(builder, chunk, true, |builder| {
                    append_zlib(builder, &data, (&contents, length), |builder| {
                        append_image(builder, &contents, header);
                    });
                }),
                None => {
                    after = after_chunk(rest);
                    append_plain_chunk(builder, chunk);
                }
            }
        } else if let (b"IHDR", Some(found)) = (chunk.kind, image_header(chunk.data)) {
            let is_right = chunk.has_right_checksum();
            append_chunk(builder, chunk, is_right, |builder| {
                header = Some(append_header(builder, chunk.data, found));
            });
        } else {
            append_plain_chunk(builder, chunk);
        }
        parts.push(builder.part_since(start));
        rest = after;
    }
    builder.payload(rest);
    builder.fill_list(list, parts);
    Some(())
}

/// The first chunk of some bytes, if it is whole, and what follows it.
fn next_chunk(bytes: &[u8]) -> Option<(Chunk<'_>, &[u8])> {
    let length = number(bytes, 0, 4, BIG)?;
    let kind = bytes.get(4..8)?;
    let data = bytes.get(8..length.checked_add(8)?)?;
    let crc = bytes.get(8 + length..length + 12)?;
    Some((Chunk { kind, data, crc }, &bytes[length + 12..]))
}

/// What follows the first chunk.
fn after_chunk(bytes: &[u8]) -> &[u8] {
    next_chunk(bytes).map_or(bytes, |(_, rest)| rest)
}

impl Chunk<'_> {
    fn has_right_checksum(&self) -> bool {
        let checksum = Checksum::Crc32.of(&[self.kind, self.data].concat());
        number(self.crc, 0, 4, BIG) == Some(checksum as usize)
    }
}

/// Appends a chunk with data that `append` appends. A checksum that was right stays right.
fn append_chunk(
    builder: &mut LayoutBuilder,
    chunk: Chunk<'_>,
    is_right: bool,
    append: impl FnOnce(&mut LayoutBuilder),
) {
    let length = (chunk.data.len() as u32).to_be_bytes();
    let length = builder.field(&length, FieldNotation::Fixed(BIG));
    let start = builder.at();
    builder.bytes(chunk.kind);
    let data = builder.at();
    append(builder);
    builder.is_length(length, builder.since(data), 0);
    let of = builder.since(start);
    let crc = builder.field(chunk.crc, FieldNotation::Fixed(BIG));
    if is_right {
        builder.depends(crc, FieldValue::Checksum { kind: Checksum::Crc32, of });
    }
}

/// Appends a chunk that is no image: texts and profiles may be compressed.
fn append_plain_chunk(builder: &mut LayoutBuilder, chunk: Chunk<'_>) {
    let is_right = chunk.has_right_checksum();
    append_chunk(builder, chunk, is_right, |builder| {
        // A keyword, a zero, and the number of the method come first.
        let name = chunk.data.iter().position(|byte| *byte == 0).map(|end| end + 2);
        let stream = name.and_then(|name| chunk.data.get(name..));
        if let (b"zTXt" | b"iCCP", Some(stream), Some(name)) = (chunk.kind, stream, name) {
            let checkpoint = builder.checkpoint();
            builder.payload(&chunk.data[..name]);
            if append_nested_zlib(builder, stream) {
                return;
            }
            builder.go_back(checkpoint);
        }
        builder.payload(chunk.data);
    });
}

/// Width, height and bits per pixel of an image that is not interlaced.
fn image_header(data: &[u8]) -> Option<(usize, usize, usize)> {
    let [.., depth, color, _, _, interlace] = data else { return None };
    let channels = match color {
        0 | 3 => 1,
        2 => 3,
        4 => 2,
        6 => 4,
        _ => return None,
    };
    let is_plain = data.len() == 13 && *interlace == 0 && matches!(depth, 1 | 2 | 4 | 8 | 16);
    let bits = channels * usize::from(*depth);
    is_plain.then(|| Some((number(data, 0, 4, BIG)?, number(data, 4, 4, BIG)?, bits)))?
}

fn append_header(
    builder: &mut LayoutBuilder,
    data: &[u8],
    (width, height, bits_per_pixel): (usize, usize, usize),
) -> Header {
    let width_field = builder.field(&data[..4], FieldNotation::Fixed(BIG));
    let height_field = builder.field(&data[4..8], FieldNotation::Fixed(BIG));
    builder.payload(&data[8..]);
    Header { width, height, bits_per_pixel, width_field, height_field }
}

/// Appends the contents of the stream of an image. Each row is a filter and pixels.
fn append_image(builder: &mut LayoutBuilder, contents: &[u8], header: Option<Header>) {
    let start = builder.at();
    builder.payload(contents);
    let Some(Header { width, height, bits_per_pixel, width_field, height_field }) = header else {
        return;
    };
    let Some(bits) = width.checked_mul(bits_per_pixel) else { return };
    let row = 1 + bits.div_ceil(8);
    if row.checked_mul(height) != Some(contents.len()) {
        return;
    }
    let span = |at: usize, length: usize| start + at as u32..start + (at + length) as u32;
    let rows = (0..height).map(|index| vec![span(index * row, row)]).collect();
    let list = builder.list(rows);
    builder.depends(height_field, FieldValue::Count { list, times: 1, plus: 0 });
    // A column is as few pixels as are whole bytes.
    let column = bits_per_pixel.div_ceil(8);
    let pixels = (8 / bits_per_pixel).max(1);
    let columns = (row - 1) / column;
    if !width.is_multiple_of(pixels) || columns * height > MAX_PIECES_OF_COLUMNS {
        return;
    }
    let spans = |index: usize| {
        (0..height).map(|line| span(line * row + 1 + index * column, column)).collect()
    };
    let list = builder.list((0..columns).map(spans).collect());
    builder.depends(width_field, FieldValue::Count { list, times: pixels as u64, plus: 0 });
}
