//! Tables in sections of ELF files: symbols, which refer to names and sections by numbers, relocations, which refer to
//! symbols, and the names.

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::collections::BTreeMap;
use std::ops::Range;

/// Entries of tables have at least this number of bytes.
const MIN_ENTRY_BYTES: usize = 8;

const RELOCATIONS_WITH_ADDENDS: usize = 4;
const DYNAMIC_ENTRIES: usize = 6;
const RELOCATIONS: usize = 9;
const SYMBOLS: &[usize] = &[2, 11];

/// A section with data in the file.
#[derive(Clone, Debug)]
pub(crate) struct ElfSection {
    /// Its index among all sections.
    pub index: usize,
    pub kind: usize,
    pub data: Range<usize>,
    /// The bytes of an entry, if it is a table.
    pub entry: usize,
    /// The section that it refers to, and where another such number is.
    pub link: usize,
    pub info: usize,
}

/// The sections of a file.
#[derive(Debug)]
pub(crate) struct ElfSections {
    /// The list of all sections, and their number.
    pub list: ListId,
    pub count: usize,
    pub is_64_bit: bool,
    pub sections: Vec<ElfSection>,
    /// Where the headers are, and the section with their names.
    pub headers: Vec<Range<usize>>,
    pub names: usize,
}

impl ElfSections {
    fn data_of(&self, index: usize) -> Option<&Range<usize>> {
        let place = self.sections.binary_search_by_key(&index, |section| section.index);
        place.ok().map(|place| &self.sections[place].data)
    }

    /// Adds the entries of all tables as parts, and the numbers that depend on other parts.
    pub(crate) fn read_tables(&self, builder: &mut LayoutBuilder, file: &mut FlatFile<'_>) {
        let mut symbols: BTreeMap<usize, (ListId, usize)> = BTreeMap::new();
        let mut names = vec![self.names];
        for section in &self.sections {
            let ElfSection { kind, entry, ref data, .. } = *section;
            let is_symbols = SYMBOLS.contains(&kind);
            let is_table = is_symbols
                || matches!(kind, RELOCATIONS_WITH_ADDENDS | DYNAMIC_ENTRIES | RELOCATIONS);
            if !is_table || entry < MIN_ENTRY_BYTES || !data.len().is_multiple_of(entry) {
                continue;
            }
            let entries = data.clone().step_by(entry).map(|at| vec![file.span(at..at + entry)]);
            let list = builder.list(entries.collect());
            if is_symbols {
                self.add_symbols(file, section, list);
                symbols.insert(section.index, (list, data.len() / entry));
                names.push(section.link);
            }
        }
        for section in &self.sections {
            if matches!(section.kind, RELOCATIONS_WITH_ADDENDS | RELOCATIONS)
                && let Some((list, count)) = symbols.get(&section.link)
            {
                self.add_relocations(file, section, (*list, *count));
            }
        }
        for header in &self.headers {
            self.add_name(file, header.start, self.names);
        }
        names.sort_unstable();
        names.dedup();
        for data in names.into_iter().filter_map(|index| self.data_of(index)) {
            let mut at = data.start;
            let ends = data.clone().filter(|at| file.bytes[*at] == 0).map(|at| at + 1);
            let strings = ends.map(|end| vec![file.span(std::mem::replace(&mut at, end)..end)]);
            builder.list(strings.collect());
        }
    }

    /// Says that a number is the offset of a name in a section, if the name is there.
    fn add_name(&self, file: &mut FlatFile<'_>, at: usize, names: usize) {
        if let (Some(names), Some(offset)) = (self.data_of(names), file.number(at, 4))
            && offset < names.len()
        {
            file.add_distance(at, 4, names.start + offset, names.start);
        }
    }

    /// Says that a number is that of a section.
    fn add_section(&self, file: &mut FlatFile<'_>, at: usize, width: usize) {
        let part = file.number(at, width).filter(|part| (1..self.count).contains(part));
        if let Some(part) = part {
            let value = FieldValue::Index { list: self.list, part: part as u32 };
            file.add(at, width, value);
        }
    }

    fn add_symbols(&self, file: &mut FlatFile<'_>, section: &ElfSection, list: ListId) {
        // The number of local symbols, which come first.
        let count = section.data.len() / section.entry;
        if let Some(part) = file.number(section.info, 4).filter(|part| *part <= count) {
            file.add(section.info, 4, FieldValue::Index { list, part: part as u32 });
        }
        for at in section.data.clone().step_by(section.entry) {
            self.add_name(file, at, section.link);
            self.add_section(file, at + if self.is_64_bit { 6 } else { 14 }, 2);
        }
    }

    /// The highest bits of the second word of a relocation are the number of a symbol.
    fn add_relocations(
        &self,
        file: &mut FlatFile<'_>,
        section: &ElfSection,
        (list, count): (ListId, usize),
    ) {
        self.add_section(file, section.info, 4);
        let (offset, width) = match (self.is_64_bit, file.order) {
            (true, ByteOrder::Little) => (12, 4),
            (true, ByteOrder::Big) => (8, 4),
            (false, ByteOrder::Little) => (5, 3),
            (false, ByteOrder::Big) => (4, 3),
        };
        for at in section.data.clone().step_by(section.entry.max(MIN_ENTRY_BYTES)) {
            let part = file.number(at + offset, width).filter(|part| (1..count).contains(part));
            if let Some(part) = part {
                let value = FieldValue::Index { list, part: part as u32 };
                file.add(at + offset, width, value);
            }
        }
    }
}
