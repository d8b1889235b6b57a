//! Tests of formats whose parts refer to each other by numbers.

use super::container_tests::{delete, delete_span, read};
use super::{Container, Opening};

/// Files of the formats that are tested here, small and right.
pub(super) fn seeds() -> Vec<Vec<u8>> {
    vec![
        class(&[b"first", b"second"], true),
        database(&[&["one", "two"], &["three"]]),
        elf(&["main", "exit"]),
        coff(&["a_long_name", "exit"]),
        pcapng(&[b"packet", b"one"]),
    ]
}

fn text(bytes: &[u8]) -> Vec<u8> {
    [&[1][..], &(bytes.len() as u16).to_be_bytes(), bytes].concat()
}

fn attribute(name: u8, contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    [&[0, name][..], &(contents.len() as u32).to_be_bytes(), &contents].concat()
}

/// A class with a method for each name, whose code loads a long constant, perhaps after a text that is not used.
fn class(names: &[&[u8]], has_unused: bool) -> Vec<u8> {
    let unused = u8::from(has_unused);
    let mut constants = vec![text(b"Code"), text(b"LineNumberTable"), text(b"()V")];
    if has_unused {
        constants.push(text(b"unused"));
    }
    // A constant with two numbers, a class, and its name.
    let (long, class) = (4 + unused, 6 + unused);
    constants.push(vec![5, 1, 2, 3, 4, 5, 6, 7, 8]);
    constants.push(vec![7, 0, class + 1]);
    constants.push(text(b"Main"));
    constants.extend(names.iter().map(|name| text(name)));
    let count = constants.len() as u16 + 2;
    let methods = (0..names.len() as u8).map(|index| {
        // nop, ldc2_w, goto the first instruction, return
        let code = [0, 20, 0, long, 0xa7, 0xff, 0xfc, 0xb1];
        let lines = attribute(2, &[&[0, 1, 0, 7, 0, 9]]);
        let code = attribute(1, &[&[0, 2, 0, 0, 0, 0, 0, 8], &code, &[0, 0, 0, 1], &lines]);
        [&[0, 1, 0, class + 2 + index, 0, 3, 0, 1][..], &code].concat()
    });
    let methods: Vec<u8> = methods.flatten().collect();
    [
        b"\xca\xfe\xba\xbe\0\0\0\x34",
        &count.to_be_bytes()[..],
        &constants.concat(),
        &[0, 1, 0, class, 0, 0, 0, 0, 0, 0, 0, names.len() as u8],
        &methods,
        &[0, 0],
    ]
    .concat()
}

#[test]
fn constants_have_other_numbers_when_one_is_gone() {
    let container = read(&class(&[b"first", b"second"], true));
    let lists = &container.layout.lists;
    let constants = lists.iter().rfind(|list| list.parts.len() == 9).unwrap();
    assert_eq!(delete(&container, &constants.parts[3]), class(&[b"first", b"second"], false));
    let methods = lists.iter().find(|list| list.parts.len() == 2).unwrap();
    let both = [&methods.parts[0][..], &constants.parts[7]].concat();
    assert_eq!(delete(&container, &both), class(&[b"second"], true));
}

#[test]
fn instructions_are_parts_and_jumps_follow_them() {
    let container = read(&class(&[b"first"], false));
    let code = container.layout.lists.iter().find(|list| list.parts.len() == 4).unwrap();
    let shorter = delete(&container, &code.parts[1]);
    let at = shorter.windows(4).position(|it| *it == [0, 0xa7, 0xff, 0xff]);
    // The jump begins one byte behind the first instruction, and the line at the end of the code four bytes before.
    assert_eq!(shorter[at.unwrap() - 4..at.unwrap()], [0, 0, 0, 5]);
    assert_eq!(shorter.windows(6).filter(|it| **it == [0, 1, 0, 4, 0, 9]).count(), 1);
}

const PAGE: usize = 512;
const LARGE_PAGE: usize = 2048;

/// A page of rows.
fn page(header: &[u8], rows: &[Vec<u8>], bytes: usize) -> Vec<u8> {
    let mut pointers = Vec::new();
    let mut cells = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let cell = [&[row.len() as u8, index as u8 + 1][..], row].concat();
        cells.splice(0..0, cell);
        pointers.extend(((bytes - cells.len()) as u16).to_be_bytes());
    }
    let content = ((bytes - cells.len()) as u16).to_be_bytes();
    let count = (rows.len() as u16).to_be_bytes();
    let mut page = [header, &[13, 0, 0], &count, &content, &[0], &pointers].concat();
    page.resize(bytes - cells.len(), 0);
    [page, cells].concat()
}

fn row(columns: &[&str], root: Option<u8>) -> Vec<u8> {
    let mut header: Vec<u8> = columns.iter().map(|text| 13 + 2 * text.len() as u8).collect();
    let mut values = columns.concat().into_bytes();
    if let Some(root) = root {
        header.insert(3, 1);
        let at = columns[..3].concat().len();
        values.insert(at, root);
    }
    [vec![header.len() as u8 + 1], header, values].concat()
}

