//! The entries of a unit that declare types.

use super::attributes::{Attributes, EntryId, Value, constant_number};
use super::entries::{EntryRole, EntryWalk, Language, OpenEntry};
use super::types::declared_type::{
    DeclaredKind, DeclaredMember, DeclaredType, DeclaredVariant, RUST_ARRAY,
};
use crate::dwarf::types::{Bits, Kind};
use gimli::{AttributeValue, DwAte, DwTag, Expression, Operation};

impl<'a> EntryWalk<'_, 'a> {
    /// Collects a type or a part of one.
    pub(super) fn visit_type(
        &mut self,
        at: EntryId,
        tag: DwTag,
        attributes: &Attributes<'a>,
        open: &mut OpenEntry,
    ) {
        let parent = std::mem::replace(&mut open.role, EntryRole::Other);
        match tag {
            gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {
                let base = tag == gimli::DW_TAG_inheritance;
                self.add_member(at, attributes, base, parent, open);
            }
            gimli::DW_TAG_enumerator => self.add_enumerator(attributes, parent),
            gimli::DW_TAG_subrange_type => self.add_dimension(at, attributes, parent),
            gimli::DW_TAG_formal_parameter => {
                if let Some(DeclaredKind::Function { parameters, .. }) = self.kind(parent) {
                    parameters.push(attributes.of);
                }
            }
            gimli::DW_TAG_unspecified_parameters => {
                if let Some(DeclaredKind::Function { variadic, .. }) = self.kind(parent) {
                    *variadic = true;
                }
            }
            gimli::DW_TAG_variant_part => {
                if let EntryRole::Type(number) = parent
                    && let DeclaredKind::Structure { variants, .. } =
                        &mut self.collected.types[number].kind
                {
                    variants.get_or_insert_default();
                    open.role = EntryRole::VariantPart(number);
                }
            }
            gimli::DW_TAG_variant => {
                if let EntryRole::VariantPart(number) = parent {
                    self.add_variant(number, attributes);
                    open.role = EntryRole::Variant(number);
                }
            }
            _ => self.add_type(at, tag, attributes, open),
        }
    }

    fn add_type(
        &mut self,
        at: EntryId,
        tag: DwTag,
        attributes: &Attributes<'a>,
        open: &mut OpenEntry,
    ) {
        let of = attributes.of;
        let mut keyword = "";
        let kind = match tag {
            gimli::DW_TAG_base_type => DeclaredKind::Simple(base_kind(attributes)),
            gimli::DW_TAG_typedef => DeclaredKind::Alias { of, named: true },
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => DeclaredKind::Alias { of, named: false },
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => {
                keyword = pointer_sign(tag);
                DeclaredKind::Pointer { to: of }
            }
            gimli::DW_TAG_subroutine_type => {
                let variadic = !attributes.is_prototyped && self.language == Language::C;
                DeclaredKind::Function { result: of, parameters: Vec::new(), variadic }
            }
            gimli::DW_TAG_array_type => {
                keyword = if self.language == Language::Rust { RUST_ARRAY } else { "" };
                DeclaredKind::Array { of, count: None }
            }
            _ if attributes.signature.is_some() => {
                DeclaredKind::Alias { of: attributes.signature, named: false }
            }
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_interface_type => {
                keyword = "struct";
                DeclaredKind::Structure { members: Vec::new(), variants: None }
            }
            gimli::DW_TAG_union_type => {
                keyword = "union";
                DeclaredKind::Union { members: Vec::new() }
            }
            gimli::DW_TAG_enumeration_type => {
                keyword = "enum";
                let signed = attributes.encoding.is_some_and(is_signed);
                DeclaredKind::Enumeration { of, signed, names: Vec::new() }
            }
            _ => DeclaredKind::Simple(Kind::Unknown),
        };
        let kind = match (attributes.is_declaration, keyword) {
            (true, "struct" | "union" | "enum") => DeclaredKind::Incomplete,
            _ => kind,
        };
        let number = self.collected.types.len();
        open.role = match kind {
            DeclaredKind::Array { .. } => EntryRole::Array { last: number, dimensions: 0 },
            _ => EntryRole::Type(number),
        };
        let name = self.scoped_name(attributes, open.scope);
        if let (Some(name), "struct" | "union" | "enum") = (name.name, keyword)
            && self.language != Language::C
        {
            open.scope = self.collected.scopes.add(open.scope, name);
            keyword = "";
        }
        let size = attributes.byte_size;
        self.collected.types.push(DeclaredType { at, name, keyword, size, kind });
    }

    /// The kind of the type that an entry with this role declares.
    fn kind(&mut self, role: EntryRole) -> Option<&mut DeclaredKind<'a>> {
        match role {
            EntryRole::Type(number) => Some(&mut self.collected.types[number].kind),
            _ => None,
        }
    }

    fn add_member(
        &mut self,
        at: EntryId,
        attributes: &Attributes<'a>,
        base: bool,
        parent: EntryRole,
        open: &OpenEntry,
    ) {
        // Static members of classes are variables.
        if attributes.is_declaration {
            self.collected.scope_of.push((at, open.scope));
            return;
        }
        let Some(offset) = member_offset(attributes).filter(|_| !(base && attributes.is_virtual))
        else {
            return;
        };
        let (offset, bits) = bit_field(attributes, offset);
        let name = self.string(attributes.name).unwrap_or_default();
        let member = DeclaredMember { name, base, offset, of: attributes.of, bits };
        let number = match parent {
            EntryRole::Type(number)
            | EntryRole::VariantPart(number)
            | EntryRole::Variant(number) => number,
            EntryRole::Other | EntryRole::Array { .. } => return,
        };
        match (&mut self.collected.types[number].kind, parent) {
            (
                DeclaredKind::Structure { variants: Some(variants), .. },
                EntryRole::VariantPart(_),
            ) => {
                variants.tag = Some(member);
            }
            (DeclaredKind::Structure { variants: Some(variants), .. }, EntryRole::Variant(_)) => {
                if let Some(last) = variants.variants.last_mut() {
                    last.members.push(member);
                }
            }
            (
                DeclaredKind::Structure { members, .. } | DeclaredKind::Union { members },
                EntryRole::Type(_),
            ) => {
                members.push(member);
            }
            _ => {}
        }
    }

    fn add_variant(&mut self, number_of_type: usize, attributes: &Attributes<'a>) {
        let tag = attributes.discr_value.and_then(constant_number);
        let kind = &mut self.collected.types[number_of_type].kind;
        if let DeclaredKind::Structure { variants: Some(variants), .. } = kind {
            variants.variants.push(DeclaredVariant { tag, members: Vec::new() });
        }
    }

    fn add_enumerator(&mut self, attributes: &Attributes<'a>, parent: EntryRole) {
        let Some(name) = self.string(attributes.name) else { return };
        let Some(value) = attributes.const_value.and_then(constant_number) else { return };
        if let Some(DeclaredKind::Enumeration { names, .. }) = self.kind(parent) {
            names.push((value, name));
        }
    }

    /// Each dimension after the first is an array type of its own, identified by the entry of the dimension.
    fn add_dimension(&mut self, at: EntryId, attributes: &Attributes<'a>, parent: EntryRole) {
        let EntryRole::Array { last, dimensions } = parent else { return };
        let length = element_count(attributes);
        let DeclaredKind::Array { of, count } = &mut self.collected.types[last].kind else {
            return;
        };
        if dimensions == 0 {
            *count = length;
        } else {
            let element = of.replace(at);
            let (name, keyword) = (Default::default(), self.collected.types[last].keyword);
            let kind = DeclaredKind::Array { of: element, count: length };
            self.collected.types.push(DeclaredType { at, name, keyword, size: None, kind });
        }
        let last = if dimensions == 0 { last } else { self.collected.types.len() - 1 };
        self.set_parent_role(EntryRole::Array { last, dimensions: dimensions + 1 });
    }
}

