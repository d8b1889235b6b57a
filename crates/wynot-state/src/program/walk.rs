//! Goes through the entries of a unit, once, and collects types, functions and variables.

use super::attributes::{Attributes, EntryId, Reader, Value, number};
use super::dwarf::Debug;
use super::found::{Described, Found, FoundFunction, FoundStatic, FoundVariable};
use super::function::{Location, Ranges};
use super::index::HashedMap;
use super::raw::{Named, ScopeId};
use gimli::{AttributeValue, DwTag, Encoding, Expression, Operation};
use std::sync::Arc;

/// An entry whose children are being visited.
#[derive(Clone, Copy)]
pub(super) struct Open {
    pub(super) scope: ScopeId,
    pub(super) what: What,
    /// The function around, its entry and its number if there is code of it.
    function: Option<(EntryId, Option<usize>)>,
    inlined: bool,
    /// Where it can be seen what is inside, by number.
    visible: usize,
}

/// What an entry is, for its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum What {
    Other,
    /// A type, by its number.
    Type(usize),
    /// An array type; the number of its innermost dimension so far.
    Array {
        last: usize,
        dimensions: usize,
    },
    /// The part of a type that is one of several.
    VariantPart(usize),
    /// One of several forms.
    Variant(usize),
}

/// What a unit is written in: names are written in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Rust,
    Other,
}

/// Goes through the entries of a unit.
pub(super) struct Walk<'w, 'a> {
    pub(super) debug: &'w Debug<'a>,
    pub(super) number: u32,
    pub(super) start: EntryId,
    pub(super) unit: &'w gimli::Unit<Reader<'a>>,
    pub(super) found: &'w mut Found<'a>,
    pub(super) language: Language,
    open: Vec<Open>,
    origins: HashedMap<Described<'a>>,
    /// Where things can be seen, first of all nowhere.
    visible: Vec<Ranges>,
}

impl<'w, 'a> Walk<'w, 'a> {
    pub(super) fn new(debug: &'w Debug<'a>, number: u32, found: &'w mut Found<'a>) -> Self {
        let context = &debug.units[number as usize];
        let (start, unit) = (context.start, &context.unit);
        let (open, origins, visible) = (Vec::new(), HashedMap::default(), vec![Arc::default()]);
        Self {
            debug,
            number,
            start,
            unit,
            found,
            language: Language::Other,
            open,
            origins,
            visible,
        }
    }

    /// Visits all entries.
    pub(super) fn run(mut self) -> gimli::Result<()> {
        self.found.producers.push(b"");
        let root = Open {
            scope: ScopeId::default(),
            what: What::Other,
            function: None,
            inlined: false,
            visible: 0,
        };
        let mut attributes = Attributes::default();
        let mut entries = self.unit.entries_raw(None)?;
        while !entries.is_empty() {
            let at = self.start + entries.next_offset().0;
            let Some(abbreviation) = entries.read_abbreviation()? else {
                self.open.pop();
                continue;
            };
            let tag = abbreviation.tag();
            let mut open = *self.open.last().unwrap_or(&root);
            if matters(tag) && !is_of_no_code(tag, &open) {
                attributes.read(&mut entries, abbreviation, self.start, &self.debug.signatures)?;
                self.visit(at, tag, &attributes, &mut open);
            } else {
                entries.skip_attributes(abbreviation.attributes())?;
                open.what = What::Other;
            }
            if abbreviation.has_children() {
                self.open.push(open);
            }
        }
        Ok(())
    }

    /// Collects what an entry says. `open` is what is known about the one around it, and becomes what is
    /// known about this one.
    fn visit(&mut self, at: EntryId, tag: DwTag, attributes: &Attributes<'a>, open: &mut Open) {
        match tag {
            gimli::DW_TAG_compile_unit | gimli::DW_TAG_partial_unit | gimli::DW_TAG_type_unit => {
                self.visit_unit(attributes);
            }
            gimli::DW_TAG_namespace | gimli::DW_TAG_module => {
                let name = self.string(attributes.name).unwrap_or(b"(anonymous namespace)");
                open.scope = self.found.scopes.add(open.scope, name);
                open.what = What::Other;
            }
            gimli::DW_TAG_subprogram => self.visit_function(at, attributes, open),
            gimli::DW_TAG_lexical_block => self.narrow(attributes, open),
            gimli::DW_TAG_inlined_subroutine => {
                open.inlined = true;
                self.narrow(attributes, open);
            }
            gimli::DW_TAG_variable => self.visit_variable(at, attributes, open, false),
            gimli::DW_TAG_formal_parameter if open.what == What::Other => {
                self.visit_variable(at, attributes, open, true);
            }
            _ => self.visit_type(at, tag, attributes, open),
        }
    }

