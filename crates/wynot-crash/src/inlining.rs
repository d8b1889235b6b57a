//! Functions that the compiler has put into others: where there is debug information, they have frames.

use crate::mapping::Mapping;
use crate::name;
use addr2line::gimli::{Dwarf, EndianSlice, RunTimeEndian, SectionId};
use addr2line::{Context, LookupResult};
use std::ops::Range;

type Reader<'a> = EndianSlice<'a, RunTimeEndian>;
type Units<'a> = Context<Reader<'a>>;

self_cell::self_cell!(
    /// The debug information, and what was read of it.
    struct Held {
        owner: Mapping,
        #[not_covariant]
        dependent: Units,
    }
);

/// The debug information of a file.
pub(crate) struct Inlining(Held);

impl Inlining {
    /// Reads the debug information of a file, of which `section` finds the sections.
    pub(crate) fn new(
        map: &Mapping,
        section: impl Fn(&str) -> Option<Range<usize>>,
    ) -> Option<Self> {
        section(".debug_info")?;
        let held = Held::try_new(map.clone(), |map| {
            let load = |id: SectionId| {
                let bytes = section(id.name()).and_then(|range| map.bytes().get(range));
                let endian = RunTimeEndian::default();
                Ok::<_, addr2line::gimli::Error>(EndianSlice::new(
                    bytes.unwrap_or_default(),
                    endian,
                ))
            };
            Dwarf::load(load).and_then(Context::from_dwarf)
        });
        held.ok().map(Self)
    }

    /// The functions at an address of the file, innermost first; none if nothing is known about it.
    pub(crate) fn functions(&self, address: u64) -> Vec<String> {
        self.0.with_dependent(|_, units| functions(units, address).unwrap_or_default())
    }
}

fn functions(units: &Units<'_>, address: u64) -> Option<Vec<String>> {
    let mut lookup = units.find_frames(address);
    let mut frames = loop {
        match lookup {
            LookupResult::Output(frames) => break frames.ok()?,
            // What was put into other files is not looked for.
            LookupResult::Load { continuation, .. } => {
                lookup = addr2line::LookupContinuation::resume(continuation, None);
            }
        }
    };
    let mut names = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        names.push(name::of_symbol(&frame.function?.raw_name().ok()?));
    }
    Some(names)
}