/// The sign of a pointer or reference.
fn pointer_sign(tag: DwTag) -> &'static str {
    match tag {
        gimli::DW_TAG_reference_type => "&",
        gimli::DW_TAG_rvalue_reference_type => "&&",
        _ => "*",
    }
}

fn is_signed(encoding: u64) -> bool {
    let encoding = u8::try_from(encoding).map(DwAte);
    matches!(encoding, Ok(gimli::DW_ATE_signed | gimli::DW_ATE_signed_char))
}

/// The kind of a base type.
fn base_kind(attributes: &Attributes<'_>) -> Kind {
    let encoding = attributes.encoding.and_then(|encoding| u8::try_from(encoding).ok());
    match encoding.map(DwAte) {
        Some(gimli::DW_ATE_boolean) => Kind::Boolean,
        Some(gimli::DW_ATE_signed) => Kind::Integer { signed: true },
        Some(gimli::DW_ATE_unsigned | gimli::DW_ATE_address) => Kind::Integer { signed: false },
        Some(gimli::DW_ATE_signed_char) => Kind::Character { signed: true },
        Some(
            gimli::DW_ATE_unsigned_char
            | gimli::DW_ATE_UTF
            | gimli::DW_ATE_ASCII
            | gimli::DW_ATE_UCS,
        ) => Kind::Character { signed: false },
        Some(gimli::DW_ATE_float) => Kind::Float,
        _ => Kind::Unknown,
    }
}

