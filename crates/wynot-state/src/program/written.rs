//! Types, as the entries of a unit say them.

use super::attributes::{Attributes, EntryId, Value, number};
use super::raw::{Form, RUST_ARRAY, Raw, RawMember, RawVariant};
use super::types::{Bits, Kind};
use super::walk::{Language, Open, Walk, What};
use gimli::{AttributeValue, DwAte, DwTag, Expression, Operation};

impl<'a> Walk<'_, 'a> {
    /// Collects a type, or a part of one.
    pub(super) fn visit_type(
        &mut self,
        at: EntryId,
        tag: DwTag,
        attributes: &Attributes<'a>,
        open: &mut Open,
    ) {
        let inside = std::mem::replace(&mut open.what, What::Other);
        match tag {
            gimli::DW_TAG_member | gimli::DW_TAG_inheritance => {
                let base = tag == gimli::DW_TAG_inheritance;
                self.add_member(at, attributes, base, inside, open);
            }
            gimli::DW_TAG_enumerator => self.add_enumerator(attributes, inside),
            gimli::DW_TAG_subrange_type => self.add_dimension(at, attributes, inside),
            gimli::DW_TAG_formal_parameter => {
                if let Some(Form::Function { parameters, .. }) = self.form(inside) {
                    parameters.push(attributes.of);
                }
            }
            gimli::DW_TAG_unspecified_parameters => {
                if let Some(Form::Function { open, .. }) = self.form(inside) {
                    *open = true;
                }
            }
            gimli::DW_TAG_variant_part => {
                if let What::Type(number) = inside
                    && let Form::Structure { variants, .. } = &mut self.found.raws[number].form
                {
                    variants.get_or_insert_default();
                    open.what = What::VariantPart(number);
                }
            }
            gimli::DW_TAG_variant => {
                if let What::VariantPart(number) = inside {
                    self.add_variant(number, attributes);
                    open.what = What::Variant(number);
                }
            }
            _ => self.add_type(at, tag, attributes, open),
        }
    }

    fn add_type(&mut self, at: EntryId, tag: DwTag, attributes: &Attributes<'a>, open: &mut Open) {
        let of = attributes.of;
        let mut keyword = "";
        let form = match tag {
            gimli::DW_TAG_base_type => Form::Simple(base(attributes)),
            gimli::DW_TAG_typedef => Form::Alias { of, named: true },
            gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => Form::Alias { of, named: false },
            gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_rvalue_reference_type => {
                keyword = sign(tag);
                Form::Pointer { to: of }
            }
            gimli::DW_TAG_subroutine_type => {
                let open = !attributes.prototyped && self.language == Language::C;
                Form::Function { result: of, parameters: Vec::new(), open }
            }
            gimli::DW_TAG_array_type => {
                keyword = if self.language == Language::Rust { RUST_ARRAY } else { "" };
                Form::Array { of, count: None }
            }
            _ if attributes.signature.is_some() => {
                Form::Alias { of: attributes.signature, named: false }
            }
            gimli::DW_TAG_structure_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_interface_type => {
                keyword = "struct";
                Form::Structure { members: Vec::new(), variants: None }
            }
            gimli::DW_TAG_union_type => {
                keyword = "union";
                Form::Union { members: Vec::new() }
            }
            gimli::DW_TAG_enumeration_type => {
                keyword = "enum";
                let signed = attributes.encoding.is_some_and(is_signed);
                Form::Enumeration { of, signed, names: Vec::new() }
            }
            _ => Form::Simple(Kind::Unknown),
        };
        let form = match (attributes.declared_only, keyword) {
            (true, "struct" | "union" | "enum") => Form::Declared,
            _ => form,
        };
        let number = self.found.raws.len();
        open.what = match form {
            Form::Array { .. } => What::Array { last: number, dimensions: 0 },
            _ => What::Type(number),
        };
        let named = self.named(attributes, open.scope);
        if let (Some(name), "struct" | "union" | "enum") = (named.name, keyword)
            && self.language != Language::C
        {
            open.scope = self.found.scopes.add(open.scope, name);
            keyword = "";
        }
        let size = attributes.size;
        self.found.raws.push(Raw { at, named, keyword, size, form });
    }

    /// The form of a type, if an entry is one.
    fn form(&mut self, what: What) -> Option<&mut Form<'a>> {
        match what {
            What::Type(number) => Some(&mut self.found.raws[number].form),
            _ => None,
        }
    }

    fn add_member(
        &mut self,
        at: EntryId,
        attributes: &Attributes<'a>,
        base: bool,
        inside: What,
        open: &Open,
    ) {
        // Members of classes that are no parts of their values are variables.
        if attributes.declared_only {
            self.found.inside.push((at, open.scope));
            return;
        }
        let Some(offset) = member_offset(attributes).filter(|_| !(base && attributes.virtual_base))
        else {
            return;
        };
        let (offset, bits) = bits(attributes, offset);
        let name = self.string(attributes.name).unwrap_or_default();
        let member = RawMember { name, base, offset, of: attributes.of, bits };
        let number = match inside {
            What::Type(number) | What::VariantPart(number) | What::Variant(number) => number,
            What::Other | What::Array { .. } => return,
        };
        match (&mut self.found.raws[number].form, inside) {
            (Form::Structure { variants: Some(variants), .. }, What::VariantPart(_)) => {
                variants.tag = Some(member);
            }
            (Form::Structure { variants: Some(variants), .. }, What::Variant(_)) => {
                if let Some(last) = variants.variants.last_mut() {
                    last.members.push(member);
                }
            }
            (Form::Structure { members, .. } | Form::Union { members }, What::Type(_)) => {
                members.push(member);
            }
            _ => {}
        }
    }

    fn add_variant(&mut self, number_of_type: usize, attributes: &Attributes<'a>) {
        let tag = attributes.discriminant.and_then(number);
        let form = &mut self.found.raws[number_of_type].form;
        if let Form::Structure { variants: Some(variants), .. } = form {
            variants.variants.push(RawVariant { tag, members: Vec::new() });
        }
    }

    fn add_enumerator(&mut self, attributes: &Attributes<'a>, inside: What) {
        let Some(name) = self.string(attributes.name) else { return };
        let Some(value) = attributes.constant.and_then(number) else { return };
        if let Some(Form::Enumeration { names, .. }) = self.form(inside) {
            names.push((value, name));
        }
    }

    /// Dimensions behind the first one are arrays of their own, which are known by the dimension's entry.
    fn add_dimension(&mut self, at: EntryId, attributes: &Attributes<'a>, inside: What) {
        let What::Array { last, dimensions } = inside else { return };
        let length = count(attributes);
        let Form::Array { of, count } = &mut self.found.raws[last].form else { return };
        if dimensions == 0 {
            *count = length;
        } else {
            let element = of.replace(at);
            let (named, keyword) = (Default::default(), self.found.raws[last].keyword);
            let form = Form::Array { of: element, count: length };
            self.found.raws.push(Raw { at, named, keyword, size: None, form });
        }
        let last = if dimensions == 0 { last } else { self.found.raws.len() - 1 };
        self.set_around(What::Array { last, dimensions: dimensions + 1 });
    }
}

