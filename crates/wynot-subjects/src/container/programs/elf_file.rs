//! ELF: sections with their headers, and segments.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::programs::elf_tables::{ElfSection, ElfSections};
use std::ops::Range;

/// Where the fields of headers are: those of files with 32 bits and those with 64 bits.
#[derive(Debug)]
struct Positions {
    /// The bytes of an offset or a length.
    word: usize,
    program_offset: usize,
    section_offset: usize,
    program_entry: usize,
    /// Of a program header: offset and length of its data.
    segment: [usize; 2],
    /// Of a section header: offset, length, linked section, and length of an entry.
    section: [usize; 4],
}

const OF_32_BITS: Positions = Positions {
    word: 4,
    program_offset: 28,
    section_offset: 32,
    program_entry: 42,
    segment: [4, 16],
    section: [16, 20, 24, 36],
};

const OF_64_BITS: Positions = Positions {
    word: 8,
    program_offset: 32,
    section_offset: 40,
    program_entry: 54,
    segment: [8, 32],
    section: [24, 32, 40, 56],
};

/// The type of sections without data in the file.
const NO_BITS: usize = 8;

/// A table of headers.
#[derive(Clone, Copy, Debug)]
struct Headers {
    offset: usize,
    bytes: usize,
    count: usize,
}

/// Reads a file: whatever of its headers is there.
pub(crate) fn read_elf(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    if !bytes.starts_with(b"\x7fELF") {
        return None;
    }
    let positions = if *bytes.get(4)? == 1 { &OF_32_BITS } else { &OF_64_BITS };
    let order = if *bytes.get(5)? == 2 { ByteOrder::Big } else { ByteOrder::Little };
    let mut file = FlatFile::new(builder, bytes, order);
    let headers = |offset: usize, entry: usize| {
        let offset = file.number(offset, positions.word)?;
        let (bytes, count) = (file.number(entry, 2)?, file.number(entry + 2, 2)?);
        let is_there = offset > 0 && bytes > 0 && count > 0;
        is_there.then_some(Headers { offset, bytes, count })
    };
    let entry = positions.program_entry;
    let programs = headers(positions.program_offset, entry);
    let sections = headers(positions.section_offset, entry + 4);
    if let Some(sections) = sections {
        file.add_offset(positions.section_offset, positions.word, sections.offset);
        read_sections(builder, &mut file, sections, positions);
    }
    if let Some(programs) = programs {
        file.add_offset(positions.program_offset, positions.word, programs.offset);
        read_segments(builder, &mut file, programs, positions);
    }
    let is_known = sections.is_some() || programs.is_some();
    is_known.then(|| file.append(builder, positions.program_entry + 10))
}

impl Headers {
    /// The headers that lie in the file.
    fn spans(self, file: &FlatFile<'_>) -> Vec<Range<usize>> {
        let span = |index: usize| {
            let start = self.offset.checked_add(index * self.bytes)?;
            Some(start..start.checked_add(self.bytes)?).filter(|span| file.has(span))
        };
        (0..self.count).map_while(span).collect()
    }
}

/// A section goes with its header, unless other sections share its data.
fn read_sections(
    builder: &mut LayoutBuilder,
    file: &mut FlatFile<'_>,
    headers: Headers,
    positions: &Positions,
) {
    let [offset, length, link, entry] = positions.section;
    let spans = headers.spans(file);
    let list = builder.list(Vec::new());
    let mut parts = Vec::new();
    let mut end_of_data = 0;
    let mut sections = Vec::new();
    for (index, header) in spans.iter().enumerate() {
        let at = header.start;
        let mut part = vec![file.span(header.clone())];
        let kind = file.number(at + 4, 4).unwrap_or_default();
        let data = data_of(file, (at + offset, at + length), positions.word);
        if let Some(data) = data.filter(|_| kind != NO_BITS && kind != 0) {
            file.add_offset(at + offset, positions.word, data.start);
            file.add_length(at + length, positions.word, data.clone(), 1);
            if data.start >= end_of_data {
                end_of_data = data.end;
                part.push(file.span(data.clone()));
                builder.is_payload(file.span(data.clone()));
                let entry = file.number(at + entry, positions.word).unwrap_or_default();
                let (link, info) = (file.number(at + link, 4).unwrap_or_default(), at + link + 4);
                sections.push(ElfSection { index, kind, data, entry, link, info });
            }
        }
        let linked = file.number(at + link, 4).filter(|linked| *linked > 0);
        if let Some(linked) = linked.filter(|linked| *linked < spans.len()) {
            file.add(at + link, 4, FieldValue::Index { list, part: linked as u32 });
        }
        parts.push(part);
    }
    let names_at = positions.program_entry + 8;
    let names = file.number(names_at, 2).filter(|part| *part < spans.len());
    if spans.len() == headers.count {
        count_headers(file, positions.program_entry + 6, list);
        if let Some(names) = names {
            file.add(names_at, 2, FieldValue::Index { list, part: names as u32 });
        }
    }
    builder.fill_list(list, parts);
    let (names, count) = (names.unwrap_or_default(), spans.len());
    let is_64_bit = positions.word == 8;
    ElfSections { list, count, is_64_bit, sections, headers: spans, names }
        .read_tables(builder, file);
}

/// A segment is its header alone: its data belong to sections.
fn read_segments(
    builder: &mut LayoutBuilder,
    file: &mut FlatFile<'_>,
    headers: Headers,
    positions: &Positions,
) {
    let [offset, length] = positions.segment;
    let spans = headers.spans(file);
    for header in &spans {
        let at = header.start;
        let data = data_of(file, (at + offset, at + length), positions.word);
        if let Some(data) = data {
            file.add_offset(at + offset, positions.word, data.start);
            file.add_length(at + length, positions.word, data.clone(), 1);
            builder.is_payload(file.span(data));
        }
    }
    let list = builder.list(spans.iter().map(|span| vec![file.span(span.clone())]).collect());
    if spans.len() == headers.count {
        count_headers(file, positions.program_entry + 2, list);
    }
}

fn count_headers(file: &mut FlatFile<'_>, at: usize, list: ListId) {
    file.add(at, 2, FieldValue::Count { list, times: 1, plus: 0 });
}

/// The data that an offset and a length describe, if they lie in the file.
fn data_of(
    file: &FlatFile<'_>,
    (offset, length): (usize, usize),
    word: usize,
) -> Option<Range<usize>> {
    let start = file.number(offset, word)?;
    let data = start..start.checked_add(file.number(length, word)?)?;
    (file.has(&data) && !data.is_empty()).then_some(data)
}
