//! Reductions of binary texts: lengths and checksums follow what goes, and what is proved holds for the plain bytes.

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::cell::Cell;
use std::io::{Read, Write};
use wynot_core::Outcome;
use wynot_reduce::{Atom, NoHooks, ReducedText, oracle_over_texts, reduce, refute};
use wynot_subjects::Language;

/// Reduces a text, checks what is proved, and returns the result and the number of tests.
fn reduced(text: &[u8], fails: impl Fn(&[u8]) -> bool) -> (Vec<u8>, u32) {
    assert!(fails(text));
    let language = Language::named("text").unwrap();
    let tests = Cell::new(0);
    let mut oracle = oracle_over_texts(|text: &[u8]| {
        tests.set(tests.get() + 1);
        Outcome::fails_if(fails(text))
    });
    let ReducedText { text, swept } = reduce(text, language, &NoHooks, &mut oracle).unwrap();
    assert!(fails(&text) && swept.contains(Atom::Byte));
    assert_eq!(refute(&text, language, &swept, &mut oracle).unwrap(), None);
    (text, tests.get())
}

fn has(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

fn gzip(contents: &[u8], level: u32) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    encoder.write_all(contents).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn a_compressed_text_is_reduced_inside() {
    let lines: String = (0..2000).map(|n| format!("line {n} of {}\n", n * n % 977)).collect();
    let contents = lines.replace("line 1234 ", "needle ");
    let contents_of = |text: &[u8]| {
        let mut contents = Vec::new();
        GzDecoder::new(text).read_to_end(&mut contents).ok().map(|_| contents)
    };
    let fails = |text: &[u8]| contents_of(text).is_some_and(|contents| has(&contents, b"needle"));
    let (text, tests) = reduced(&gzip(contents.as_bytes(), 1), fails);
    assert_eq!(contents_of(&text).unwrap(), b"needle");
    assert!(text.len() <= 26 && tests < 2000, "{} bytes, {tests} tests", text.len());
}

/// A compressed text that only its old compression keeps: the larger, new one is given up.
#[test]
fn a_view_that_is_no_gain_is_given_up() {
    let text = gzip(&[7; 3000], 9);
    let whole = text.clone();
    let longer = gzip(&[7; 3000], 0);
    let (result, _) = reduced(&text, |text| text == whole || text == longer);
    assert_eq!(result, whole);
}

/// Records with a tag and a length, and a checksum at the end.
fn records(list: &[(u8, Vec<u8>)]) -> Vec<u8> {
    let mut text = b"MAGIC\0\x01\0".to_vec();
    for (tag, data) in list {
        text.extend([*tag, 0]);
        text.extend((data.len() as u16).to_le_bytes());
        text.extend(data);
    }
    text.extend(crc32fast::hash(&text).to_be_bytes());
    text
}

fn read_records(text: &[u8]) -> Option<Vec<(u8, Vec<u8>)>> {
    let (body, crc) = text.split_last_chunk::<4>()?;
    if u32::from_be_bytes(*crc) != crc32fast::hash(body) {
        return None;
    }
    let mut rest = body.strip_prefix(b"MAGIC\0\x01\0")?;
    let mut list = Vec::new();
    while !rest.is_empty() {
        let ([tag, _, low, high], after) = rest.split_first_chunk::<4>()?;
        let (data, after) =
            after.split_at_checked(usize::from(u16::from_le_bytes([*low, *high])))?;
        list.push((*tag, data.to_vec()));
        rest = after;
    }
    Some(list)
}

#[test]
fn records_of_an_unknown_format_go_with_their_lengths_and_the_checksum() {
    let list: Vec<(u8, Vec<u8>)> = (0..300u16)
        .map(|n| ((n % 5) as u8, vec![(n % 251) as u8; 20 + usize::from(n % 60)]))
        .collect();
    let fails = |text: &[u8]| {
        read_records(text)
            .is_some_and(|list| list.iter().any(|(tag, data)| *tag == 3 && has(data, &[83, 83])))
    };
    let (text, tests) = reduced(&records(&list), fails);
    assert_eq!(text, records(&[(3, vec![83, 83])]));
    assert!(tests < 1000, "{tests} tests");
}

#[test]
fn stretches_of_any_length_and_place_go_at_the_end() {
    let mut text = b"\0\x01\x02".to_vec();
    for n in 0..40u8 {
        text.extend([0xfe, n, n ^ 0x55, 3, n.wrapping_mul(7)]);
    }
    let fails = |text: &[u8]| {
        let records = text.strip_prefix(b"\0\x01\x02").map(|rest| rest.chunks(5));
        records.is_some_and(|mut records| {
            let is_whole =
                records.clone().all(|it| it.len() == 5 && it[0] == 0xfe && it[2] == it[1] ^ 0x55);
            is_whole && records.any(|it| it[1] == 23)
        })
    };
    let (text, _) = reduced(&text, fails);
    assert_eq!(text.len(), 8);
}
