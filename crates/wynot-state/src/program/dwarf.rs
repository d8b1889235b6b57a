//! The debug information of a program while it is read.

use super::attributes::{Attributes, Context, EntryId, Reader, Signatures, Value};
use super::found::Described;
use super::image;
use super::mapping::{Mapping, Part};
use gimli::{
    AttributeValue, Dwarf, DwarfSections, EndianSlice, LittleEndian, Section, Unit, UnitType,
};
use std::ffi::CStr;
use std::ops::Range;

/// The sections of debug information of a file.
#[derive(Debug)]
pub(super) struct Sections(DwarfSections<Part>);

impl Sections {
    pub(super) fn load(map: &Mapping) -> Result<Self, object::Error> {
        let file = object::File::parse(map.bytes())?;
        DwarfSections::load(|id| Ok(image::section(map, &file, id.name()))).map(Self)
    }

    pub(super) fn dwarf(&self) -> Dwarf<Reader<'_>> {
        self.0.borrow(|part| EndianSlice::new(part, LittleEndian))
    }

    /// A part of `.debug_info`.
    pub(super) fn info(&self, range: Range<usize>) -> Option<Reader<'_>> {
        let info = self.0.debug_info.borrow(|part| EndianSlice::new(part, LittleEndian));
        let bytes: &[u8] = info.reader().slice();
        bytes.get(range).map(|bytes| EndianSlice::new(bytes, LittleEndian))
    }
}

/// Debug information with all its units.
pub(super) struct Debug<'a> {
    pub(super) dwarf: Dwarf<Reader<'a>>,
    /// By where they begin.
    pub(super) units: Vec<Context<'a>>,
    pub(super) signatures: Signatures,
    /// Whether an address is one of code that is loaded.
    pub(super) is_code: &'a (dyn Fn(u64) -> bool + Sync),
    /// Whether some of it lies in other files.
    pub(super) split: bool,
}

/// Entries refer to others, and those to others still; so many times at most.
const REFERENCES: usize = 8;

/// So many bytes of entries are read in less time than it takes to begin another thread.
const SMALL: usize = 1 << 18;

impl<'a> Debug<'a> {
    /// Finds the units. Damaged ones are left out, if the ones behind them can be found.
    pub(super) fn new(
        sections: &'a Sections,
        is_code: &'a (dyn Fn(u64) -> bool + Sync),
    ) -> gimli::Result<Self> {
        let dwarf = sections.dwarf();
        let (units, signatures) = (Vec::new(), Signatures::new());
        let mut debug = Self { dwarf, units, signatures, is_code, split: false };
        let behind = debug.dwarf.debug_info.reader().len();
        let mut headers = debug.dwarf.units();
        while let Some(header) = headers.next()? {
            debug.add(header, 0);
        }
        let mut headers = debug.dwarf.type_units();
        while let Ok(Some(header)) = headers.next() {
            debug.add(header, behind);
        }
        Ok(debug)
    }

    /// Cuts the units into at most so many runs of about the same size, one behind the other.
    pub(super) fn runs(&self, count: usize) -> Vec<Range<u32>> {
        let size = |context: &Context<'_>| context.unit.header.length_including_self();
        let whole: usize = self.units.iter().map(size).sum();
        let share = (whole / count.max(1)).max(SMALL);
        let mut runs = Vec::new();
        let (mut start, mut sum) = (0, 0_usize);
        for (unit, end) in self.units.iter().zip(1..) {
            sum += size(unit);
            if sum >= share || end as usize == self.units.len() {
                runs.push(start..end);
                (start, sum) = (end, 0);
            }
        }
        runs
    }

    fn add(&mut self, header: gimli::UnitHeader<Reader<'a>>, behind: EntryId) {
        let start = behind + header.offset().0;
        if let UnitType::Type { type_signature, type_offset } = header.type_() {
            self.signatures.insert(type_signature, start.saturating_add(type_offset.0));
        }
        self.split |= matches!(header.type_(), UnitType::Skeleton(_));
        if let Ok(unit) = self.dwarf.unit(header) {
            self.split |= unit.dwo_id.is_some();
            self.units.push(Context { start, unit });
        }
    }

    /// What an entry anywhere says about itself, or the entries that it refers to.
    pub(super) fn describe(&self, at: EntryId) -> Described<'a> {
        let mut described = Described { first: at, ..Described::default() };
        let mut next = Some(at);
        for _ in 0..REFERENCES {
            let Some(entry) = next else { break };
            let Some((unit, attributes)) = self.attributes(entry) else { break };
            described.complete(&self.describe_alone(unit, entry, &attributes));
            next = attributes.origin;
        }
        described
    }

    /// What an entry says about itself.
    pub(super) fn describe_alone(
        &self,
        number: u32,
        at: EntryId,
        attributes: &Attributes<'a>,
    ) -> Described<'a> {
        let unit = &self.units[number as usize].unit;
        let declaration = || {
            let file = u32::try_from(attributes.file?).ok()?;
            Some((number, file, u32::try_from(attributes.line?).ok()?))
        };
        Described {
            name: self.string(unit, attributes.name),
            linkage_name: self.string(unit, attributes.linkage_name),
            of: attributes.of,
            declared: declaration(),
            first: at,
        }
    }

    /// The attributes of an entry anywhere, and the number of its unit.
    pub(super) fn attributes(&self, at: EntryId) -> Option<(u32, Attributes<'a>)> {
        let number = self.units.partition_point(|unit| unit.start <= at).checked_sub(1)?;
        let Context { start, unit } = &self.units[number];
        let mut entries = unit.entries_raw(Some(gimli::UnitOffset(at - start))).ok()?;
        let abbreviation = entries.read_abbreviation().ok()??;
        let mut attributes = Attributes::default();
        attributes.read(&mut entries, abbreviation, *start, &self.signatures).ok()?;
        Some((u32::try_from(number).ok()?, attributes))
    }

    pub(super) fn string(
        &self,
        unit: &Unit<Reader<'a>>,
        value: Option<Value<'a>>,
    ) -> Option<&'a [u8]> {
        if let AttributeValue::DebugStrRef(offset) = value? {
            // By far the most are there, and many of them are long.
            let behind = self.dwarf.debug_str.reader().slice().get(offset.0..)?;
            return CStr::from_bytes_until_nul(behind).ok().map(CStr::to_bytes);
        }
        let string = self.dwarf.attr_string(unit, value?).ok()?;
        Some(string.slice())
    }

    pub(super) fn address(&self, unit: &Unit<Reader<'a>>, value: Value<'a>) -> Option<u64> {
        self.dwarf.attr_address(unit, value).ok().flatten()
    }

    /// Where in `.debug_info` some bytes of it are.
    pub(super) fn place_in_info(&self, bytes: Reader<'a>) -> Option<Range<usize>> {
        let info = self.dwarf.debug_info.reader();
        let start = (bytes.slice().as_ptr() as usize).checked_sub(info.slice().as_ptr() as usize)?;
        let end = start.checked_add(bytes.len())?;
        (end <= info.len()).then_some(start..end)
    }
}
