//! Walking over the entries of a unit once, collecting types, functions and variables.

use super::attributes::{Attributes, EntryId, Value};
use super::collected::{
    Collected, CollectedFunction, CollectedStatic, CollectedVariable, Description,
};
use super::entry_index::PrehashedMap;
use super::location_attributes::{constant_description, is_thread_local, location_description};
use super::types::scope::{ScopeId, ScopedName};
use super::units::DebugInfo;
use crate::dwarf::debug_sections::Reader;
use crate::dwarf::function::{LocationDescription, Ranges};
use gimli::DwTag;
use std::sync::Arc;

/// An entry whose children are being visited.
#[derive(Clone, Copy)]
pub(super) struct OpenEntry {
    pub(super) scope: ScopeId,
    pub(super) role: EntryRole,
    /// The entry of the enclosing function, and its position among the collected ones if it has code.
    function: Option<(EntryId, Option<usize>)>,
    inlined: bool,
    /// The position in [`EntryWalk::visibilities`] for the children.
    visible: usize,
}

/// The role of an entry for its children.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryRole {
    Other,
    /// A type, by its position among the collected ones.
    Type(usize),
    /// An array type, with the position of its innermost dimension so far.
    Array {
        last: usize,
        dimensions: usize,
    },
    /// The list of variants of a type.
    VariantPart(usize),
    /// A variant of a type.
    Variant(usize),
}

/// The language of a unit, as far as the names of types depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Rust,
    Other,
}

/// Walks over the entries of a unit.
pub(super) struct EntryWalk<'w, 'a> {
    pub(super) debug: &'w DebugInfo<'a>,
    pub(super) number: u32,
    pub(super) start: EntryId,
    pub(super) unit: &'w gimli::Unit<Reader<'a>>,
    pub(super) collected: &'w mut Collected<'a>,
    pub(super) language: Language,
    open: Vec<OpenEntry>,
    /// Descriptions by the entries that others refer to.
    origins: PrehashedMap<Description<'a>>,
    /// The code from which variables are visible. The first one is empty.
    visibilities: Vec<Ranges>,
}

impl<'w, 'a> EntryWalk<'w, 'a> {
    pub(super) fn new(
        debug: &'w DebugInfo<'a>,
        number: u32,
        collected: &'w mut Collected<'a>,
    ) -> Self {
        let context = &debug.units[number as usize];
        let (start, unit) = (context.start, &context.unit);
        let visibilities = vec![Arc::default()];
        Self {
            debug,
            number,
            start,
            unit,
            collected,
            language: Language::Other,
            open: Vec::new(),
            origins: PrehashedMap::default(),
            visibilities,
        }
    }

    /// Visits all entries.
    pub(super) fn run(mut self) -> gimli::Result<()> {
        self.collected.producers.push(b"");
        let root = OpenEntry {
            scope: ScopeId::default(),
            role: EntryRole::Other,
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
            if is_used(tag) && !is_parameter_without_code(tag, &open) {
                attributes.read(&mut entries, abbreviation, self.start, &self.debug.signatures)?;
                self.visit(at, tag, &attributes, &mut open);
            } else {
                entries.skip_attributes(abbreviation.attributes())?;
                open.role = EntryRole::Other;
            }
            if abbreviation.has_children() {
                self.open.push(open);
            }
        }
        Ok(())
    }

