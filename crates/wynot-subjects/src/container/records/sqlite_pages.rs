//! Pages of trees in databases of SQLite: cells with their pointers, free space between both, and the columns of rows.

use crate::container::byte_numbers::big_varint;
use crate::container::container_layout::FieldValue;
use crate::container::field_notation::FieldNotation;
use crate::container::records::sqlite_cells::{Cell, PageHeader, seam_of_page};
use crate::container::records::sqlite_file::{Database, TreeKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// The column of a schema in which the root of a table is.
const ROOT_COLUMN: usize = 3;

/// In files with more bytes than this, pages of rows have no structure, until less is left.
const MAX_BYTES_WITH_CELLS: usize = 64 << 20;

/// In files with more bytes than this, rows have no structure.
const MAX_BYTES_WITH_COLUMNS: usize = 8 << 20;

const LENGTH: FieldNotation = FieldNotation::BigVarint { times: 1, plus: 0 };

/// Adds a cell to those of a page, each with its end; `false` if it overlaps one of them.
fn add_cell(cells: &mut BTreeMap<usize, usize>, cell: &Range<usize>) -> bool {
    let before = cells.range(..cell.end).next_back();
    let is_free = before.is_none_or(|(_, end)| *end <= cell.start);
    if is_free {
        cells.insert(cell.start, cell.end);
    }
    is_free
}

impl Database<'_, '_> {
    /// Reads a page of a tree, if it is one.
    pub(crate) fn read_page(&mut self, page: usize, kind: TreeKind) {
        let Some(header) = PageHeader::read(self.file.bytes, page - 1, self.page_bytes) else {
            return;
        };
        let is_large = self.file.bytes.len() > MAX_BYTES_WITH_CELLS;
        if is_large && kind == TreeKind::Table && !header.is_interior() {
            return;
        }
        let PageHeader { at, pointers, content, .. } = header.clone();
        let span = self.page(page);
        let list = self.builder.list(Vec::new());
        self.file.add(at + 3, 2, FieldValue::Count { list, times: 1, plus: 0 });
        self.file.add_distance(at + 5, 2, content, span.start);
        self.add_free_blocks(at + 1, &span);
        let free = pointers.end..content;
        let is_seam = seam_of_page(self.file.bytes, page - 1, self.page_bytes).is_some();
        if is_seam {
            self.builder.is_payload(self.file.span(free.clone()));
        }
        let padding = if is_seam { free.start..free.start } else { free };
        self.file.add_padding(padding, 0, span.clone(), self.page_bytes);
        let mut parts = Vec::new();
        let mut children = Vec::new();
        let mut cells = BTreeMap::new();
        for pointer in pointers.step_by(2) {
            let mut part: Vec<Range<usize>> = Vec::new();
            part.push(pointer..pointer + 2);
            let start = self.file.number(pointer, 2).map(|offset| span.start + offset);
            let start = start.filter(|start| *start >= content);
            let cell = start.and_then(|start| header.cell(self.file.bytes, start, self.usable));
            // Cells that overlap are not read twice.
            if let Some(cell) = cell.filter(|cell| add_cell(&mut cells, &cell.span)) {
                self.file.add_distance(pointer, 2, cell.span.start, span.start);
                part.push(cell.span.clone());
                if let Some(child) = self.add_child(&header, cell.span.start) {
                    children.push(child);
                    part.iter().for_each(|bytes| self.add_owned(child, bytes.clone()));
                }
                part.extend(cell.overflow.map(|at| self.overflow_pages(at)).unwrap_or_default());
                let root = self.read_payload(&cell, kind);
                self.roots.extend(root.map(|root| (root, list, parts.len())));
            }
            parts.push(part);
        }
        children.extend(self.add_child(&header, at + 8));
        self.children.insert(page, children);
        self.cells.insert(list, parts);
    }

    /// The page whose number is at a position, if the page with a header has pages below it.
    fn add_child(&mut self, header: &PageHeader, at: usize) -> Option<usize> {
        header.is_interior().then(|| self.add_page_number(at, 4)).flatten()
    }

    /// Reads the chain of free blocks among cells, each of which begins with the offset of the next one.
    fn add_free_blocks(&mut self, mut at: usize, page: &Range<usize>) {
        let mut last = page.start;
        while let Some(offset) = self.file.number(at, 2) {
            let block = page.start + offset;
            if block <= last || block + 4 > page.end {
                break;
            }
            self.file.add_distance(at, 2, block, page.start);
            (at, last) = (block, block);
        }
    }

    /// The pages with the rest of a payload, each of which begins with the number of the next one.
    fn overflow_pages(&mut self, mut at: usize) -> Vec<Range<usize>> {
        let mut pages = Vec::new();
        while let Some(page) = self.add_page_number(at, 4) {
            let span = self.page(page);
            at = span.start;
            pages.push(span);
        }
        pages
    }

    /// Reads the payload of a cell: a header with a type for each column, and their values. A column is a part. Returns the
    /// root of a table, if the row names one.
    fn read_payload(&mut self, cell: &Cell, kind: TreeKind) -> Option<usize> {
        let is_large = self.file.bytes.len() > MAX_BYTES_WITH_COLUMNS && kind == TreeKind::Table;
        let payload = cell.payload.clone().filter(|_| !is_large)?;
        let bytes = self.file.bytes.get(..payload.end)?;
        let (header, mut at) = big_varint(bytes, payload.start)?;
        let header = payload.start..payload.start.checked_add(header)?;
        let mut value = Some(header.end).filter(|end| *end <= payload.end)?;
        self.add_varint(cell.length.clone(), payload.clone(), LENGTH);
        self.add_varint(header.start..at, header.clone(), LENGTH);
        let list = self.builder.list(Vec::new());
        let mut root = None;
        let mut parts = Vec::new();
        while at < header.end {
            let (code, next) = big_varint(bytes, at)?;
            let length = match code {
                0 | 8 | 9 => 0,
                1..=4 => code,
                5 => 6,
                6 | 7 => 8,
                10 | 11 => return None,
                _ => (code - 12) / 2,
            };
            let data = value..value.checked_add(length).filter(|end| *end <= payload.end)?;
            let serial = at..next;
            if kind == TreeKind::Schema && parts.len() == ROOT_COLUMN && (1..=6).contains(&code) {
                root = self.add_page_number(data.start, length);
            } else if code >= 12 {
                let plus = 12 + (code % 2) as u8;
                let notation = FieldNotation::BigVarint { times: 2, plus };
                self.add_varint(serial.clone(), data.clone(), notation);
            }
            if !data.is_empty() {
                self.builder.is_payload(self.file.span(data.clone()));
            }
            (at, value) = (next, data.end);
            parts.push([serial, data].map(|bytes| self.file.span(bytes)).to_vec());
        }
        self.builder.fill_list(list, parts);
        root
    }

    /// Adds a field that is the length of some bytes, if it is written as it would be.
    fn add_varint(&mut self, field: Range<usize>, of: Range<usize>, notation: FieldNotation) {
        if notation.written(of.len() as u64, &[]) == self.file.bytes[field.clone()] {
            let value = FieldValue::Length { of: self.file.target(of), plus: 0, unit: 1 };
            self.file.add_written(field.start, field.len(), notation, value);
        }
    }
}
