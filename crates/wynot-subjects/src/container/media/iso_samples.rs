//! The samples of a track of ISO base media: a sample goes with its length, a chunk of samples with its offset and the
//! lengths of its samples.

use crate::container::container_layout::FieldValue;
use crate::container::flat_file::FlatFile;
use crate::container::layout_builder::LayoutBuilder;
use std::ops::Range;

/// The bytes before the entries: of lengths, of runs of chunks, of offsets of chunks.
const SIZES_HEADER: usize = 12;
const MAP_HEADER: usize = 8;
const CHUNKS_HEADER: usize = 8;

/// Tracks of more samples or chunks are not read.
const MAX_SAMPLES: usize = 1 << 20;

/// A chunk: the position of its offset, its data, and its samples.
#[derive(Clone, Debug)]
struct Chunk {
    at: usize,
    data: Range<usize>,
    samples: Range<usize>,
}

/// The samples and the chunks of a track.
#[derive(Clone, Debug)]
pub(crate) struct SampleTable {
    /// Where the lengths of the samples begin.
    sizes: usize,
    /// Where the numbers of samples and chunks are.
    counts: [usize; 2],
    /// The bytes of an offset.
    width: usize,
    chunks: Vec<Chunk>,
    samples: Vec<Range<usize>>,
}

impl SampleTable {
    /// Reads the tables of lengths, of runs of chunks and of offsets; `None` if they are not about the same samples, or
    /// about bytes that are not there.
    pub(crate) fn read(
        file: &FlatFile<'_>,
        sizes: Range<usize>,
        map: Range<usize>,
        (offsets, width): (Range<usize>, usize),
    ) -> Option<Self> {
        let number = |at: usize| file.number(at, 4);
        let counts = [sizes.start + 8, offsets.start + 4];
        let samples = number(counts[0]).filter(|count| *count <= MAX_SAMPLES)?;
        let chunks = number(counts[1]).filter(|count| *count <= MAX_SAMPLES)?;
        let has = |data: &Range<usize>, header: usize, count: usize, entry: usize| {
            count.checked_mul(entry).and_then(|it| it.checked_add(header)) == Some(data.len())
        };
        let runs = number(map.start + 4)?;
        if number(sizes.start + 4)? != 0
            || !has(&sizes, SIZES_HEADER, samples, 4)
            || !has(&map, MAP_HEADER, runs, 12)
            || !has(&offsets, CHUNKS_HEADER, chunks, width)
        {
            return None;
        }
        let first = sizes.start + SIZES_HEADER;
        let mut table = Self { sizes: first, counts, width, chunks: vec![], samples: vec![] };
        let mut run = 0;
        for index in 0..chunks {
            let run_at = |run: usize| map.start + MAP_HEADER + run * 12;
            while run + 1 < runs && number(run_at(run + 1))? <= index + 1 {
                run += 1;
            }
            let at = offsets.start + CHUNKS_HEADER + index * width;
            let (start, from) = (file.number(at, width)?, table.samples.len());
            let mut end = start;
            let to = from.checked_add(number(run_at(run) + 4)?).filter(|to| *to <= samples)?;
            for sample in from..to {
                let next = end.checked_add(number(first + sample * 4)?)?;
                table.samples.push(end..next);
                end = next;
            }
            let data = Some(start..end).filter(|data| file.has(data))?;
            table.chunks.push(Chunk { at, data, samples: from..to });
        }
        (table.samples.len() == samples).then_some(table)
    }

    /// Adds the lists of chunks and samples, and the fields that depend on them.
    pub(crate) fn add(&self, builder: &mut LayoutBuilder, file: &mut FlatFile<'_>) {
        let size_of = |sample: usize| self.sizes + sample * 4;
        let mut chunks = Vec::new();
        for Chunk { at, data, samples } in &self.chunks {
            file.add_offset(*at, self.width, data.start);
            let sizes = size_of(samples.start)..size_of(samples.end);
            let spans = [*at..*at + self.width, sizes, data.clone()];
            chunks.push(spans.map(|span| file.span(span)).to_vec());
        }
        let mut samples = Vec::new();
        for (index, data) in self.samples.iter().enumerate() {
            let at = size_of(index);
            file.add_length(at, 4, data.clone(), 1);
            samples.push([at..at + 4, data.clone()].map(|span| file.span(span)).to_vec());
        }
        for (at, parts) in self.counts.into_iter().rev().zip([chunks, samples]) {
            let list = builder.list(parts);
            file.add(at, 4, FieldValue::Count { list, times: 1, plus: 0 });
        }
    }
}
