//! Tests of views: what was right stays right after any edit, what was wrong stays wrong, and nothing panics.

use super::checksum::Checksum;
use super::deflate::{deflate, inflate};
use super::*;
use proptest::prelude::*;
use std::ops::Range;

const OPENINGS: [Opening; 3] = [Opening::Stored, Opening::Compressed, Opening::Closed];

fn chunk(kind: &[u8], data: &[u8]) -> Vec<u8> {
    let checked = [kind, data].concat();
    let crc = Checksum::Crc32.of(&checked) as u32;
    [&(data.len() as u32).to_be_bytes()[..], &checked, &crc.to_be_bytes()].concat()
}

/// A grey image of three columns with one row for each byte.
fn png(rows: &[u8]) -> Vec<u8> {
    let contents: Vec<u8> = rows.iter().flat_map(|row| [0, *row, row + 1, row + 2]).collect();
    let header = [&3u32.to_be_bytes()[..], &(rows.len() as u32).to_be_bytes(), &[8, 0, 0, 0, 0]];
    let adler = (Checksum::Adler32.of(&contents) as u32).to_be_bytes();
    let stream = [&[0x78, 0x9c][..], &deflate(&contents), &adler].concat();
    let chunks =
        [chunk(b"IHDR", &header.concat()), chunk(b"tEXt", b"k\0v"), chunk(b"IDAT", &stream)];
    [b"\x89PNG\r\n\x1a\n".to_vec(), chunks.concat(), chunk(b"IEND", b"")].concat()
}

pub(super) fn delete(container: &Container, spans: &[Range<u32>]) -> Vec<u8> {
    let mut edits: Vec<ViewEdit<'_>> = spans.iter().map(|span| (span.clone(), &[][..])).collect();
    edits.sort_by_key(|(span, _)| span.start);
    container.layout.encode(&container.view, &edits)
}

pub(super) fn delete_span(container: &Container, span: Range<u32>) -> Vec<u8> {
    delete(container, std::slice::from_ref(&span))
}

pub(super) fn read(text: &[u8]) -> Container {
    let container = Container::read(text, Opening::Compressed).expect("a container");
    assert_eq!(container.encode(), text);
    container
}

#[test]
fn a_row_of_an_image_goes_with_its_height_and_both_checksums() {
    let container = read(&png(&[10, 20, 30]));
    let [chunks, rows, columns] = &container.layout.lists[..] else { panic!("three lists") };
    assert_eq!((chunks.parts.len(), rows.parts.len(), columns.parts.len()), (4, 3, 3));
    assert_eq!(delete(&container, &rows.parts[1]), png(&[10, 30]));
    assert_eq!(
        delete(&container, &chunks.parts[3]),
        png(&[10, 20, 30])[..png(&[10, 20, 30]).len() - 12]
    );
    let narrow = Container::read(&delete(&container, &columns.parts[0]), Opening::Compressed);
    assert_eq!(narrow.unwrap().layout.lists[2].parts.len(), 2);
    let edits: Vec<ViewEdit<'_>> = vec![(rows.parts[1][0].clone(), &[])];
    let after = container.layout.after(&container.view, &edits);
    assert_eq!(after.layout, read(&png(&[10, 30])).layout);
    assert_eq!(after.encode(), png(&[10, 30]));
}

#[test]
fn several_pieces_of_a_stream_become_one() {
    let whole = png(&[1, 2, 3, 4, 5]);
    let at = whole.windows(4).position(|kind| kind == b"IDAT").unwrap() - 4;
    let end = whole.len() - 12;
    let data = &whole[at + 8..end - 4];
    let pieces = data.chunks(7).map(|data| chunk(b"IDAT", data)).collect::<Vec<_>>().concat();
    let text = [&whole[..at], &pieces, &whole[end..]].concat();
    assert_eq!(Container::read(&text, Opening::Compressed).unwrap().encode(), whole);
    assert_eq!(Container::read(&text, Opening::Closed).unwrap().encode(), text);
}

