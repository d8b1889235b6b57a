//! The namespaces, modules and classes that names are declared in.

use super::stable_hash::hash_bytes;

/// A name and its scope.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::dwarf::read) struct ScopedName<'a> {
    pub(in crate::dwarf::read) scope: ScopeId,
    pub(in crate::dwarf::read) name: Option<&'a [u8]>,
}

/// A namespace, module or class. The default is the outermost scope.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::dwarf::read) struct ScopeId(u32);

/// All scopes except for the outermost one, each with its name and with a hash of its qualified name.
#[derive(Debug, Default)]
pub(in crate::dwarf::read) struct Scopes<'a>(Vec<(ScopedName<'a>, u64)>);

/// The number of scopes after which a qualified name is cut off.
const MAX_NAME_PARTS: usize = 32;

impl<'a> Scopes<'a> {
    /// Adds a scope inside another one.
    pub(in crate::dwarf::read) fn add(&mut self, scope: ScopeId, name: &'a [u8]) -> ScopeId {
        let named = ScopedName { scope, name: Some(name) };
        self.0.push((named, self.hash(named)));
        ScopeId(u32::try_from(self.0.len()).unwrap_or(0))
    }

    /// Adds other scopes, and returns how their identifiers change.
    pub(in crate::dwarf::read) fn append(&mut self, others: Self) -> ScopeShift {
        let shift = ScopeShift(u32::try_from(self.0.len()).unwrap_or(0));
        self.0.extend(others.0.into_iter().map(|(mut named, hash)| {
            named.scope = shift.apply(named.scope);
            (named, hash)
        }));
        shift
    }

    fn get(&self, scope: ScopeId) -> Option<(ScopedName<'a>, u64)> {
        self.0.get((scope.0 as usize).checked_sub(1)?).copied()
    }

    /// The qualified name, as programmers write it.
    pub(in crate::dwarf::read) fn qualified(&self, named: ScopedName<'a>) -> String {
        let mut parts = vec![String::from_utf8_lossy(named.name.unwrap_or_default())];
        let mut scope = named.scope;
        while let Some((outer, _)) = self.get(scope).filter(|_| parts.len() < MAX_NAME_PARTS) {
            parts.push(String::from_utf8_lossy(outer.name.unwrap_or_default()));
            scope = outer.scope;
        }
        parts.reverse();
        parts.join("::")
    }

    /// A hash of the qualified name.
    pub(in crate::dwarf::read) fn hash(&self, named: ScopedName<'a>) -> u64 {
        let outer = self.get(named.scope).map_or(1, |(_, hash)| hash);
        hash_bytes(outer, named.name.unwrap_or_default())
    }
}

/// How identifiers of scopes change when the scopes are added to others.
#[derive(Clone, Copy)]
pub(in crate::dwarf::read) struct ScopeShift(u32);

impl ScopeShift {
    pub(in crate::dwarf::read) fn apply(self, scope: ScopeId) -> ScopeId {
        if scope == ScopeId::default() { scope } else { ScopeId(scope.0 + self.0) }
    }
}