    /// Collects what an entry declares. `open` describes its parent, and is changed to describe the entry.
    fn visit(
        &mut self,
        at: EntryId,
        tag: DwTag,
        attributes: &Attributes<'a>,
        open: &mut OpenEntry,
    ) {
        match tag {
            gimli::DW_TAG_compile_unit | gimli::DW_TAG_partial_unit | gimli::DW_TAG_type_unit => {
                self.visit_unit(attributes);
            }
            gimli::DW_TAG_namespace | gimli::DW_TAG_module => {
                let name = self.string(attributes.name).unwrap_or(b"(anonymous namespace)");
                open.scope = self.collected.scopes.add(open.scope, name);
                open.role = EntryRole::Other;
            }
            gimli::DW_TAG_subprogram => self.visit_function(at, attributes, open),
            gimli::DW_TAG_lexical_block => self.narrow_visibility(attributes, open),
            gimli::DW_TAG_inlined_subroutine => {
                open.inlined = true;
                self.narrow_visibility(attributes, open);
            }
            gimli::DW_TAG_variable => self.visit_variable(at, attributes, open, false),
            gimli::DW_TAG_formal_parameter if open.role == EntryRole::Other => {
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
        if let Some(last) = self.collected.producers.last_mut() {
            *last = producer;
        }
    }

    fn visit_function(&mut self, at: EntryId, attributes: &Attributes<'a>, open: &mut OpenEntry) {
        if open.scope != ScopeId::default() {
            self.collected.scope_of.push((at, open.scope));
        }
        open.role = EntryRole::Other;
        open.inlined = false;
        open.function = Some((at, None));
        open.visible = self.add_visibility(attributes);
        let ranges = self.visibilities[open.visible].clone();
        let Some(first) = ranges.first() else { return };
        let low_pc = attributes.low_pc.and_then(|low| self.debug.address(self.unit, low));
        let is_inside = |low: &u64| ranges.iter().any(|range| range.contains(low));
        // If there are several ranges, the low address is only a base for them, and need not be the entry.
        let entry = low_pc.filter(|low| attributes.ranges.is_none() && is_inside(low));
        self.collected.functions.push(CollectedFunction {
            at,
            unit: self.number,
            entry: entry.unwrap_or(first.start),
            ranges,
            frame_base: attributes.frame_base.map_or(LocationDescription::OptimizedOut, |base| {
                location_description(self.debug, self.unit, base)
            }),
            variables: Vec::new(),
        });
        open.function = Some((at, Some(self.collected.functions.len() - 1)));
    }

    /// The variables of a block are visible from its code only.
    fn narrow_visibility(&mut self, attributes: &Attributes<'a>, open: &mut OpenEntry) {
        open.role = EntryRole::Other;
        if attributes.low_pc.is_some() || attributes.ranges.is_some() {
            open.visible = self.add_visibility(attributes);
        }
    }

    fn visit_variable(
        &mut self,
        at: EntryId,
        attributes: &Attributes<'a>,
        open: &mut OpenEntry,
        parameter: bool,
    ) {
        if open.scope != ScopeId::default() && open.function.is_none() {
            self.collected.scope_of.push((at, open.scope));
        }
        let parent = std::mem::replace(&mut open.role, EntryRole::Other);
        if attributes.is_declaration || parent != EntryRole::Other {
            return;
        }
        let location = match (attributes.location, attributes.const_value) {
            (Some(value), _) if is_thread_local(value, self.unit.encoding()) => {
                self.collected.thread_locals += 1;
                return;
            }
            (Some(value), _) => location_description(self.debug, self.unit, value),
            (None, Some(value)) => constant_description(value),
            (None, None) => LocationDescription::OptimizedOut,
        };
        let description = self.describe(at, attributes);
        // Variables without a name cannot be referred to, and tables of methods are no variables.
        if description.name.is_none_or(|name| name.is_empty() || name.ends_with(b"::{vtable}")) {
            return;
        }
        let function = open.function;
        if let LocationDescription::Address(address) = location {
            let (unit, function) = (self.number, function.map(|(at, _)| at));
            let collected = CollectedStatic { unit, description, function, address };
            self.collected.statics.push(collected);
            return;
        }
        // A function that is inlined everywhere, or that the linker has removed, has no code.
        let Some((_, Some(function))) = function else { return };
        let visible = self.visibilities[open.visible].clone();
        if visible.is_empty() {
            return;
        }
        let with_lists = &mut self.collected.units_with_location_lists;
        if matches!(location, LocationDescription::List(_))
            && with_lists.last() != Some(&self.number)
        {
            with_lists.push(self.number);
        }
        let inlined = open.inlined;
        let collected = CollectedVariable { description, parameter, inlined, visible, location };
        self.collected.functions[function].variables.push(collected);
    }

    /// The description of an entry, completed by the one that it refers to, to which many others refer as well.
    fn describe(&mut self, at: EntryId, attributes: &Attributes<'a>) -> Description<'a> {
        let mut description = self.debug.describe_alone(self.number, at, attributes);
        if let Some(origin) = attributes.origin {
            let debug = self.debug;
            let known = self.origins.entry(origin as u64);
            description.complete(known.or_insert_with(|| debug.describe(origin)));
        }
        description
    }

    /// Changes the role of the parent of the entry that is visited.
    pub(super) fn set_parent_role(&mut self, role: EntryRole) {
        if let Some(parent) = self.open.last_mut() {
            parent.role = role;
        }
    }

    /// Adds the code of an entry to the visibilities, and returns its position.
    fn add_visibility(&mut self, attributes: &Attributes<'a>) -> usize {
        let ranges = attributes.addresses(&self.debug.dwarf, self.unit, self.debug.is_code);
        if ranges.is_empty() {
            return 0;
        }
        self.visibilities.push(ranges.into());
        self.visibilities.len() - 1
    }

    pub(super) fn string(&self, value: Option<Value<'a>>) -> Option<&'a [u8]> {
        self.debug.string(self.unit, value)
    }

    pub(super) fn scoped_name(
        &self,
        attributes: &Attributes<'a>,
        scope: ScopeId,
    ) -> ScopedName<'a> {
        let name = self.string(attributes.name).filter(|name| !name.is_empty());
        ScopedName { scope, name }
    }
}

/// Whether an entry is a parameter of a function that is only declared, or inlined everywhere.
fn is_parameter_without_code(tag: DwTag, parent: &OpenEntry) -> bool {
    let has_no_code = matches!(parent.function, Some((_, None))) && parent.role == EntryRole::Other;
    tag == gimli::DW_TAG_formal_parameter && has_no_code
}

/// Whether entries with a tag are used.
fn is_used(tag: DwTag) -> bool {
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