#[test]
fn a_checksum_that_is_wrong_stays_wrong() {
    let mut text = png(&[10, 20]);
    let at = text.windows(4).position(|kind| kind == b"tEXt").unwrap() + 7;
    text[at] ^= 0xff;
    let container = read(&text);
    let rows = &container.layout.lists[1];
    let shorter = delete(&container, &rows.parts[0]);
    let stays = |text: &[u8]| text[at..at + 4].to_vec();
    assert_eq!(stays(&shorter), stays(&text));
}

fn zip(files: &[(&str, &[u8])], method: u16) -> Vec<u8> {
    let (mut entries, mut directory) = (Vec::new(), Vec::new());
    for (name, contents) in files {
        let data = if method == 8 { deflate(contents) } else { contents.to_vec() };
        let crc = Checksum::Crc32.of(contents) as u32;
        let sizes = [crc, data.len() as u32, contents.len() as u32].map(u32::to_le_bytes).concat();
        let common = [&[20, 0, 0, 0][..], &method.to_le_bytes(), &[0; 4], &sizes].concat();
        let name_length = (name.len() as u16).to_le_bytes();
        let offset = (entries.len() as u32).to_le_bytes();
        entries.extend(
            [b"PK\x03\x04", &common[..], &name_length, &[0, 0], name.as_bytes(), &data].concat(),
        );
        directory.extend(
            [b"PK\x01\x02\x14\0", &common[..], &name_length, &[0; 12], &offset, name.as_bytes()]
                .concat(),
        );
    }
    let count = (files.len() as u16).to_le_bytes();
    let places = [directory.len() as u32, entries.len() as u32].map(u32::to_le_bytes).concat();
    let end = [b"PK\x05\x06\0\0\0\0", &count[..], &count, &places, &[0, 0]].concat();
    [entries, directory, end].concat()
}

#[test]
fn an_entry_of_an_archive_goes_with_its_record() {
    let files: [(&str, &[u8]); 3] = [("one", b"first"), ("two", b"second second"), ("three", b"3")];
    for method in [0, 8] {
        let container = read(&zip(&files, method));
        let entries = &container.layout.lists[0];
        assert_eq!(delete(&container, &entries.parts[1]), zip(&[files[0], files[2]], method));
        let stored = Container::read(&zip(&files, method), Opening::Stored).unwrap();
        assert_eq!(stored.encode(), zip(&files, 0));
    }
    let container = read(&zip(&[("abc", b"x")], 0));
    let name = &container.layout.lists[1];
    assert_eq!(delete(&container, &name.parts[1]), zip(&[("ac", b"x")], 0));
}

#[test]
fn lengths_of_any_size_are_written_anew() {
    let message = |length: usize| {
        let inner = [vec![0x0a, 0xc8, 0x01], vec![7; 200 - length]].concat();
        let inner = match length {
            0 => inner,
            _ => [vec![0x0a, 200 - length as u8], vec![7; 200 - length]].concat(),
        };
        let (low, high) = (inner.len() as u8 | 0x80, (inner.len() >> 7) as u8);
        let header = if high > 0 { vec![0x12, low, high] } else { vec![0x12, low & 0x7f] };
        [vec![0x08, 1, 0x18, 5], header, inner].concat()
    };
    let container = read(&message(0));
    let payload = container.layout.payloads.last().unwrap().clone();
    assert_eq!(
        delete(&container, std::slice::from_ref(&(payload.start..payload.start + 150))),
        message(150)
    );
}

#[test]
fn chunks_are_padded_to_even_lengths() {
    let riff = |data: &[u8]| {
        let pad = vec![0; data.len() % 2];
        let size = (12 + data.len() + pad.len()) as u32;
        let length = (data.len() as u32).to_le_bytes();
        [b"RIFF", &size.to_le_bytes()[..], b"WAVE", b"data", &length, data, &pad].concat()
    };
    let container = read(&riff(&[9; 10]));
    let payload = container.layout.payloads[0].start;
    assert_eq!(delete(&container, std::slice::from_ref(&(payload..payload + 3))), riff(&[9; 7]));
    assert_eq!(read(&riff(&[9; 7])).encode(), riff(&[9; 7]));
}

