//! What an entry of the debug information says, as far as it matters here.

use gimli::{
    Abbreviation, AttributeValue, DebugTypeSignature, Dwarf, EndianSlice, EntriesRaw, LittleEndian,
    Unit,
};
use std::collections::HashMap;
use std::ops::Range;

pub(super) type Reader<'a> = EndianSlice<'a, LittleEndian>;
pub(super) type Value<'a> = AttributeValue<Reader<'a>>;

/// Where an entry is, of all the entries of a file: units lie one after the other, and behind those of
/// `.debug_info` those of `.debug_types`.
pub(super) type EntryId = usize;

/// A unit, and where its first byte is.
pub(super) struct Context<'a> {
    pub(super) start: EntryId,
    pub(super) unit: Unit<Reader<'a>>,
}

/// Where the entries are of types that are known by a signature.
pub(super) type Signatures = HashMap<DebugTypeSignature, EntryId>;

/// The attributes of an entry.
#[derive(Clone, Copy, Default)]
pub(super) struct Attributes<'a> {
    pub(super) name: Option<Value<'a>>,
    pub(super) linkage_name: Option<Value<'a>>,
    pub(super) of: Option<EntryId>,
    /// The entry that says the rest: a declaration, or what was inlined or copied.
    pub(super) origin: Option<EntryId>,
    pub(super) signature: Option<EntryId>,
    pub(super) size: Option<u64>,
    pub(super) bit_size: Option<u64>,
    pub(super) bit_offset: Option<u64>,
    pub(super) data_bit_offset: Option<u64>,
    pub(super) member_at: Option<Value<'a>>,
    pub(super) location: Option<Value<'a>>,
    pub(super) constant: Option<Value<'a>>,
    pub(super) frame_base: Option<Value<'a>>,
    pub(super) low: Option<Value<'a>>,
    pub(super) high: Option<Value<'a>>,
    pub(super) ranges: Option<Value<'a>>,
    pub(super) encoding: Option<u64>,
    pub(super) count: Option<Value<'a>>,
    pub(super) upper_bound: Option<Value<'a>>,
    pub(super) lower_bound: Option<Value<'a>>,
    pub(super) discriminant: Option<Value<'a>>,
    pub(super) producer: Option<Value<'a>>,
    pub(super) language: Option<u64>,
    pub(super) file: Option<u64>,
    pub(super) line: Option<u64>,
    pub(super) declared_only: bool,
    pub(super) virtual_base: bool,
    pub(super) prototyped: bool,
}

impl<'a> Attributes<'a> {
    /// Reads the attributes of an entry, of which the abbreviation was read already, in place of those of
    /// another one.
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
            let entry = || entry_of(value, start, signatures);
            match attribute.name() {
                gimli::DW_AT_name => read.name = Some(value),
                gimli::DW_AT_linkage_name | gimli::DW_AT_MIPS_linkage_name => {
                    read.linkage_name = Some(value);
                }
                gimli::DW_AT_type => read.of = entry(),
                gimli::DW_AT_abstract_origin | gimli::DW_AT_specification => read.origin = entry(),
                gimli::DW_AT_signature => read.signature = entry(),
                gimli::DW_AT_byte_size => read.size = number(),
                gimli::DW_AT_bit_size => read.bit_size = number(),
                gimli::DW_AT_bit_offset => read.bit_offset = number(),
                gimli::DW_AT_data_bit_offset => read.data_bit_offset = number(),
                gimli::DW_AT_data_member_location => read.member_at = Some(attribute.value()),
                gimli::DW_AT_location => read.location = Some(attribute.value()),
                gimli::DW_AT_const_value => read.constant = Some(value),
                gimli::DW_AT_frame_base => read.frame_base = Some(attribute.value()),
                gimli::DW_AT_low_pc => read.low = Some(value),
                gimli::DW_AT_high_pc => read.high = Some(attribute.value()),
                gimli::DW_AT_ranges => read.ranges = Some(attribute.value()),
                gimli::DW_AT_encoding => read.encoding = number(),
                gimli::DW_AT_count => read.count = Some(value),
                gimli::DW_AT_upper_bound => read.upper_bound = Some(value),
                gimli::DW_AT_lower_bound => read.lower_bound = Some(value),
                gimli::DW_AT_discr_value => read.discriminant = Some(value),
                gimli::DW_AT_producer => read.producer = Some(value),
                gimli::DW_AT_language => read.language = number(),
                gimli::DW_AT_decl_file => read.file = number(),
                gimli::DW_AT_decl_line => read.line = number(),
                gimli::DW_AT_declaration => read.declared_only = is_set(value),
                gimli::DW_AT_prototyped => read.prototyped = is_set(value),
                gimli::DW_AT_virtuality => read.virtual_base = number() != Some(0),
                _ => {}
            }
        }
        Ok(())
    }

    /// The addresses that the entry is about, as many as are real.
    pub(super) fn addresses(
        &self,
        dwarf: &Dwarf<Reader<'a>>,
        unit: &Unit<Reader<'a>>,
        is_code: &dyn Fn(u64) -> bool,
    ) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        let mut keep = |start: u64, end: u64| {
            // What the linker threw away is said to lie where no code can be.
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
        let Some(start) = address(self.low) else { return found };
        let end = match self.high {
            Some(AttributeValue::Udata(size)) => start.saturating_add(size),
            high => address(high).unwrap_or(start),
        };
        keep(start, end);
        found
    }
}

/// The entry that a value refers to.
fn entry_of(value: Value<'_>, start: EntryId, signatures: &Signatures) -> Option<EntryId> {
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

/// A number of any size and sign, as it was written.
pub(super) fn number(value: Value<'_>) -> Option<i128> {
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
