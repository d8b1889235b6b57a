//! The attributes of a debugging information entry, as far as they are used.

use crate::dwarf::debug_sections::Reader;
use gimli::{
    Abbreviation, AttributeValue, DebugInfoOffset, DebugTypeSignature, Dwarf, EntriesRaw, Unit,
    UnitOffset, ValueType,
};
use std::collections::HashMap;
use std::ops::Range;

pub(super) type Value<'a> = AttributeValue<Reader<'a>>;

/// The position of an entry among all entries of a file: the offset in `.debug_info`, or the length of
/// `.debug_info` plus the offset in `.debug_types`.
pub(super) type EntryId = usize;

/// A unit and its position.
pub(super) struct UnitContext<'a> {
    pub(super) start: EntryId,
    pub(super) unit: Unit<Reader<'a>>,
}

/// The entries of types that are identified by a signature.
pub(super) type Signatures = HashMap<DebugTypeSignature, EntryId>;

/// The attributes of an entry. Their names are those of DWARF, except for those with a comment.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes<'a> {
    pub(super) name: Option<Value<'a>>,
    pub(super) linkage_name: Option<Value<'a>>,
    /// The entry of the type.
    pub(super) of: Option<EntryId>,
    /// The entry with the remaining attributes: the declaration, or the function that was inlined or copied.
    pub(super) origin: Option<EntryId>,
    pub(super) signature: Option<EntryId>,
    pub(super) byte_size: Option<u64>,
    pub(super) bit_size: Option<u64>,
    pub(super) bit_offset: Option<u64>,
    pub(super) data_bit_offset: Option<u64>,
    pub(super) data_member_location: Option<Value<'a>>,
    pub(super) location: Option<Value<'a>>,
    pub(super) const_value: Option<Value<'a>>,
    pub(super) frame_base: Option<Value<'a>>,
    pub(super) low_pc: Option<Value<'a>>,
    pub(super) high_pc: Option<Value<'a>>,
    pub(super) ranges: Option<Value<'a>>,
    pub(super) encoding: Option<u64>,
    pub(super) count: Option<Value<'a>>,
    pub(super) upper_bound: Option<Value<'a>>,
    pub(super) lower_bound: Option<Value<'a>>,
    pub(super) discr_value: Option<Value<'a>>,
    pub(super) producer: Option<Value<'a>>,
    pub(super) language: Option<u64>,
    pub(super) decl_file: Option<u64>,
    pub(super) decl_line: Option<u64>,
    pub(super) is_declaration: bool,
    pub(super) is_virtual: bool,
    pub(super) is_prototyped: bool,
}