/// What stands for a pointer or reference.
fn sign(tag: DwTag) -> &'static str {
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

fn base(attributes: &Attributes<'_>) -> Kind {
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

/// Where a member begins, if that does not depend on the object, as it does for virtual base classes.
fn member_offset(attributes: &Attributes<'_>) -> Option<u64> {
    match attributes.member_at {
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
        Some(value) => number(value).and_then(|number| u64::try_from(number).ok()),
    }
}

/// Where a member that has a number of bits begins, and which bits they are.
fn bits(attributes: &Attributes<'_>, offset: u64) -> (u64, Option<Bits>) {
    let Some(count) = attributes.bit_size else { return (offset, None) };
    let first = match (attributes.data_bit_offset, attributes.bit_offset) {
        (Some(first), _) => Some(first),
        // The older way counts from the highest bit of what holds the member.
        (None, Some(from_top)) => {
            let storage = attributes.size.unwrap_or(4).saturating_mul(8);
            storage.checked_sub(from_top).and_then(|rest| rest.checked_sub(count))
        }
        (None, None) => Some(0),
    };
    let (Some(first), Ok(count)) = (first, u8::try_from(count)) else { return (offset, None) };
    let bits = Bits { first: (first % 8) as u8, count };
    (offset.saturating_add(first / 8), Some(bits))
}

/// How many elements a dimension of an array has, if it is always the same.
fn count(attributes: &Attributes<'_>) -> Option<u64> {
    let constant = |value: Option<Value<'_>>| value.and_then(number);
    if let Some(count) = constant(attributes.count) {
        return u64::try_from(count).ok();
    }
    let lower = constant(attributes.lower_bound).unwrap_or(0);
    let count = constant(attributes.upper_bound)?.checked_sub(lower)?.checked_add(1)?;
    // Arrays without elements end before they begin; in four bytes, or in eight.
    u64::try_from(count).ok().filter(|count| *count < 1 << 32)
}