#[test]
fn unknown_formats_are_recognised_by_lengths_and_checksums() {
    let file = |records: &[&[u8]]| {
        let mut body: Vec<u8> = b"XFILE001".to_vec();
        for record in records {
            body.extend([b"rec:", &(record.len() as u16).to_be_bytes()[..], record].concat());
        }
        let crc = Checksum::Crc32.of(&body) as u32;
        [body, crc.to_le_bytes().to_vec()].concat()
    };
    let records: [&[u8]; 4] = [&[1; 40], &[2; 30], &[3; 50], &[4; 20]];
    let container = read(&file(&records));
    let list = &container.layout.lists[0];
    assert_eq!(list.parts.len(), 4);
    assert_eq!(delete(&container, &list.parts[2]), file(&[records[0], records[1], records[3]]));
}

/// The zeros of a total length before the first record look like a record without data.
#[test]
fn records_begin_behind_the_length_of_them_all() {
    let file = |records: &[&[u8]]| {
        let mut body = Vec::new();
        for (kind, record) in records.iter().enumerate() {
            let kind = [kind as u8 % 3 + 1];
            body.extend([&kind, &(record.len() as u16).to_le_bytes()[..], record].concat());
        }
        [b"LOG1", &(body.len() as u32).to_le_bytes()[..], &body].concat()
    };
    let records: Vec<Vec<u8>> = (0..24u8).map(|at| vec![at; 20 + usize::from(at)]).collect();
    let records: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
    let container = read(&file(&records));
    let list = &container.layout.lists[0];
    assert_eq!(list.parts.len(), records.len());
    assert_eq!(delete(&container, &list.parts[23]), file(&records[..23]));
}

/// Random bytes have no structure, so their reduction needs no further test.
#[test]
fn random_bytes_are_no_container() {
    let mut state = 1u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 33) as u8
    };
    let bytes: Vec<u8> = (0..50_000).map(|_| next()).collect();
    assert_eq!(Container::read(&bytes, Opening::Compressed), None);
}

#[test]
fn streams_that_become_huge_stay_closed() {
    let contents = vec![0; 80 << 20];
    let crc = (Checksum::Crc32.of(&contents) as u32).to_le_bytes();
    let size = (contents.len() as u32).to_le_bytes();
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    let text = [&header[..], &deflate(&contents), &crc, &size].concat();
    drop(contents);
    for opening in OPENINGS {
        let view = Container::read(&text, opening).map_or(0, |container| container.view.len());
        assert!(view <= 2 * text.len(), "{opening:?}: {view}");
    }
    assert_eq!(inflate(&text[10..], 1000), None);
}

#[test]
fn containers_nest_without_end() {
    let mut reversed: Vec<u8> = vec![1, 0x08];
    for _ in 0..1_000_000 {
        let length = reversed.len() as u64;
        let groups = (64 - length.leading_zeros()).div_ceil(7);
        let digits = (0..groups)
            .map(|at| (length >> (7 * at)) as u8 | if at + 1 < groups { 0x80 } else { 0 });
        reversed.extend(digits.collect::<Vec<u8>>().into_iter().rev());
        reversed.push(0x0a);
    }
    reversed.reverse();
    assert_eq!(read(&reversed).encode(), reversed);
    let sequences: Vec<u8> = [0x30, 0x80].repeat(500_000);
    let container = Container::read(&sequences, Opening::Compressed);
    assert!(container.is_none_or(|container| container.encode() == sequences));
    assert!(Container::read(b"", Opening::Compressed).is_none());
}