    fn visit_unit(&mut self, attributes: &Attributes<'a>) {
        let language = attributes.language.and_then(|number| u16::try_from(number).ok());
        self.language = match language.map(gimli::DwLang) {
            Some(
                gimli::DW_LANG_C89
                | gimli::DW_LANG_C
                | gimli::DW_LANG_C99
                | gimli::DW_LANG_C11
                | gimli::DW_LANG_C17
                | gimli::DW_LANG_ObjC,
            ) => Language::C,
            Some(gimli::DW_LANG_Rust) => Language::Rust,
            _ => Language::Other,
        };
        let producer = self.string(attributes.producer).unwrap_or_default();
        if let Some(last) = self.found.producers.last_mut() {
            *last = producer;
        }
    }

    fn visit_function(&mut self, at: EntryId, attributes: &Attributes<'a>, open: &mut Open) {
        if open.scope != ScopeId::default() {
            self.found.inside.push((at, open.scope));
        }
        open.what = What::Other;
        open.inlined = false;
        open.function = Some((at, None));
        open.visible = self.addresses(attributes);
        let ranges = self.visible[open.visible].clone();
        let Some(first) = ranges.first() else { return };
        let low = attributes.low.and_then(|low| self.debug.address(self.unit, low));
        let inside = |low: &u64| ranges.iter().any(|range| range.contains(low));
        // With several ranges, the lowest is given for reference; it need not be the entry.
        let entry = low.filter(|low| attributes.ranges.is_none() && inside(low));
        self.found.functions.push(FoundFunction {
            at,
            unit: self.number,
            entry: entry.unwrap_or(first.start),
            ranges,
            frame_base: attributes.frame_base.map_or(Location::Nowhere, |base| self.location(base)),
            variables: Vec::new(),
        });
        open.function = Some((at, Some(self.found.functions.len() - 1)));
    }

    /// What is inside of a block can be seen there only.
    fn narrow(&mut self, attributes: &Attributes<'a>, open: &mut Open) {
        open.what = What::Other;
        if attributes.low.is_some() || attributes.ranges.is_some() {
            open.visible = self.addresses(attributes);
        }
    }

    fn visit_variable(
        &mut self,
        at: EntryId,
        attributes: &Attributes<'a>,
        open: &mut Open,
        parameter: bool,
    ) {
        if open.scope != ScopeId::default() && open.function.is_none() {
            self.found.inside.push((at, open.scope));
        }
        let inside = std::mem::replace(&mut open.what, What::Other);
        if attributes.declared_only || inside != What::Other {
            return;
        }
        let location = match (attributes.location, attributes.constant) {
            (Some(value), _) if is_thread_local(value, self.unit.encoding()) => {
                self.found.thread_locals += 1;
                return;
            }
            (Some(value), _) => self.location(value),
            (None, Some(value)) => constant(value),
            (None, None) => Location::Nowhere,
        };
        let described = self.describe(at, attributes);
        // Nobody can say anything about what has no name, and tables of methods are no variables.
        if described.name.is_none_or(|name| name.is_empty() || name.ends_with(b"::{vtable}")) {
            return;
        }
        let function = open.function;
        if let Location::Address(address) = location {
            let (unit, function) = (self.number, function.map(|(at, _)| at));
            let found = FoundStatic { unit, described, function, address };
            self.found.statics.push(found);
            return;
        }
        // Of functions that are always inlined there is no code, nor of functions that are thrown away.
        let Some((_, Some(function))) = function else { return };
        let visible = self.visible[open.visible].clone();
        if visible.is_empty() {
            return;
        }
        if matches!(location, Location::List(_)) && self.found.moving.last() != Some(&self.number) {
            self.found.moving.push(self.number);
        }
        let inlined = open.inlined;
        let found = FoundVariable { described, parameter, inlined, visible, location };
        self.found.functions[function].variables.push(found);
    }