impl<'a> Attributes<'a> {
    /// Replaces the attributes by those of an entry whose abbreviation has just been read.
    pub(super) fn read(
        &mut self,
        entries: &mut EntriesRaw<'_, Reader<'a>>,
        abbreviation: &Abbreviation,
        start: EntryId,
        signatures: &Signatures,
    ) -> gimli::Result<()> {
        *self = Self::default();
        let read = self;
        for spec in abbreviation.attributes() {
            let attribute = entries.read_attribute_inline(*spec)?;
            let value = attribute.raw_value();
            let number = || attribute.udata_value();
            let entry = || referenced_entry(value, start, signatures);
            match attribute.name() {
                gimli::DW_AT_name => read.name = Some(value),
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    read.linkage_name = Some(value);
                }
                gimli::DW_AT_type => read.of = entry(),
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => read.origin = entry(),
                gimli::DW_AT_signature => read.signature = entry(),
                gimli::DW_AT_byte_size => read.byte_size = number(),
                gimli::DW_AT_bit_size => read.bit_size = number(),
                gimli::DW_AT_bit_offset => read.bit_offset = number(),
                gimli::DW_AT_data_bit_offset => read.data_bit_offset = number(),
                gimli::DW_AT_data_member_location => {
                    read.data_member_location = Some(attribute.value())
                }
                gimli::DW_AT_location => read.location = Some(attribute.value()),
                gimli::DW_AT_const_value => read.const_value = Some(value),
                gimli::DW_AT_frame_base => read.frame_base = Some(attribute.value()),
                gimli::DW_AT_low_pc => read.low_pc = Some(value),
                gimli::DW_AT_high_pc => read.high_pc = Some(attribute.value()),
                gimli::DW_AT_ranges => read.ranges = Some(attribute.value()),
                gimli::DW_AT_encoding => read.encoding = number(),
                gimli::DW_AT_count => read.count = Some(value),
                gimli::DW_AT_upper_bound => read.upper_bound = Some(value),
                gimli::DW_AT_lower_bound => read.lower_bound = Some(value),
                gimli::DW_AT_discr_value => read.discr_value = Some(value),
                gimli::DW_AT_producer => read.producer = Some(value),
                gimli::DW_AT_language => read.language = number(),
                gimli::DW_AT_decl_file => read.decl_file = number(),
                gimli::DW_AT_decl_line => read.decl_line = number(),
                gimli::DW_AT_declaration => read.is_declaration = is_set(value),
                gimli::DW_AT_prototyped => read.is_prototyped = is_set(value),
                gimli::DW_AT_virtuality => read.is_virtual = number() != Some(0),
                _ => {}
            }
        }
        Ok(())
    }

    /// The addresses of the code of the entry, without those of code that the linker has removed.
    pub(super) fn addresses(
        &self,
        dwarf: &Dwarf<Reader<'a>>,
        unit: &Unit<Reader<'a>>,
        is_code: &dyn Fn(u64) -> bool,
    ) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        let mut keep = |start: u64, end: u64| {
            // Removed code has addresses at which no code can be.
            if start < end && is_code(start) && is_code(end - 1) {
                found.push(start..end);
            }
        };
        if let Some(ranges) = self.ranges {
            let Ok(Some(mut list)) = dwarf.attr_ranges(unit, ranges) else { return found };
            while let Ok(Some(range)) = list.next() {
                keep(range.begin, range.end);
            }
            return found;
        }
        let address = |value: Option<Value<'a>>| dwarf.attr_address(unit, value?).ok().flatten();
        let Some(start) = address(self.low_pc) else { return found };
        let end = match self.high_pc {
            Some(AttributeValue::Udata(size)) => start.saturating_add(size),
            high => address(high).unwrap_or(start),
        };
        keep(start, end);
        found
    }
}

/// The entry that a value refers to.
fn referenced_entry(value: Value<'_>, start: EntryId, signatures: &Signatures) -> Option<EntryId> {
    match value {
        AttributeValue::UnitRef(offset) => start.checked_add(offset.0),
        AttributeValue::DebugInfoRef(offset) => Some(offset.0),
        AttributeValue::DebugTypesRef(signature) => signatures.get(&signature).copied(),
        _ => None,
    }
}

fn is_set(value: Value<'_>) -> bool {
    matches!(value, AttributeValue::Flag(true))
}

/// A constant of any size and sign.
pub(super) fn constant_number(value: Value<'_>) -> Option<i128> {
    Some(match value {
        AttributeValue::Data1(value) => value.into(),
        AttributeValue::Data2(value) => value.into(),
        AttributeValue::Data4(value) => value.into(),
        AttributeValue::Data8(value) => value.into(),
        AttributeValue::Data16(value) => value as i128,
        AttributeValue::Udata(value) => value.into(),
        AttributeValue::Sdata(value) => value.into(),
        AttributeValue::Block(bytes) if bytes.len() <= 16 => {
            let mut whole = [0; 16];
            whole[..bytes.len()].copy_from_slice(bytes.slice());
            i128::from_le_bytes(whole)
        }
        _ => return None,
    })
}

/// The base type at an offset of a unit, to which an expression converts a value.
pub(in crate::dwarf) fn base_type(
    dwarf: &Dwarf<Reader<'_>>,
    unit_start: usize,
    offset: UnitOffset<usize>,
) -> Option<ValueType> {
    let header = dwarf.unit_header(DebugInfoOffset(unit_start)).ok()?;
    let abbreviations = dwarf.abbreviations(&header).ok()?;
    let mut entries = header.entries_raw(&abbreviations, Some(offset)).ok()?;
    let abbreviation = entries.read_abbreviation().ok()??;
    let mut attributes = Attributes::default();
    attributes.read(&mut entries, abbreviation, unit_start, &Signatures::new()).ok()?;
    let encoding = gimli::DwAte(u8::try_from(attributes.encoding?).ok()?);
    ValueType::from_encoding(encoding, attributes.byte_size?)
}
