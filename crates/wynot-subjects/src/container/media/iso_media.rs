//! ISO base media: boxes with lengths, inside each other; tables of entries; samples and chunks with their places
//! (MP4, MOV, HEIC, AVIF, JPEG 2000).

use crate::container::byte_numbers::ByteOrder;
use crate::container::container_layout::FieldValue;
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use crate::container::media::iso_items::read_items;
use crate::container::media::iso_samples::SampleTable;
use std::ops::Range;

/// The kinds of boxes with which files begin.
const FIRST: &[&[u8]] = &[
    b"ftyp", b"styp", b"jP  ", b"moov", b"mdat", b"moof", b"free", b"skip", b"wide", b"pnot",
    b"sidx",
];

/// The kinds of boxes that consist of boxes, each with the bytes before these.
const NESTING: &[(&str, usize)] = &[
    (
        "moov trak mdia minf stbl edts dinf udta mvex moof traf mfra ilst iprp ipco tref gmhd wave sinf schi jp2h",
        0,
    ),
    ("res  asoc meco strk covr ----", 0),
    ("meta iref", 4),
    ("ipro iinf", 6),
    ("stsd dref", 8),
    ("mp4a ac-3 Opus fLaC enca", 28),
    ("avc1 avc3 hvc1 hev1 av01 vp09 mp4v encv", 78),
];

/// The kinds of boxes with the number of boxes in them, its position and its width.
const COUNTS: &[(&[u8], usize, usize)] =
    &[(b"ipro", 4, 2), (b"iinf", 4, 2), (b"stsd", 4, 4), (b"dref", 4, 4)];

/// The kinds of boxes that are tables, each with the position of the number of entries, that of the first entry, and the
/// bytes of an entry.
const TABLES: &[(&[u8], usize, usize, usize)] = &[
    (b"stts", 4, 8, 8),
    (b"ctts", 4, 8, 8),
    (b"stss", 4, 8, 4),
    (b"stsc", 4, 8, 12),
    (b"elst", 4, 8, 12),
    (b"sbgp", 8, 12, 8),
    (b"tfra", 12, 16, 19),
    (b"sidx", 28, 32, 12),
    (b"saio", 4, 8, 4),
];

/// Tables of more entries have no structure behind these.
const MAX_ENTRIES: usize = 1 << 20;

/// Boxes nest at most this deep.
const MAX_DEPTH: usize = 32;

/// A box of a file.
#[derive(Clone, Debug)]
struct MediaBox<'b> {
    kind: &'b [u8],
    span: Range<usize>,
    data: Range<usize>,
}

/// Reads a file that begins with a box of a known kind.
pub(crate) fn read_iso_media(builder: &mut LayoutBuilder, bytes: &[u8]) -> Option<()> {
    let mut file = FlatFile::new(builder, bytes, ByteOrder::Big);
    let first = bytes.get(4..8).filter(|kind| FIRST.contains(kind))?;
    let is_likely = |length: usize| length <= 1 || (8..=bytes.len()).contains(&length);
    file.number(0, 4).filter(|length| is_likely(*length) || first == b"mdat")?;
    let mut reader = BoxReader { builder, file: &mut file, fragment: 0 };
    reader.read_boxes(0..bytes.len(), 0);
    file.append(builder, 0);
    Some(())
}

/// What reads the boxes of a file.
struct BoxReader<'r, 'b> {
    builder: &'r mut LayoutBuilder,
    file: &'r mut FlatFile<'b>,
    /// The position of the last movie fragment.
    fragment: usize,
}

