//! What the entries of some units declare, before it is put together.

use super::attributes::EntryId;
use super::types::declared_type::DeclaredType;
use super::types::scope::{ScopeId, Scopes};
use crate::dwarf::function::{LocationDescription, Ranges};

/// What some consecutive units declare.
#[derive(Default)]
pub(super) struct Collected<'a> {
    /// Sorted by entry.
    pub(super) types: Vec<DeclaredType<'a>>,
    pub(super) scopes: Scopes<'a>,
    /// The scopes of functions and variables that are in one, sorted by entry.
    pub(super) scope_of: Vec<(EntryId, ScopeId)>,
    pub(super) functions: Vec<CollectedFunction<'a>>,
    pub(super) statics: Vec<CollectedStatic<'a>>,
    /// The number of thread-local variables.
    pub(super) thread_locals: usize,
    /// The units with variables whose locations change from instruction to instruction.
    pub(super) units_with_location_lists: Vec<u32>,
    /// The names of the compilers of the units.
    pub(super) producers: Vec<&'a [u8]>,
}

impl Collected<'_> {
    /// Adds what the following units declare.
    pub(super) fn append(&mut self, mut following: Self) {
        // Scopes are identified by their positions in a list, which change.
        let shift = self.scopes.append(following.scopes);
        for declared in &mut following.types {
            declared.name.scope = shift.apply(declared.name.scope);
        }
        for (_, scope) in &mut following.scope_of {
            *scope = shift.apply(*scope);
        }
        self.types.append(&mut following.types);
        self.scope_of.append(&mut following.scope_of);
        self.functions.append(&mut following.functions);
        self.statics.append(&mut following.statics);
        self.thread_locals += following.thread_locals;
        self.units_with_location_lists.append(&mut following.units_with_location_lists);
        self.producers.append(&mut following.producers);
    }
}

/// A function with code.
pub(super) struct CollectedFunction<'a> {
    /// The entry.
    pub(super) at: EntryId,
    pub(super) unit: u32,
    pub(super) ranges: Ranges,
    pub(super) entry: u64,
    pub(super) frame_base: LocationDescription,
    pub(super) variables: Vec<CollectedVariable<'a>>,
}

/// A variable of a function.
pub(super) struct CollectedVariable<'a> {
    pub(super) description: Description<'a>,
    pub(super) parameter: bool,
    pub(super) inlined: bool,
    pub(super) visible: Ranges,
    pub(super) location: LocationDescription,
}

/// A variable with a fixed address.
pub(super) struct CollectedStatic<'a> {
    pub(super) unit: u32,
    pub(super) description: Description<'a>,
    /// The entry of the function that it belongs to.
    pub(super) function: Option<EntryId>,
    pub(super) address: u64,
}

/// What an entry, together with those that it refers to, says about a function or variable.
#[derive(Clone, Copy, Default)]
pub(super) struct Description<'a> {
    pub(super) name: Option<&'a [u8]>,
    pub(super) linkage_name: Option<&'a [u8]>,
    /// The entry of the type.
    pub(super) of: Option<EntryId>,
    /// The place of the declaration: the number of a unit, the unit's number of a file, and a line.
    pub(super) place: Option<(u32, u32, u32)>,
    /// The entry at the end of the chain of references, which is in the scope of the declaration.
    pub(super) declaration: EntryId,
}

impl<'a> Description<'a> {
    /// Adds what an entry that this one refers to says, unless it is known already.
    pub(super) fn complete(&mut self, origin: &Self) {
        self.name = self.name.or(origin.name);
        self.linkage_name = self.linkage_name.or(origin.linkage_name);
        self.of = self.of.or(origin.of);
        self.place = self.place.or(origin.place);
        self.declaration = origin.declaration;
    }
}
