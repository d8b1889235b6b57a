//! What is found in debug information, before it is put together.

use super::attributes::EntryId;
use super::function::{Location, Ranges};
use super::raw::{Raw, ScopeId, Scopes};

/// What was found in some units.
#[derive(Default)]
pub(super) struct Found<'a> {
    /// By their entries.
    pub(super) raws: Vec<Raw<'a>>,
    pub(super) scopes: Scopes<'a>,
    /// What functions and variables are inside of, by their entries, if it is anything.
    pub(super) inside: Vec<(EntryId, ScopeId)>,
    pub(super) functions: Vec<FoundFunction<'a>>,
    pub(super) statics: Vec<FoundStatic<'a>>,
    /// Variables of which every thread has its own.
    pub(super) thread_locals: usize,
    /// Units with variables that move around.
    pub(super) moving: Vec<u32>,
    /// What units say about their compilers.
    pub(super) producers: Vec<&'a [u8]>,
}

impl Found<'_> {
    /// Adds what was found in the units behind these.
    pub(super) fn append(&mut self, mut behind: Self) {
        // What others are inside of is known by its place in a list, which gets longer.
        let scopes = self.scopes.append(behind.scopes);
        for raw in &mut behind.raws {
            raw.named.scope = scopes.of(raw.named.scope);
        }
        for (_, scope) in &mut behind.inside {
            *scope = scopes.of(*scope);
        }
        self.raws.append(&mut behind.raws);
        self.inside.append(&mut behind.inside);
        self.functions.append(&mut behind.functions);
        self.statics.append(&mut behind.statics);
        self.thread_locals += behind.thread_locals;
        self.moving.append(&mut behind.moving);
        self.producers.append(&mut behind.producers);
    }
}

/// A function with code.
pub(super) struct FoundFunction<'a> {
    pub(super) at: EntryId,
    pub(super) unit: u32,
    pub(super) ranges: Ranges,
    pub(super) entry: u64,
    pub(super) frame_base: Location,
    pub(super) variables: Vec<FoundVariable<'a>>,
}

/// A variable of a function.
pub(super) struct FoundVariable<'a> {
    pub(super) described: Described<'a>,
    pub(super) parameter: bool,
    pub(super) inlined: bool,
    pub(super) visible: Ranges,
    pub(super) location: Location,
}

/// A variable that is always in the same place.
pub(super) struct FoundStatic<'a> {
    pub(super) unit: u32,
    pub(super) described: Described<'a>,
    /// The function that it belongs to.
    pub(super) function: Option<EntryId>,
    pub(super) address: u64,
}

/// What is said about something, by its entry or by one that this refers to.
#[derive(Clone, Copy, Default)]
pub(super) struct Described<'a> {
    pub(super) name: Option<&'a [u8]>,
    pub(super) linkage_name: Option<&'a [u8]>,
    pub(super) of: Option<EntryId>,
    /// The number of a unit, of one of its files, and of a line.
    pub(super) declared: Option<(u32, u32, u32)>,
    /// The entry where the chain of references ends: it lies where it was declared.
    pub(super) first: EntryId,
}

impl<'a> Described<'a> {
    /// Adds what is said by an entry that was referred to, if it is not said already.
    pub(super) fn complete(&mut self, origin: &Self) {
        self.name = self.name.or(origin.name);
        self.linkage_name = self.linkage_name.or(origin.linkage_name);
        self.of = self.of.or(origin.of);
        self.declared = self.declared.or(origin.declared);
        self.first = origin.first;
    }
}
