//! PE and COFF, the programs and objects of Windows: sections with their headers and relocations, symbols, long names.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

/// Where a program has the offset of its header, and what its header begins with.
const HEADER_OFFSET: usize = 0x3c;
const SIGNATURE: &[u8] = b"PE\0\0";

/// The processors of objects, which have no signature.
const PROCESSORS: &[usize] = &[0x14c, 0x1c4, 0x8664, 0xaa64];

const HEADER_BYTES: usize = 20;
const SECTION_BYTES: usize = 40;
const SYMBOL_BYTES: usize = 18;
const RELOCATION_BYTES: usize = 10;

/// What reads a file.
struct PeReader<'r, 'b> {
    builder: &'r mut LayoutBuilder,
    file: FlatFile<'b>,
    /// Where the header is.
    at: usize,
    /// The list of symbols, each of which may have several records, and the number of records.
    records: (ListId, usize),
    sections: (ListId, usize),
}

/// Reads a file whose section headers are all there.
pub(crate) fn read_pe(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let mut file = FlatFile::new(builder, bytes, ByteOrder::Little);
    let mut at = 0;
    if bytes.starts_with(b"MZ") {
        let offset = file.number(HEADER_OFFSET, 4)?;
        at = offset.checked_add(SIGNATURE.len())?;
        bytes.get(offset..at).filter(|signature| *signature == SIGNATURE)?;
        file.add_offset(HEADER_OFFSET, 4, offset);
    } else {
        let is_object = PROCESSORS.contains(&file.number(0, 2)?) && file.number(16, 2)? == 0;
        file.number(8, 4).filter(|symbols| is_object && *symbols < bytes.len())?;
    }
    let count = file.number(at + 2, 2).filter(|count| *count > 0)?;
    let optional = at + HEADER_BYTES..at + HEADER_BYTES + file.number(at + 16, 2)?;
    let headers = optional.end..optional.end + count * SECTION_BYTES;
    file.has(&headers).then_some(())?;
    file.add_length(at + 16, 2, optional.clone(), 1);
    builder.is_payload(file.span(optional));
    let list = builder.list(Vec::new());
    let sections = (list, count);
    let mut reader = PeReader { builder, file, at, records: (0, 0), sections };
    reader.read_symbols();
    reader.read_sections(headers);
    reader.file.append(reader.builder, at + HEADER_BYTES);
    Some(())
}

impl PeReader<'_, '_> {
    fn number(&self, at: usize, width: usize) -> usize {
        self.file.number(at, width).unwrap_or_default()
    }

    /// Adds the number of parts of a list.
    fn add_count(&mut self, at: usize, width: usize, list: ListId) {
        self.file.add(at, width, FieldValue::Count { list, times: 1, plus: 0 });
    }

    /// Reads the table of symbols, and the long names behind it.
    fn read_symbols(&mut self) {
        let (start, count) = (self.number(self.at + 8, 4), self.number(self.at + 12, 4));
        let end = count.saturating_mul(SYMBOL_BYTES).saturating_add(start);
        if start == 0 || !self.file.has(&(start..end)) {
            return;
        }
        self.file.add_offset(self.at + 8, 4, start);
        let span = |at: usize, records: usize| self.file.span(at..at + records * SYMBOL_BYTES);
        let places = (start..end).step_by(SYMBOL_BYTES);
        let records = self.builder.counted_list(places.map(|at| vec![span(at, 1)]).collect());
        self.records = (records, count);
        let mut parts = Vec::new();
        let mut symbols = Vec::new();
        let mut at = start;
        while at < end {
            let left = (end - at) / SYMBOL_BYTES;
            let records = (1 + self.number(at + 17, 1)).min(left);
            parts.push(vec![span(at, records)]);
            symbols.push(at);
            at += records * SYMBOL_BYTES;
        }
        self.builder.list(parts);
        self.add_count(self.at + 12, 4, records);
        let names = end..end.saturating_add(self.number(end, 4));
        let has_names = names.len() >= 4 && self.file.has(&names);
        if has_names {
            self.file.add_length(end, 4, names.clone(), 1);
            self.builder.is_payload(self.file.span(names.start + 4..names.end));
        }
        for at in symbols {
            let section = self.number(at + 12, 2).wrapping_sub(1);
            if section < self.sections.1 {
                let value =
                    FieldValue::Number { list: self.sections.0, parts: vec![section as u32] };
                self.file.add(at + 12, 2, value);
            }
            let name = names.start + self.number(at + 4, 4);
            if has_names && self.number(at, 4) == 0 && name < names.end {
                self.file.add_distance(at + 4, 4, name, names.start);
            }
        }
    }

    /// A section goes with its header and its relocations, unless other sections share its data.
    fn read_sections(&mut self, headers: Range<usize>) {
        let mut parts = Vec::new();
        let mut end_of_data = 0;
        self.add_count(self.at + 2, 2, self.sections.0);
        for at in headers.step_by(SECTION_BYTES) {
            let mut part = vec![self.file.span(at..at + SECTION_BYTES)];
            let start = self.number(at + 20, 4);
            let data = start..start.saturating_add(self.number(at + 16, 4));
            if start > 0 && self.file.has(&data) && data.start >= end_of_data {
                end_of_data = data.end;
                self.file.add_length(at + 16, 4, data.clone(), 1);
                self.file.add_offset(at + 20, 4, data.start);
                part.push(self.file.span(data.clone()));
                self.builder.is_payload(self.file.span(data));
            }
            let (start, count) = (self.number(at + 24, 4), self.number(at + 32, 2));
            let relocations = start..start.saturating_add(count * RELOCATION_BYTES);
            if start > 0 && self.file.has(&relocations) && start >= end_of_data {
                end_of_data = relocations.end;
                self.file.add_offset(at + 24, 4, start);
                part.push(self.file.span(relocations.clone()));
                let list = self.read_relocations(relocations);
                self.add_count(at + 32, 2, list);
            }
            parts.push(part);
        }
        self.builder.fill_list(self.sections.0, parts);
    }

    /// Reads relocations, which refer to records of symbols.
    fn read_relocations(&mut self, bytes: Range<usize>) -> ListId {
        let mut parts = Vec::new();
        for at in bytes.step_by(RELOCATION_BYTES) {
            let (list, count) = self.records;
            let part = self.number(at + 4, 4);
            if part < count {
                self.file.add(at + 4, 4, FieldValue::Index { list, part: part as u32 });
            }
            parts.push(vec![self.file.span(at..at + RELOCATION_BYTES)]);
        }
        self.builder.list(parts)
    }
}