/// A database with some tables, each with rows of one column in a page of its own.
fn database(tables: &[&[&str]]) -> Vec<u8> {
    database_of(tables, PAGE)
}

fn database_of(tables: &[&[&str]], bytes: usize) -> Vec<u8> {
    let mut header = b"SQLite format 3\0\x02\0\x01\x01\0\x40\x20\x20".to_vec();
    header.resize(100, 0);
    header[16] = (bytes >> 8) as u8;
    header[31] = tables.len() as u8 + 1;
    let row_of = |index: usize| row(&["table", "t", "t", "create"], Some(index as u8 + 2));
    let schema: Vec<Vec<u8>> = (0..tables.len()).map(row_of).collect();
    let rows = |table: &&[&str]| {
        page(&[], &table.iter().map(|text| row(&[text], None)).collect::<Vec<_>>(), bytes)
    };
    let pages: Vec<u8> = tables.iter().flat_map(rows).collect();
    [page(&header, &schema, bytes), pages].concat()
}

#[test]
fn rows_and_tables_go_with_their_pointers_and_pages() {
    let tables: [&[&str]; 3] = [&["one"], &["two", "three"], &["four", "a longer text"]];
    let container = read(&database(&tables));
    let lists = &container.layout.lists;
    let schema = &lists[0];
    assert_eq!(schema.parts.len(), 3);
    assert_eq!(delete(&container, &schema.parts[2]), database(&tables[..2]));
    let rows = lists.iter().rfind(|list| list.parts.len() == 2).unwrap();
    let shorter = delete(&container, &rows.parts[1]);
    assert_eq!(shorter, database(&[tables[0], tables[1], &["four"]]));
    let long = container.layout.payloads.iter().find(|payload| payload.len() == 13).unwrap();
    let shorter = delete_span(&container, long.start..long.start + 9);
    assert_eq!(shorter, database(&[tables[0], tables[1], &["four", "text"]]));
}

#[test]
fn pages_become_small_if_what_is_in_them_fits() {
    let tables: [&[&str]; 2] = [&["one", "two"], &["three"]];
    let large = database_of(&tables, LARGE_PAGE);
    assert_eq!(read(&large).encode(), large);
    let small = Container::read(&large, Opening::Stored).unwrap();
    assert_eq!(small.encode(), database(&tables));
    let many = [["rows that do not fit into a small page"; 12].as_slice()];
    let small = Container::read(&database_of(&many, LARGE_PAGE), Opening::Stored).unwrap();
    assert_eq!(small.encode(), database_of(&many, 2 * PAGE));
}

/// A root whose page is gone is the first page below it that is left.
#[test]
fn the_page_below_a_root_stands_for_it() {
    let mut text = database(&[&["one"]]);
    text[31] = 4;
    // The second page refers to the third, and to the fourth as the last one.
    let interior =
        [&[5, 0, 0, 0, 1, 1, 0xfb, 0, 0, 0, 0, 4, 1, 0xfb][..], &[0; 493], &[0, 0, 0, 3, 7]];
    text.truncate(PAGE);
    for page in [interior.concat(), page(&[], &[row(&["two"], None)], PAGE), page(&[], &[], PAGE)] {
        text.extend(page);
    }
    let root = text.windows(8).position(|it| it == b"tablett\x02").unwrap() + 7;
    let container = read(&text);
    let of_page = |part: &&Vec<std::ops::Range<u32>>| part[0].start as usize == PAGE;
    let second = container.layout.lists.iter().flat_map(|list| &list.parts).find(of_page);
    let without = delete(&container, second.unwrap());
    assert_eq!(without[root], 2);
    assert_eq!(without[PAGE..], text[2 * PAGE..]);
    assert_eq!(without[31], 3);
}

/// An object with a symbol for each name in its second section, and a relocation for each symbol.
fn elf(names: &[&str]) -> Vec<u8> {
    let mut strings = vec![0];
    let (mut symbols, mut relocations) = (vec![0; 24], Vec::new());
    for (index, name) in names.iter().enumerate() {
        symbols.extend([strings.len() as u8, 0, 0, 0, 0x12, 0, 1, 0].into_iter().chain([0; 16]));
        relocations.extend([[0; 8], [1, 0, 0, 0, index as u8 + 1, 0, 0, 0], [0; 8]].concat());
        strings.extend([name.as_bytes(), b"\0"].concat());
    }
    let contents = [vec![0x90; 4], symbols, relocations, strings];
    let mut headers = vec![0; 64];
    let mut at = 64;
    for (index, data) in contents.iter().enumerate() {
        let (kind, link, info, entry) =
            [(1, 0, 0, 0), (2, 4, 1, 24), (4, 2, 1, 24), (3, 0, 0, 0)][index];
        let words = [at as u64, data.len() as u64].map(u64::to_le_bytes).concat();
        let numbers = |numbers: [u32; 2]| numbers.map(u32::to_le_bytes).concat();
        let tail = [numbers([link, info]), vec![0; 8], numbers([entry, 0])].concat();
        headers.extend([numbers([0, kind]), vec![0; 16], words, tail].concat());
        at += data.len();
    }
    let mut file = b"\x7fELF\x02\x01\x01".to_vec();
    file.resize(64, 0);
    (file[40], file[58], file[60], file[62]) = (at as u8, 64, 5, 4);
    file[41] = (at >> 8) as u8;
    [file, contents.concat(), headers].concat()
}

