//! The units of debug information, while it is read.

use super::attributes::{Attributes, EntryId, Signatures, UnitContext, Value};
use super::collected::Description;
use crate::dwarf::debug_sections::{DebugSections, Reader};
use gimli::{AttributeValue, Dwarf, Section, Unit, UnitHeader, UnitOffset, UnitType};
use std::ffi::CStr;
use std::ops::Range;

/// Debug information with all its units.
pub(super) struct DebugInfo<'a> {
    pub(super) dwarf: Dwarf<Reader<'a>>,
    /// Sorted by position.
    pub(super) units: Vec<UnitContext<'a>>,
    pub(super) signatures: Signatures,
    /// Whether there is code at an address.
    pub(super) is_code: &'a (dyn Fn(u64) -> bool + Sync),
    /// Whether some of the debug information is in other files.
    pub(super) is_split: bool,
}

/// The length of the longest chain of entries that refer to each other for their remaining attributes.
const MAX_ORIGINS: usize = 8;

/// The number of bytes of entries that are read in less time than it takes to start a thread.
const MIN_BYTES_PER_THREAD: usize = 1 << 18;

impl<'a> DebugInfo<'a> {
    /// Finds the units. Damaged ones are left out, if the following ones can be found.
    pub(super) fn new(
        sections: &'a DebugSections,
        is_code: &'a (dyn Fn(u64) -> bool + Sync),
    ) -> gimli::Result<Self> {
        let dwarf = sections.dwarf();
        let (units, signatures) = (Vec::new(), Signatures::new());
        let mut debug = Self { dwarf, units, signatures, is_code, is_split: false };
        let info_length = debug.dwarf.debug_info.reader().len();
        let mut headers = debug.dwarf.units();
        while let Some(header) = headers.next()? {
            debug.add(header, 0);
        }
        let mut headers = debug.dwarf.type_units();
        while let Ok(Some(header)) = headers.next() {
            debug.add(header, info_length);
        }
        Ok(debug)
    }

    /// Divides the units into at most this many consecutive groups of about the same size.
    pub(super) fn groups(&self, count: usize) -> Vec<Range<u32>> {
        let size = |context: &UnitContext<'_>| context.unit.header.length_including_self();
        let whole: usize = self.units.iter().map(size).sum();
        let share = (whole / count.max(1)).max(MIN_BYTES_PER_THREAD);
        let mut groups = Vec::new();
        let (mut start, mut sum) = (0, 0_usize);
        for (unit, end) in self.units.iter().zip(1..) {
            sum += size(unit);
            if sum >= share || end as usize == self.units.len() {
                groups.push(start..end);
                (start, sum) = (end, 0);
            }
        }
        groups
    }

    fn add(&mut self, header: UnitHeader<Reader<'a>>, section_start: EntryId) {
        let start = section_start + header.offset().0;
        if let UnitType::Type { type_signature, type_offset } = header.type_() {
            self.signatures.insert(type_signature, start.saturating_add(type_offset.0));
        }
        self.is_split |= matches!(header.type_(), UnitType::Skeleton(_));
        if let Ok(unit) = self.dwarf.unit(header) {
            self.is_split |= unit.dwo_id.is_some();
            self.units.push(UnitContext { start, unit });
        }
    }

    /// The description of any entry, completed by the entries that it refers to.
    pub(super) fn describe(&self, at: EntryId) -> Description<'a> {
        let mut description = Description { declaration: at, ..Description::default() };
        let mut next = Some(at);
        for _ in 0..MAX_ORIGINS {
            let Some(entry) = next else { break };
            let Some((unit, attributes)) = self.attributes(entry) else { break };
            description.complete(&self.describe_alone(unit, entry, &attributes));
            next = attributes.origin;
        }
        description
    }

    /// The description that an entry itself gives.
    pub(super) fn describe_alone(
        &self,
        number: u32,
        at: EntryId,
        attributes: &Attributes<'a>,
    ) -> Description<'a> {
        let unit = &self.units[number as usize].unit;
        let place = || {
            let file = u32::try_from(attributes.decl_file?).ok()?;
            Some((number, file, u32::try_from(attributes.decl_line?).ok()?))
        };
        Description {
            name: self.string(unit, attributes.name),
            linkage_name: self.string(unit, attributes.linkage_name),
            of: attributes.of,
            place: place(),
            declaration: at,
        }
    }

    /// The attributes of any entry, and the number of its unit.
    pub(super) fn attributes(&self, at: EntryId) -> Option<(u32, Attributes<'a>)> {
        let number = self.units.partition_point(|unit| unit.start <= at).checked_sub(1)?;
        let UnitContext { start, unit } = &self.units[number];
        let mut entries = unit.entries_raw(Some(UnitOffset(at - start))).ok()?;
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
            // Most strings are in this section, and many are long. This is the fastest way to find the end.
            let rest = self.dwarf.debug_str.reader().slice().get(offset.0..)?;
            return CStr::from_bytes_until_nul(rest).ok().map(CStr::to_bytes);
        }
        let string = self.dwarf.attr_string(unit, value?).ok()?;
        Some(string.slice())
    }

    pub(super) fn address(&self, unit: &Unit<Reader<'a>>, value: Value<'a>) -> Option<u64> {
        self.dwarf.attr_address(unit, value).ok().flatten()
    }

    /// The position in `.debug_info` of some of its bytes.
    pub(super) fn range_in_info(&self, bytes: Reader<'a>) -> Option<Range<usize>> {
        let info = self.dwarf.debug_info.reader();
        let start = (bytes.slice().as_ptr() as usize).checked_sub(info.slice().as_ptr() as usize)?;
        let end = start.checked_add(bytes.len())?;
        (end <= info.len()).then_some(start..end)
    }
}
