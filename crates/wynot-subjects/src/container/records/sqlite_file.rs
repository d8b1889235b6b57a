//! Databases of SQLite: pages, which others refer to by number, and the list of free pages. A table goes with its pages.

use crate::container::byte_numbers::ByteOrder;
use crate::container::byte_numbers::number;
use crate::container::container_layout::{FieldValue, ListId};
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::{LayoutBuilder, Opening};
use crate::container::records::sqlite_cells::{HEADER_BYTES, seam_of_page};
use crate::container::records::sqlite_shrinking::with_small_pages;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

const MAGIC: &[u8] = b"SQLite format 3\0";

const PAGE_BYTES: usize = 16;
const RESERVED_BYTES: usize = 20;
const PAGE_COUNT: usize = 28;
const FIRST_FREE_PAGE: usize = 32;
const FREE_PAGES: usize = 36;

/// Trees are at most this deep.
const MAX_TREE_DEPTH: usize = 8;

/// Pages at most this far below a page can stand for it.
const MAX_HEIR_DEPTH: usize = 2;

/// What a tree consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TreeKind {
    /// The rows that name tables and indices with their roots.
    Schema,
    Table,
}

/// A field that is the number of a page.
#[derive(Clone, Debug)]
struct PageNumber {
    at: usize,
    width: usize,
    page: usize,
    /// Whether this is the first field that refers to the page.
    is_first: bool,
}

/// What reads a database.
pub(crate) struct Database<'r, 'b> {
    pub(crate) builder: &'r mut LayoutBuilder,
    pub(crate) file: FlatFile<'b>,
    /// The bytes of a page, and those that are not reserved.
    pub(crate) page_bytes: usize,
    pub(crate) usable: usize,
    pages: usize,
    numbers: Vec<PageNumber>,
    /// For each page, those that can stand for it if it is gone.
    pub(crate) children: BTreeMap<usize, Vec<usize>>,
    /// For each page, what goes with it.
    owners: BTreeMap<usize, Vec<Range<usize>>>,
    /// The pages that a field refers to, so that each is read once.
    referred: BTreeSet<usize>,
    /// The roots of tables, each with the list and the index of its row.
    pub(crate) roots: Vec<(usize, ListId, usize)>,
    /// Lists of cells that are filled at the end.
    pub(crate) cells: BTreeMap<ListId, Vec<Vec<Range<usize>>>>,
}

/// Reads a file whose header is right.
pub(crate) fn read_sqlite(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let order = ByteOrder::Big;
    let header = bytes.get(..HEADER_BYTES).filter(|header| header.starts_with(MAGIC))?;
    let page_bytes = match number(header, PAGE_BYTES, 2, order)? {
        1 => 1 << 16,
        bytes => Some(bytes).filter(|bytes| *bytes >= 512 && bytes.is_power_of_two())?,
    };
    let reserved = usize::from(header[RESERVED_BYTES]);
    let smaller = (builder.opening == Opening::Stored)
        .then(|| with_small_pages(bytes, page_bytes, reserved))
        .flatten();
    match smaller {
        Some(bytes) => {
            let page_bytes = number(&bytes, PAGE_BYTES, 2, order)?;
            read_database(builder, &bytes, page_bytes, page_bytes)
        }
        None => read_database(builder, bytes, page_bytes, page_bytes - reserved),
    }
}

/// Reads a file with pages of some bytes, of which some are not reserved.
fn read_database(
    builder: &mut LayoutBuilder,
    bytes: &[u8],
    page_bytes: usize,
    usable: usize,
) -> Option<()> {
    let pages = bytes.len() / page_bytes;
    let seams = (0..pages).filter_map(|index| seam_of_page(bytes, index, page_bytes));
    let file = FlatFile::with_seams(builder, bytes, ByteOrder::Big, seams.collect());
    let mut database = Database {
        builder,
        file,
        page_bytes,
        usable,
        pages,
        numbers: Vec::new(),
        children: BTreeMap::new(),
        owners: BTreeMap::new(),
        referred: [1].into_iter().collect(),
        roots: Vec::new(),
        cells: BTreeMap::new(),
    };
    if pages == 0 || usable < 480 {
        return None;
    }
    database.read_tree(1, TreeKind::Schema);
    let list = database.builder.list(Vec::new());
    database.read_tables();
    database.read_free_pages();
    database.finish(list);
    database.file.append(database.builder, HEADER_BYTES);
    Some(())
}

impl Database<'_, '_> {
    /// The bytes of a page, which are numbered from 1.
    pub(crate) fn page(&self, number: usize) -> Range<usize> {
        (number - 1) * self.page_bytes..number * self.page_bytes
    }

    /// Says that a number is that of a page, if there is one; returns it if nothing else has referred to it.
    pub(crate) fn add_page_number(&mut self, at: usize, width: usize) -> Option<usize> {
        let page = self.file.number(at, width).filter(|page| (1..=self.pages).contains(page))?;
        let is_first = self.referred.insert(page);
        self.numbers.push(PageNumber { at, width, page, is_first });
        is_first.then_some(page)
    }

