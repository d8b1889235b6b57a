//! Tests of single formats: the file of the whole without a part is the file that was made without it.

use super::container_tests::{delete, delete_span, read};
use super::*;

/// Files of the formats that are tested here, small and right.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    vec![
        ar(&MEMBERS),
        ar(&MEMBERS[1..]),
        items(&[b"thumbnail", b"picture"], 1),
        mp4(&[b"one", b"sample", b"after"]),
        gif(&[b"pixels", b""], 3),
    ]
}

/// Members of an archive: a name, data, and a symbol.
const MEMBERS: [(&str, &[u8], &str); 3] = [
    ("first_member_with_a_name.o", b"odd", "main"),
    ("b.o/", b"even", "help"),
    ("another_member_with_a_name.o", b"the data", "exit"),
];

fn ar(members: &[(&str, &[u8], &str)]) -> Vec<u8> {
    let entry = |name: &str, data: &[u8]| {
        let size = data.len();
        let header = format!("{name:<16}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        [header.as_bytes(), data, &b"\n"[..size % 2]].concat()
    };
    let is_long = |name: &str| name.len() > 16;
    let mut names = String::new();
    let mut entries = Vec::new();
    for (name, data, _) in members {
        let offset = names.len();
        match is_long(name) {
            true => {
                names += &format!("{name}/\n");
                entries.push(entry(&format!("/{offset}"), data));
            }
            false => entries.push(entry(name, data)),
        }
    }
    let symbols: Vec<u8> =
        members.iter().flat_map(|(_, _, symbol)| [symbol.as_bytes(), b"\0"].concat()).collect();
    let table = 60 + (4 + 4 * members.len() + symbols.len()).next_multiple_of(2);
    let mut at = 8 + table + entry("//", names.as_bytes()).len();
    let mut data = (members.len() as u32).to_be_bytes().to_vec();
    for member in &entries {
        data.extend((at as u32).to_be_bytes());
        at += member.len();
    }
    data.extend(symbols);
    [b"!<arch>\n".to_vec(), entry("/", &data), entry("//", names.as_bytes()), entries.concat()]
        .concat()
}

#[test]
fn a_member_of_an_archive_goes_with_its_symbols_and_its_long_name() {
    let container = read(&ar(&MEMBERS));
    let members = &container.layout.lists[0];
    assert_eq!(members.parts.len(), 5);
    for index in 0..3 {
        let mut left = MEMBERS.to_vec();
        left.remove(index);
        assert_eq!(delete(&container, &members.parts[2 + index]), ar(&left), "{index}");
    }
    let symbols = &container.layout.lists[1];
    let without = delete(&container, &symbols.parts[0]);
    assert_eq!(without[68..72], [0, 0, 0, 2]);
    assert_eq!(without.len(), ar(&MEMBERS).len() - 4 - 5 - 1);
}

#[test]
fn a_name_before_the_data_of_a_member_has_a_length() {
    let entry = |name: &str, data: &str| {
        let (length, size) = (name.len(), name.len() + data.len());
        let header = format!("#1/{length:<13}{:<12}{:<6}{:<6}{:<8}{size:<10}`\n", 0, 0, 0, 644);
        format!("!<arch>\n{header}{name}{data}").into_bytes()
    };
    let container = read(&entry("a_name", "data"));
    let name = container.layout.payloads[0].clone();
    assert_eq!(delete_span(&container, name.start..name.start + 2), entry("name", "data"));
}

fn media_box(kind: &[u8], contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    [&(contents.len() as u32 + 8).to_be_bytes()[..], kind, &contents].concat()
}

fn numbers(numbers: &[usize]) -> Vec<u8> {
    numbers.iter().flat_map(|number| (*number as u32).to_be_bytes()).collect()
}

/// A file with one track, in which each chunk has one sample.
fn mp4(samples: &[&[u8]]) -> Vec<u8> {
    let count = samples.len();
    let sizes: Vec<usize> = samples.iter().map(|sample| sample.len()).collect();
    let file = |offsets: &[usize]| {
        let table = media_box(
            b"stbl",
            &[
                &media_box(b"stsd", &[&numbers(&[0, 1]), &media_box(b"raw ", &[&[0; 8]])]),
                &media_box(b"stsc", &[&numbers(&[0, 1, 1, 1, 1])]),
                &media_box(b"stsz", &[&numbers(&[0, 0, count]), &numbers(&sizes)]),
                &media_box(b"stco", &[&numbers(&[0, count]), &numbers(offsets)]),
            ],
        );
        let track = media_box(b"mdia", &[&media_box(b"minf", &[&table])]);
        let movie = media_box(b"moov", &[&media_box(b"trak", &[&track])]);
        let start = media_box(b"ftyp", &[b"isom"]);
        [start, movie, media_box(b"mdat", samples)].concat()
    };
    let total: usize = sizes.iter().sum();
    let mut at = file(&vec![0; count]).len() - total;
    let offsets = sizes.iter().map(|size| {
        at += size;
        at - size
    });
    file(&offsets.collect::<Vec<usize>>())
}

#[test]
fn a_chunk_of_samples_goes_with_its_offset_and_its_lengths() {
    let samples: [&[u8]; 3] = [b"first", b"the second", b"third"];
    let container = read(&mp4(&samples));
    let lists = &container.layout.lists;
    let chunks = lists.iter().find(|list| list.parts.len() == 3 && list.parts[0].len() == 3);
    let chunks = chunks.unwrap();
    assert_eq!(delete(&container, &chunks.parts[1]), mp4(&[samples[0], samples[2]]));
    let payload = &chunks.parts[0][2];
    let shorter = delete_span(&container, payload.start..payload.start + 2);
    assert_eq!(shorter, mp4(&[b"rst", samples[1], samples[2]]));
    let description =
        lists.iter().position(|list| list.parts.len() == 1 && list.parts[0][0].len() == 16);
    let without = delete(&container, &lists[description.unwrap()].parts[0]);
    assert_eq!(without.windows(12).filter(|it| **it == *b"stsd\0\0\0\0\0\0\0\0").count(), 1);
}

/// A file with the places of items, some of which are relative to a base.
fn items(items: &[&[u8]], base: u8) -> Vec<u8> {
    let file = |start: usize| {
        let mut table = vec![1, 0, 0, 0, 0x44, 0x40, 0, items.len() as u8];
        let mut at = start;
        for (index, item) in items.iter().enumerate() {
            let from = if base == 0 { 0 } else { start };
            table.extend([0, index as u8 * base, 0, 0, 0, 0]);
            table
                .extend([numbers(&[from]), vec![0, 1], numbers(&[at - from, item.len()])].concat());
            at += item.len();
        }
        let meta = media_box(b"meta", &[&[0; 4], &media_box(b"iloc", &[&table])]);
        [media_box(b"ftyp", &[b"avif"]), meta, media_box(b"mdat", items)].concat()
    };
    let total: usize = items.iter().map(|item| item.len()).sum();
    file(file(0x1000).len() - total)
}

#[test]
fn an_item_of_an_image_goes_with_its_data() {
    for base in [0, 1] {
        let container = read(&items(&[b"thumbnail", b"picture"], base));
        let list =
            container.layout.lists.iter().rfind(|list| {
                list.parts.len() == 2 && list.parts.iter().all(|part| part.len() == 2)
            });
        let without = delete(&container, &list.unwrap().parts[1]);
        assert_eq!(without, items(&[b"thumbnail"], base));
    }
}

#[test]
fn boxes_that_are_cut_off_or_nest_without_end_are_plain_bytes() {
    let whole = mp4(&[b"first", b"second"]);
    for end in 8..whole.len() {
        if let Some(container) = Container::read(&whole[..end], Opening::Compressed) {
            assert_eq!(container.encode(), &whole[..end]);
        }
    }
    let mut nested = Vec::new();
    for _ in 0..2000 {
        nested = media_box(b"moov", &[&nested]);
    }
    assert_eq!(read(&nested).encode(), nested);
}

/// A file with a frame for each text and a table of colours of which this is the exponent.
fn gif(frames: &[&[u8]], exponent: u8) -> Vec<u8> {
    let colors: Vec<u8> = (0..3 << (exponent + 1)).map(|at| at as u8).collect();
    let mut file = [b"GIF89a\x09\0\x09\0", &[0xf0 | exponent, 0, 0][..], &colors].concat();
    for frame in frames {
        let blocks = frame.iter().flat_map(|byte| [1, *byte]);
        file.extend([0x21, 0xf9, 4, 0, 0, 0, 0, 0]);
        file.extend([0x2c, 0, 0, 0, 0, 9, 0, 9, 0, 0, 2].into_iter().chain(blocks).chain([0]));
    }
    [file, b";".to_vec()].concat()
}

#[test]
fn frames_and_blocks_and_colours_of_an_image_are_parts() {
    let container = read(&gif(&[b"abc", b"de", b""], 2));
    let [blocks, colors, _, first, ..] = &container.layout.lists[..] else { panic!("lists") };
    assert_eq!((blocks.parts.len(), colors.parts.len(), first.parts.len()), (6, 3, 3));
    let frame = blocks.parts[2..4].concat();
    assert_eq!(delete(&container, &frame), gif(&[b"abc", b""], 2));
    assert_eq!(delete(&container, &colors.parts[2]), gif(&[b"abc", b"de", b""], 1));
    let without_colors = delete(&container, &colors.parts.concat());
    assert_eq!(without_colors[10], 0x70);
    assert_eq!(delete(&container, &first.parts[1]), gif(&[b"ac", b"de", b""], 2));
}
