//! Tests of formats with checksums of their own, or with fields that only they have.

use super::checksum::Checksum;
use super::container_tests::{delete, delete_span, read};
use super::*;

/// Files of the formats that are tested here, small and right.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    vec![
        font(&TABLES),
        font(&TABLES[..1]),
        matroska(&[b"a block", b"another"], 8),
        flac(&[b"info", b"more"], &[b"frame", b"of sound"]),
        ogg(&[&[b"packet", b"two"], &[b"three"]]),
    ]
}

const TABLES: [(&[u8; 4], &[u8]); 3] = [
    (b"cvt ", b"odd size."),
    (b"head", &[0; 54]),
    (b"name", b"\0\0\0\x01\0\x12\0\x03\0\x01\0\0\0\x02\0\x04\0\0Bold"),
];

fn font(tables: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
    let count = tables.len() as u16;
    let range = 16 << count.ilog2();
    let search = [count, range, count.ilog2() as u16, 16 * count - range].map(u16::to_be_bytes);
    let mut file = [b"\0\x01\0\0", &search.concat()[..]].concat();
    let mut at = 12 + 16 * tables.len();
    let mut head = None;
    for (tag, data) in tables {
        head = if *tag == b"head" { Some(at + 8) } else { head };
        let numbers = [Checksum::Words.of(data) as u32, at as u32, data.len() as u32];
        file.extend([&tag[..], &numbers.map(u32::to_be_bytes).concat()].concat());
        at = (at + data.len()).next_multiple_of(4);
    }
    for (_, data) in tables {
        file.extend(*data);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    if let Some(at) = head {
        let sum = Checksum::SfntFile.of(&file) as u32;
        file[at..at + 4].copy_from_slice(&sum.to_be_bytes());
    }
    file
}

#[test]
fn a_table_of_a_font_goes_with_its_record_and_all_checksums_are_right() {
    let container = read(&font(&TABLES));
    let tables = &container.layout.lists[0];
    for index in [0, 2] {
        let mut left = TABLES.to_vec();
        left.remove(index);
        assert_eq!(delete(&container, &tables.parts[index]), font(&left), "{index}");
    }
    let names = container.layout.lists.iter().find(|list| list.parts.len() == 1).unwrap();
    let text = &names.parts[0][1];
    let shorter = delete_span(&container, text.start..text.start + 1);
    let name = b"\0\0\0\x01\0\x12\0\x03\0\x01\0\0\0\x02\0\x03\0\0old";
    assert_eq!(shorter, font(&[TABLES[0], TABLES[1], (b"name", name)]));
}

/// A file with a segment, whose lengths have a number of bytes, with a checksum and a position.
fn matroska(blocks: &[&[u8]], width: u32) -> Vec<u8> {
    let element = |id: &[u8], data: &[u8]| {
        let width = if width == 0 { 1 } else { width };
        let length = data.len() as u64 | 1 << (7 * width);
        [id, &length.to_be_bytes()[8 - width as usize..], data].concat()
    };
    let cluster = blocks.iter().flat_map(|block| element(b"\xa3", block)).collect::<Vec<u8>>();
    let sum = Checksum::Crc32.of(&cluster) as u32;
    let cluster = [element(b"\xbf", &sum.to_le_bytes()), cluster].concat();
    let cluster = element(b"\x1f\x43\xb6\x75", &cluster);
    let position = [0, cluster.len() as u8];
    let seek =
        element(b"\x11\x4d\x9b\x74", &element(b"\x4d\xbb", &element(b"\x53\xac", &position)));
    let segment =
        element(b"\x18\x53\x80\x67", &[cluster, element(b"\xec", &[0; 4 - 1]), seek].concat());
    [element(b"\x1a\x45\xdf\xa3", &element(b"\x42\x82", b"webm")), segment].concat()
}

#[test]
fn lengths_of_elements_have_the_size_that_they_had_or_become_short() {
    let blocks: [&[u8]; 3] = [b"one", b"the second", b"three"];
    let container = read(&matroska(&blocks, 8));
    let list = container.layout.lists.iter().find(|list| list.parts.len() == 4).unwrap();
    let shorter = delete(&container, &list.parts[2]);
    let without = matroska(&[blocks[0], blocks[2]], 8);
    assert_eq!(shorter, without);
    let short = Container::read(&matroska(&blocks, 8), Opening::Stored).unwrap();
    assert_eq!(short.encode(), matroska(&blocks, 1));
}

/// A file with blocks of metadata and frames.
fn flac(blocks: &[&[u8]], frames: &[&[u8]]) -> Vec<u8> {
    let mut file = b"fLaC".to_vec();
    for (index, block) in blocks.iter().enumerate() {
        let kind = if index + 1 == blocks.len() { 0x80 } else { 0 };
        file.extend([&[kind | index as u8, 0, 0, block.len() as u8][..], block].concat());
    }
    for (index, frame) in frames.iter().enumerate() {
        let header = [0xff, 0xf8, 0x19, 0x18, index as u8];
        let checked = [&header[..], &[Checksum::Crc8.of(&header) as u8], frame].concat();
        file.extend([&checked[..], &(Checksum::Crc16.of(&checked) as u16).to_be_bytes()].concat());
    }
    file
}

#[test]
fn the_last_block_of_metadata_is_marked() {
    let frames: [&[u8]; 3] = [b"sound", b"silence", b"sound again"];
    let blocks: [&[u8]; 2] = [b"info", b"padding"];
    let container = read(&flac(&blocks, &frames));
    let [metadata, sound] = &container.layout.lists[..] else { panic!("two lists") };
    assert_eq!((metadata.parts.len(), sound.parts.len()), (2, 3));
    assert_eq!(delete(&container, &metadata.parts[1]), flac(&blocks[..1], &frames));
    assert_eq!(delete(&container, &sound.parts[2]), flac(&blocks, &frames[..2]));
    let payload = container.layout.payloads.last().unwrap();
    let shorter = delete_span(&container, payload.start + 5..payload.end);
    assert_eq!(shorter, flac(&blocks, &[frames[0], frames[1], b"sound"]));
    let edits: Vec<ViewEdit<'_>> = vec![(metadata.parts[1][0].clone(), &[])];
    let after = container.layout.after(&container.view, &edits);
    assert_eq!(after.encode(), flac(&blocks[..1], &frames));
}

/// A file with a page for each list of packets.
fn ogg(pages: &[&[&[u8]]]) -> Vec<u8> {
    let mut file = Vec::new();
    for (index, packets) in pages.iter().enumerate() {
        let lengths: Vec<u8> = packets.iter().map(|packet| packet.len() as u8).collect();
        let header = [&b"OggS\0\0"[..], &[0; 8], b"flow", &[index as u8, 0, 0, 0, 0, 0, 0, 0]];
        let count = [lengths.len() as u8];
        let mut page = [&header.concat()[..], &count, &lengths, &packets.concat()].concat();
        let sum = Checksum::OggCrc.of(&page) as u32;
        page[22..26].copy_from_slice(&sum.to_le_bytes());
        file.extend(page);
    }
    file
}

#[test]
fn pages_have_numbers_and_packets_lengths() {
    let container = read(&ogg(&[&[b"a", b"bc"], &[b"d"], &[b"e", b"", b"fg"]]));
    let [pages, first, ..] = &container.layout.lists[..] else { panic!("lists") };
    let without = ogg(&[&[b"a", b"bc"], &[b"e", b"", b"fg"]]);
    assert_eq!(delete(&container, &pages.parts[1]), without);
    let without = ogg(&[&[b"bc"], &[b"d"], &[b"e", b"", b"fg"]]);
    assert_eq!(delete(&container, &first.parts[0]), without);
}