    /// What an entry says about itself, or the entries that it refers to: many refer to the same ones.
    fn describe(&mut self, at: EntryId, attributes: &Attributes<'a>) -> Described<'a> {
        let mut described = self.debug.describe_alone(self.number, at, attributes);
        if let Some(origin) = attributes.origin {
            let debug = self.debug;
            let known = self.origins.entry(origin as u64);
            described.complete(known.or_insert_with(|| debug.describe(origin)));
        }
        described
    }

    /// Says what the entry around the one that is visited is from now on.
    pub(super) fn set_around(&mut self, what: What) {
        if let Some(around) = self.open.last_mut() {
            around.what = what;
        }
    }

    /// The number of where an entry can be seen.
    fn addresses(&mut self, attributes: &Attributes<'a>) -> usize {
        let found = attributes.addresses(&self.debug.dwarf, self.unit, self.debug.is_code);
        if found.is_empty() {
            return 0;
        }
        self.visible.push(found.into());
        self.visible.len() - 1
    }

    pub(super) fn string(&self, value: Option<Value<'a>>) -> Option<&'a [u8]> {
        self.debug.string(self.unit, value)
    }

    pub(super) fn named(&self, attributes: &Attributes<'a>, scope: ScopeId) -> Named<'a> {
        let name = self.string(attributes.name).filter(|name| !name.is_empty());
        Named { scope, name }
    }

    /// How to find out where something is, in a form that can be kept.
    fn location(&self, value: Value<'a>) -> Location {
        if let AttributeValue::Exprloc(Expression(code)) = value {
            return self.expression(code);
        }
        match self.debug.dwarf.attr_locations_offset(self.unit, value) {
            Ok(Some(list)) => Location::List(list.0),
            _ => Location::Nowhere,
        }
    }

    fn expression(&self, code: Reader<'a>) -> Location {
        let mut operations = Expression(code).operations(self.unit.encoding());
        let first = operations.next();
        if let (Ok(first), Ok(None)) = (first, operations.next()) {
            match first {
                None => return Location::Nowhere,
                Some(Operation::Address { address }) => return Location::Address(address),
                Some(Operation::AddressIndex { index }) => {
                    let address = self.debug.dwarf.address(self.unit, index);
                    return address.map_or(Location::Nowhere, Location::Address);
                }
                Some(_) => {}
            }
        }
        self.debug.place_in_info(code).map_or(Location::Nowhere, Location::Expression)
    }
}

/// Whether an expression finds a variable of which every thread has its own.
fn is_thread_local(value: Value<'_>, encoding: Encoding) -> bool {
    let AttributeValue::Exprloc(Expression(code)) = value else { return false };
    let mut operations = Expression(code).operations(encoding);
    let mut last = None;
    while let Ok(Some(operation)) = operations.next() {
        last = Some(operation);
    }
    matches!(last, Some(Operation::TLS))
}

/// A value that is always the same.
fn constant(value: Value<'_>) -> Location {
    let bytes: Box<[u8]> = match value {
        AttributeValue::Block(bytes) => bytes.slice().into(),
        AttributeValue::String(bytes) => bytes.slice().into(),
        value => match number(value) {
            Some(number) => number.to_le_bytes().into(),
            None => return Location::Nowhere,
        },
    };
    Location::Constant(bytes)
}

/// Whether an entry is a parameter of a function that is only declared, or inlined everywhere.
fn is_of_no_code(tag: DwTag, around: &Open) -> bool {
    let no_code = matches!(around.function, Some((_, None))) && around.what == What::Other;
    tag == gimli::DW_TAG_formal_parameter && no_code
}

/// Whether entries of a kind have something to say here.
fn matters(tag: DwTag) -> bool {
    matches!(
        tag,
        gimli::DW_TAG_array_type
            | gimli::DW_TAG_atomic_type
            | gimli::DW_TAG_base_type
            | gimli::DW_TAG_class_type
            | gimli::DW_TAG_compile_unit
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_enumeration_type
            | gimli::DW_TAG_enumerator
            | gimli::DW_TAG_formal_parameter
            | gimli::DW_TAG_inheritance
            | gimli::DW_TAG_inlined_subroutine
            | gimli::DW_TAG_interface_type
            | gimli::DW_TAG_lexical_block
            | gimli::DW_TAG_member
            | gimli::DW_TAG_module
            | gimli::DW_TAG_namespace
            | gimli::DW_TAG_partial_unit
            | gimli::DW_TAG_pointer_type
            | gimli::DW_TAG_ptr_to_member_type
            | gimli::DW_TAG_reference_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_rvalue_reference_type
            | gimli::DW_TAG_structure_type
            | gimli::DW_TAG_subprogram
            | gimli::DW_TAG_subrange_type
            | gimli::DW_TAG_subroutine_type
            | gimli::DW_TAG_type_unit
            | gimli::DW_TAG_typedef
            | gimli::DW_TAG_union_type
            | gimli::DW_TAG_unspecified_parameters
            | gimli::DW_TAG_unspecified_type
            | gimli::DW_TAG_variable
            | gimli::DW_TAG_variant
            | gimli::DW_TAG_variant_part
            | gimli::DW_TAG_volatile_type
    )
}