#[test]
fn a_symbol_goes_with_its_name_and_its_relocation() {
    let container = read(&elf(&["main", "exit"]));
    let lists = &container.layout.lists;
    let [_, symbols, relocations, strings, ..] = &lists[..] else { panic!("lists") };
    assert_eq!((symbols.parts.len(), relocations.parts.len(), strings.parts.len()), (3, 2, 3));
    let gone = [&symbols.parts[1][..], &relocations.parts[0], &strings.parts[1]].concat();
    assert_eq!(delete(&container, &gone), elf(&["exit"]));
}

/// An object of Windows with two sections and a symbol for each name, whose names are all long ones.
fn coff(names: &[&str]) -> Vec<u8> {
    let data = b"\x90\x90";
    let start = 20 + 2 * 40;
    let relocations: Vec<u8> =
        (0..names.len() as u8).flat_map(|index| [0, 0, 0, 0, index, 0, 0, 0, 4, 0]).collect();
    let (mut symbols, mut strings) = (Vec::new(), Vec::new());
    for name in names {
        symbols.extend([
            0,
            0,
            0,
            0,
            strings.len() as u8 + 4,
            0,
            0,
            0,
            0,
            0,
            0,
            0,
            2,
            0,
            0,
            0,
            2,
            0,
        ]);
        strings.extend([name.as_bytes(), b"\0"].concat());
    }
    let section = |name: &[u8; 8], place: [usize; 3], relocations: usize| {
        let numbers = place.map(|number| (number as u32).to_le_bytes()).concat();
        let count = [relocations as u8, 0, 0, 0, 0, 0, 0, 0];
        [&name[..], &[0; 8], &numbers, &[0; 4], &count].concat()
    };
    let place = [data.len(), start, start + data.len()];
    let end = start + data.len() + relocations.len();
    let length = (strings.len() as u32 + 4).to_le_bytes();
    [
        &[0x64, 0x86, 2, 0, 0, 0, 0, 0, end as u8, 0, 0, 0, names.len() as u8, 0, 0, 0, 0, 0, 0, 0]
            [..],
        &section(b".empty\0\0", [0; 3], 0),
        &section(b".text\0\0\0", place, names.len()),
        data,
        &relocations,
        &symbols,
        &length,
        &strings,
    ]
    .concat()
}

#[test]
fn symbols_of_windows_refer_to_sections_and_names() {
    let container = read(&coff(&["a_long_name", "exit"]));
    let lists = &container.layout.lists;
    let symbols = lists.iter().find(|list| list.parts.len() == 2 && list.parts[0][0].len() == 18);
    let without = delete(&container, &lists[0].parts[0]);
    assert_eq!(without[20..25], *b".text");
    let symbol = without.windows(2).position(|it| it == [0, 1]).map(|at| at + 1);
    assert!(symbol.is_some());
    let relocations = lists.iter().find(|list| list.parts.iter().all(|part| part[0].len() == 10));
    let names = container.layout.payloads.iter().find(|names| names.len() == 17).unwrap();
    let name = names.start..names.start + 12;
    let gone = [&symbols.unwrap().parts[0][..], &relocations.unwrap().parts[0], &[name]].concat();
    assert_eq!(delete(&container, &gone), coff(&["exit"]));
}

/// A capture with some packets.
fn pcapng(packets: &[&[u8]]) -> Vec<u8> {
    let block = |kind: u32, body: &[u8]| {
        let length = (body.len() as u32 + 12).to_le_bytes();
        [&kind.to_le_bytes()[..], &length, body, &length].concat()
    };
    let first = [&0x1a2b_3c4d_u32.to_le_bytes()[..], &[1, 0, 0, 0], &[0xff; 8]].concat();
    let mut file = block(0x0a0d_0d0a, &first);
    for packet in packets {
        let length = (packet.len() as u32).to_le_bytes();
        let mut body = [&[0; 12][..], &length, &length, packet].concat();
        body.resize(body.len().next_multiple_of(4), 0);
        file.extend(block(6, &body));
    }
    file
}

#[test]
fn packets_are_padded_between_the_lengths_of_their_blocks() {
    let container = read(&pcapng(&[b"packet", b"another", b"four"]));
    let blocks = &container.layout.lists[0];
    assert_eq!(delete(&container, &blocks.parts[2]), pcapng(&[b"packet", b"four"]));
    let packet = &container.layout.payloads[1];
    let shorter = delete_span(&container, packet.start..packet.start + 3);
    assert_eq!(shorter, pcapng(&[b"ket", b"another", b"four"]));
}