/// The offset of a member; `None` if it depends on the object, as for virtual base classes.
fn member_offset(attributes: &Attributes<'_>) -> Option<u64> {
    match attributes.data_member_location {
        None => Some(0),
        Some(AttributeValue::Exprloc(Expression(code))) => {
            let encoding =
                gimli::Encoding { address_size: 8, format: gimli::Format::Dwarf32, version: 4 };
            let mut operations = Expression(code).operations(encoding);
            match (operations.next().ok()?, operations.next().ok()?) {
                (Some(Operation::PlusConstant { value }), None) => Some(value),
                _ => None,
            }
        }
        Some(value) => constant_number(value).and_then(|number| u64::try_from(number).ok()),
    }
}

/// The offset and the bits of a member, which may be a bit field.
fn bit_field(attributes: &Attributes<'_>, offset: u64) -> (u64, Option<Bits>) {
    let Some(count) = attributes.bit_size else { return (offset, None) };
    let first = match (attributes.data_bit_offset, attributes.bit_offset) {
        (Some(first), _) => Some(first),
        // Before DWARF 4, bits are counted from the highest one of the storage unit.
        (None, Some(from_top)) => {
            let storage = attributes.byte_size.unwrap_or(4).saturating_mul(8);
            storage.checked_sub(from_top).and_then(|rest| rest.checked_sub(count))
        }
        (None, None) => Some(0),
    };
    let (Some(first), Ok(count)) = (first, u8::try_from(count)) else { return (offset, None) };
    let bits = Bits { first: (first % 8) as u8, count };
    (offset.saturating_add(first / 8), Some(bits))
}

/// The number of elements of a dimension, if it is constant.
fn element_count(attributes: &Attributes<'_>) -> Option<u64> {
    let constant = |value: Option<Value<'_>>| value.and_then(constant_number);
    if let Some(count) = constant(attributes.count) {
        return u64::try_from(count).ok();
    }
    let lower = constant(attributes.lower_bound).unwrap_or(0);
    let count = constant(attributes.upper_bound)?.checked_sub(lower)?.checked_add(1)?;
    // The upper bound of an array without elements is -1, in four bytes or in eight.
    u64::try_from(count).ok().filter(|count| *count < 1 << 32)
}