/// Files of all formats, small and right.
fn seeds() -> Vec<Vec<u8>> {
    let gzip = |contents: &[u8]| {
        let crc = (Checksum::Crc32.of(contents) as u32).to_le_bytes();
        let size = (contents.len() as u32).to_le_bytes();
        [&[0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 3, b'n', 0][..], &deflate(contents), &crc, &size]
            .concat()
    };
    let tiff = [
        b"II*\0\x08\0\0\0\x02\0",
        &[14, 1, 2, 0, 9, 0, 0, 0, 38, 0, 0, 0][..],
        &[17, 1, 4, 0, 1, 0, 0, 0, 47, 0, 0, 0],
        &[0; 4],
        b"a caption",
        b"strip",
    ];
    let mut elf = vec![0; 64 + 3 * 64 + 16];
    elf[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    for (at, value) in [
        (40, 64),
        (58, 64),
        (60, 3),
        (62, 1),
        (132, 3),
        (152, 0),
        (160, 16),
        (196, 2),
        (216, 1),
        (224, 8),
        (248, 4),
    ] {
        elf[at] = value;
    }
    elf[153] = 1;
    elf[217] = 1;
    let first = vec![
        png(&[1, 2, 3]),
        zip(&[("a.xml", b"<a><b/><c>text</c></a>"), ("b", b"two\nlines, of some length\n")], 8),
        gzip(&png(&[5, 6])),
        gzip(b"one line\nanother line\nthe third line\n"),
        b"RIFF\x18\0\0\0WAVEfmt \x03\0\0\0abc\0data\0\0\0\0".to_vec(),
        b"\xff\xd8\xff\xe0\0\x05abc\xff\xda\0\x03x12345\xff\x00\xff\xd9".to_vec(),
        tiff.concat(),
        elf,
        b"\0asm\x01\0\0\0\x01\x04\x01\x60\0\0\x03\x03\x02\0\0\x0a\x07\x02\x02\0\x0b\x02\0\x0b"
            .to_vec(),
        [0x30, 8, 2, 1, 5, 4, 3, 1, 2, 3].to_vec(),
    ];
    [first, format_tests::seeds(), numbered_tests::seeds(), checked_tests::seeds()].concat()
}

#[test]
fn every_format_is_read_and_written_unchanged() {
    for (index, seed) in seeds().into_iter().enumerate() {
        let container = Container::read(&seed, Opening::Compressed);
        let container = container.unwrap_or_else(|| panic!("seed {index} is not read"));
        assert_eq!(container.encode(), seed, "seed {index}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn damaged_containers_with_any_edits_are_encoded(
        seed in any::<prop::sample::Index>(),
        damage in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in any::<prop::sample::Index>(),
        is_cut in any::<bool>(),
        deletions in proptest::collection::vec((any::<prop::sample::Index>(), 1u32..20), 0..8),
    ) {
        let mut all = seeds();
        let mut text = all.swap_remove(seed.index(all.len()));
        for (at, value) in damage {
            let at = at.index(text.len());
            text[at] = value;
        }
        if is_cut {
            text.truncate(cut.index(text.len()));
        }
        for opening in OPENINGS {
            let Some(container) = Container::read(&text, opening) else { continue };
            let mut spans: Vec<Range<u32>> = deletions.iter().map(|(at, length)| {
                let start = at.index(container.view.len()) as u32;
                start..(start + length).min(container.view.len() as u32)
            }).collect();
            spans.sort_by_key(|span| span.start);
            let mut end = 0;
            spans.retain(|span| {
                let is_free = span.start >= end;
                end = if is_free { span.end } else { end };
                is_free
            });
            let encoded = delete(&container, &spans);
            let edits: Vec<ViewEdit<'_>> = spans.iter().map(|span| (span.clone(), &[][..])).collect();
            let after = container.layout.after(&container.view, &edits);
            prop_assert_eq!(after.view.len(), container.view.len() - spans.iter().map(|it| it.len()).sum::<usize>());
            // Where a stream or a field lies at the border of an edit, the two may differ.
            prop_assert!(after.encode().len() <= encoded.len() + container.view.len());
            for list in &container.layout.lists {
                for part in &list.parts {
                    prop_assert!(part.iter().all(|span| span.end as usize <= container.view.len()));
                }
            }
        }
    }
}
