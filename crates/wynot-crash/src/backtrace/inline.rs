//! Functions that the compiler has inlined into others. Debug information describes them, and they count as
//! frames of their own.

use addr2line::gimli::{Dwarf, DwarfSections, EndianSlice, Error, RunTimeEndian};
use addr2line::{Context, LookupContinuation, LookupResult};
use wynot_process::demangle;
use wynot_process::elf::ElfFile;
use wynot_process::mapped_file::FileSlice;

type Units<'a> = Context<EndianSlice<'a, RunTimeEndian>>;
type Sections = DwarfSections<FileSlice>;

self_cell::self_cell!(
    /// Debug information together with the index that refers to it.
    struct IndexedSections {
        owner: Sections,
        #[not_covariant]
        dependent: Units,
    }
);

/// The inlined functions of a file with debug information.
pub(super) struct InlinedFunctions(IndexedSections);

impl InlinedFunctions {
    /// Reads the debug information of a file; `None` if there is none. Compressed sections are ignored, since
    /// to decompress them would take longer than a backtrace may take.
    pub(super) fn read(elf: &ElfFile) -> Option<Self> {
        elf.uncompressed_section(".debug_info")?;
        let contents = |name: &str| Some(elf.uncompressed_section(name)?.contents);
        let load = |name| Ok::<_, Error>(contents(name).unwrap_or_default());
        let sections = DwarfSections::load(|id| load(id.name())).ok()?;
        let indexed = IndexedSections::try_new(sections, |sections: &Sections| {
            let dwarf: Dwarf<_> =
                sections.borrow(|section| EndianSlice::new(section, RunTimeEndian::default()));
            Context::from_dwarf(dwarf)
        });
        indexed.ok().map(Self)
    }

    /// The functions at an address of the file, innermost first; none if the debug information does not
    /// cover the address.
    pub(super) fn functions_at(&self, address: u64) -> Vec<String> {
        self.0.with_dependent(|_, units| functions_at(units, address).unwrap_or_default())
    }
}

fn functions_at(units: &Units<'_>, address: u64) -> Option<Vec<String>> {
    let mut lookup = units.find_frames(address);
    let mut frames = loop {
        match lookup {
            LookupResult::Output(frames) => break frames.ok()?,
            // Debug information that was split off into other files is ignored.
            LookupResult::Load { continuation, .. } => {
                lookup = LookupContinuation::resume(continuation, None);
            }
        }
    };
    let mut names = Vec::new();
    while let Ok(Some(frame)) = frames.next() {
        names.push(demangle::function_name(&frame.function?.raw_name().ok()?));
    }
    Some(names)
}