    /// Says that some bytes go with a page.
    pub(crate) fn add_owned(&mut self, page: usize, bytes: Range<usize>) {
        self.owners.entry(page).or_default().push(bytes);
    }

    /// Reads a tree, and returns its pages.
    fn read_tree(&mut self, root: usize, kind: TreeKind) -> Vec<usize> {
        let mut pages = Vec::new();
        let mut pending = vec![(root, 0)];
        while let Some((page, depth)) = pending.pop() {
            if depth < MAX_TREE_DEPTH {
                pages.push(page);
                self.read_page(page, kind);
                let children = self.children.get(&page).into_iter().flatten();
                pending.extend(children.map(|child| (*child, depth + 1)));
            }
        }
        pages
    }

    /// The tables and indices. The row of one goes with all its pages.
    fn read_tables(&mut self) {
        for (root, list, index) in std::mem::take(&mut self.roots) {
            let pages = self.read_tree(root, TreeKind::Table);
            let mut spans: Vec<Range<usize>> = pages.iter().map(|page| self.page(*page)).collect();
            if let Some(part) = self.cells.get_mut(&list).and_then(|parts| parts.get_mut(index)) {
                part.append(&mut spans);
            }
        }
    }

    /// The list of free pages: pages with the numbers of the next such page and of others.
    fn read_free_pages(&mut self) {
        let mut free = Vec::new();
        let mut before: Option<usize> = None;
        let mut next = self.add_page_number(FIRST_FREE_PAGE, 4);
        while let Some(trunk) = next {
            if let Some(before) = before {
                self.children.insert(before, vec![trunk]);
            }
            let at = self.page(trunk).start;
            let first = at + 8;
            let most = (self.usable - 8) / 4;
            let count = self.file.number(at + 4, 4).filter(|count| *count <= most);
            let mut entries = Vec::new();
            for entry in (0..count.unwrap_or_default()).map(|index| first + index * 4) {
                let mut part = Vec::new();
                part.push(entry..entry + 4);
                if let Some(page) = self.add_page_number(entry, 4) {
                    self.add_owned(page, entry..entry + 4);
                    part.push(self.page(page));
                    free.push(vec![self.file.span(self.page(page))]);
                }
                entries.push(part.into_iter().map(|bytes| self.file.span(bytes)).collect());
            }
            let list = self.builder.list(entries);
            if count.is_some() {
                self.file.add(at + 4, 4, FieldValue::Count { list, times: 1, plus: 0 });
                let rest = first + count.unwrap_or_default() * 4..self.page(trunk).end;
                self.file.add_padding(rest, 0, self.page(trunk), self.page_bytes);
            }
            free.push(vec![self.file.span(self.page(trunk))]);
            before = Some(trunk);
            next = self.add_page_number(at, 4);
        }
        if self.file.number(FREE_PAGES, 4) == Some(free.len()) {
            let list = self.builder.counted_list(free);
            self.file.add(FREE_PAGES, 4, FieldValue::Count { list, times: 1, plus: 0 });
        }
    }

    /// Adds the pages as parts, and the fields that depend on them.
    fn finish(&mut self, list: ListId) {
        let spans = |page: usize| vec![self.file.span(self.page(page))];
        let slots = self.builder.counted_list((1..=self.pages).map(spans).collect());
        if self.file.number(PAGE_COUNT, 4) == Some(self.pages) {
            let value = FieldValue::Count { list: slots, times: 1, plus: 0 };
            self.file.add(PAGE_COUNT, 4, value);
        }
        for PageNumber { at, width, page, is_first } in std::mem::take(&mut self.numbers) {
            let mut parts = Vec::new();
            self.add_heirs(page, if is_first { 0 } else { MAX_HEIR_DEPTH }, &mut parts);
            self.file.add(at, width, FieldValue::Number { list: slots, parts });
        }
        let mut parts = Vec::new();
        for page in 2..=self.pages {
            let owned = self.owners.remove(&page).unwrap_or_default();
            let bytes = owned.into_iter().chain([self.page(page)]);
            parts.push(bytes.map(|bytes| self.file.span(bytes)).collect());
            if !self.children.contains_key(&page) {
                self.builder.is_payload(self.file.span(self.page(page)));
            }
        }
        self.builder.fill_list(list, parts);
        for (list, cells) in std::mem::take(&mut self.cells) {
            let part = |part: Vec<Range<usize>>| -> Vec<Range<u32>> {
                part.into_iter().map(|bytes| self.file.span(bytes)).collect()
            };
            self.builder.fill_list(list, cells.into_iter().map(part).collect());
        }
    }

    /// A page, and those that can stand for it if it is gone: the pages below it in their order.
    fn add_heirs(&self, page: usize, depth: usize, heirs: &mut Vec<u32>) {
        heirs.push(page as u32 - 1);
        if depth < MAX_HEIR_DEPTH {
            for child in self.children.get(&page).into_iter().flatten() {
                self.add_heirs(*child, depth + 1, heirs);
            }
        }
    }
}