impl<'b> BoxReader<'_, 'b> {
    /// The box at the start of some bytes, if it is whole. A length of 0 stands for all that follows.
    fn next_box(&self, bytes: Range<usize>) -> Option<MediaBox<'b>> {
        let at = bytes.start;
        let kind = self.file.bytes.get(at + 4..at + 8)?;
        let (length, header) = match self.file.number(at, 4)? {
            0 => (bytes.len(), 8),
            1 => (self.file.number(at + 8, 8)?, 16),
            length => (length, 8),
        };
        let end = at.checked_add(length).filter(|end| length >= header && *end <= bytes.end)?;
        Some(MediaBox { kind, span: at..end, data: at + header..end })
    }

    /// Reads boxes one after the other, and returns them with their number. What is not whole has no structure.
    fn read_boxes(&mut self, bytes: Range<usize>, depth: usize) -> (u32, Vec<MediaBox<'b>>) {
        let list = self.builder.list(Vec::new());
        let mut boxes = Vec::new();
        let mut parts = Vec::new();
        let mut at = bytes.start;
        while let Some(found) = self.next_box(at..bytes.end) {
            match self.file.number(at, 4) {
                Some(0) => {}
                Some(1) => self.file.add_length(at + 8, 8, found.span.clone(), 1),
                _ => self.file.add_length(at, 4, found.span.clone(), 1),
            }
            self.read_box(&found, depth);
            parts.push(vec![self.file.span(found.span.clone())]);
            at = found.span.end;
            boxes.push(found);
        }
        self.builder.is_payload(self.file.span(at..bytes.end));
        self.builder.fill_list(list, parts);
        (list, boxes)
    }

    fn read_box(&mut self, found: &MediaBox<'b>, depth: usize) {
        let MediaBox { kind, span, data } = found;
        if *kind == b"moof" {
            self.fragment = span.start;
        }
        let is_kind = |kinds: &str| kinds.as_bytes().chunks(5).any(|it| it.get(..4) == Some(kind));
        let nesting = NESTING.iter().find(|(kinds, _)| is_kind(kinds));
        let count = COUNTS.iter().find(|(other, ..)| other == kind);
        let inner = nesting.and_then(|(_, before)| {
            // In QuickTime, these boxes have no version.
            let has_version = *kind != b"meta" || self.file.number(data.start, 4) == Some(0);
            let before = if has_version { *before } else { 0 };
            let inner = data.start.checked_add(before)?..data.end;
            let is_nesting = depth < MAX_DEPTH && self.next_box(inner.clone()).is_some();
            is_nesting.then_some(inner)
        });
        let table = TABLES.iter().find(|(other, ..)| other == kind);
        if let Some(inner) = inner {
            self.builder.is_payload(self.file.span(data.start..inner.start));
            let (list, boxes) = self.read_boxes(inner, depth + 1);
            if let Some((_, at, width)) = count {
                self.add_count(data.start + at, *width, (list, boxes.len()));
            }
            if *kind == b"stbl" {
                self.read_samples(&boxes);
            }
        } else if let Some((_, count, first, entry)) = table {
            self.read_table(data, (*count, *first, *entry));
        } else if *kind == b"trun" {
            self.read_run(data);
        } else if *kind == b"iloc" {
            read_items(self.builder, self.file, data.clone());
        } else if !matches!(*kind, b"stsz" | b"stco" | b"co64") {
            self.builder.is_payload(self.file.span(data.clone()));
        }
    }

    /// Says that a number is that of the parts of a list, if it is.
    fn add_count(&mut self, at: usize, width: usize, (list, count): (u32, usize)) {
        if self.file.number(at, width) == Some(count) {
            self.file.add(at, width, FieldValue::Count { list, times: 1, plus: 0 });
        }
    }

    /// Reads a table: its number of entries, and entries of some bytes.
    fn read_table(&mut self, data: &Range<usize>, (count, first, entry): (usize, usize, usize)) {
        let start = (data.start + first).min(data.end);
        let whole = ((data.end - start) / entry).min(MAX_ENTRIES);
        let entries = (0..whole).map(|index| start + index * entry);
        let parts = entries.map(|at| vec![self.file.span(at..at + entry)]).collect();
        let list = self.builder.list(parts);
        self.add_count(data.start + count, 4, (list, whole));
        self.builder.is_payload(self.file.span(data.start..start));
    }

    /// Reads a run of samples of a fragment, whose entries have as many numbers as the flags say.
    fn read_run(&mut self, data: &Range<usize>) {
        let flags = self.file.number(data.start, 4).unwrap_or_default();
        let optional = (flags & 5).count_ones() as usize * 4;
        let entry = (flags >> 8 & 15).count_ones() as usize * 4;
        let offset = data.start + 8;
        if let Some(distance) = self.file.number(offset, 4).filter(|_| flags & 1 == 1) {
            let of = self.fragment.saturating_add(distance);
            if of < self.file.bytes.len() && distance > 0 && distance < 1 << 31 {
                self.file.add_distance(offset, 4, of, self.fragment);
            }
        }
        match entry {
            0 => self.builder.is_payload(self.file.span(data.clone())),
            _ => self.read_table(data, (4, 8 + optional, entry)),
        }
    }

    /// Reads the tables of samples and chunks of a track; if these are not right, they are tables like others.
    fn read_samples(&mut self, boxes: &[MediaBox<'b>]) {
        let table = |kind: &[u8]| boxes.iter().find(|it| it.kind == kind).map(|it| it.data.clone());
        let chunks = table(b"stco").map(|data| (data, 4)).or(table(b"co64").map(|data| (data, 8)));
        let sizes = table(b"stsz");
        if let (Some(sizes), Some(map), Some(chunks)) = (&sizes, table(b"stsc"), &chunks)
            && let Some(table) = SampleTable::read(self.file, sizes.clone(), map, chunks.clone())
        {
            table.add(self.builder, self.file);
            return;
        }
        if let Some(sizes) = sizes {
            self.read_table(&sizes, (8, 12, 4));
        }
        if let Some((chunks, width)) = chunks {
            self.read_table(&chunks, (4, 8, width));
        }
    }
}
