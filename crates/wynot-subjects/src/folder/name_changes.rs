//! The changes that mention a name, and the dependencies between them.

use std::collections::BTreeSet;
use wynot_core::{Configuration, Dependencies, Grouping};

/// The largest number of changes that a name ties together if none of them looks like its definition.
pub(crate) const MAX_TIED: usize = 40;

/// The largest number of functions and other items that define a name which others mean.
const MAX_DEFINING_SCOPES: usize = 4;

/// The changes that mention a name, in ascending order.
#[derive(Debug, Default)]
pub(crate) struct NameChanges {
    /// Those that add a mention of it.
    pub(crate) add: Vec<u32>,
    /// Those of them that look like its definition.
    pub(crate) define: Vec<u32>,
    /// Those that remove a mention of it.
    pub(crate) remove: Vec<u32>,
    /// Those of them that look like its definition.
    pub(crate) undefine: Vec<u32>,
    /// The definitions, old and new, that are not indented.
    pub(crate) outer: Vec<u32>,
}

impl NameChanges {
    /// All changes that mention the name.
    pub(crate) fn all(&self) -> BTreeSet<u32> {
        self.add
            .iter()
            .chain(&self.remove)
            .chain(&self.define)
            .chain(&self.undefine)
            .copied()
            .collect()
    }

    /// Those that look like a definition.
    fn definitions(&self) -> BTreeSet<u32> {
        self.define.iter().chain(&self.undefine).copied().collect()
    }

    /// Whether some of the changes are applied, and others are not.
    pub(crate) fn is_mixed(&self, configuration: &Configuration) -> bool {
        is_mixed(&self.all(), configuration)
    }

    /// Whether the name is defined twice or not at all, since it is defined elsewhere in the other version.
    pub(crate) fn has_mixed_definitions(&self, configuration: &Configuration) -> bool {
        let is_in_both = !self.define.is_empty() && !self.undefine.is_empty();
        is_in_both && is_mixed(&self.definitions(), configuration)
    }

    /// Whether a function or type of this name is in another place, or in another order with its neighbours.
    pub(crate) fn is_moved(&self, scopes: &Grouping) -> bool {
        let of = |defining: &[u32]| -> BTreeSet<u32> {
            let outer = defining.iter().filter(|delta| self.outer.contains(delta));
            outer.map(|&delta| scopes.group_of(delta)).collect()
        };
        let (old, new) = (of(&self.undefine), of(&self.define));
        let count = old.union(&new).count();
        !old.is_empty() && !new.is_empty() && old != new && count <= MAX_DEFINING_SCOPES
    }

    pub(crate) fn tie_definitions(&self, dependencies: &mut Dependencies) {
        dependencies.tie(self.definitions());
    }

    /// Adds the dependencies between the changes that mention the name. A function that defines it means its own one, a
    /// parameter or a variable. All others mean what few functions or files define.
    pub(crate) fn connect(&self, scopes: &Grouping, dependencies: &mut Dependencies) {
        let defining: BTreeSet<u32> =
            self.definitions().into_iter().map(|delta| scopes.group_of(delta)).collect();
        let of_scope = |scope: u32| self.within(|delta| scopes.group_of(delta) == scope);
        if defining.len() > 1 {
            defining.iter().for_each(|&scope| of_scope(scope).connect_all(dependencies));
        }
        if defining.len() <= MAX_DEFINING_SCOPES {
            self.connect_all(dependencies);
        }
    }

    /// Adds the dependencies between changes that mean the same.
    fn connect_all(&self, dependencies: &mut Dependencies) {
        let definitions = self.definitions();
        if definitions.is_empty() {
            let all = self.all();
            if all.len() <= MAX_TIED {
                dependencies.tie(all);
            }
            return;
        }
        dependencies.tie(definitions);
        if !self.define.is_empty() {
            dependencies.add(self.add.iter().copied(), self.define.iter().copied());
        }
        if !self.undefine.is_empty() {
            dependencies.add(self.undefine.iter().copied(), self.remove.iter().copied());
        }
    }

    /// Some of the changes.
    fn within(&self, is_meant: impl Fn(u32) -> bool) -> Self {
        let of = |deltas: &[u32]| deltas.iter().copied().filter(|&delta| is_meant(delta)).collect();
        Self {
            add: of(&self.add),
            define: of(&self.define),
            remove: of(&self.remove),
            undefine: of(&self.undefine),
            outer: of(&self.outer),
        }
    }
}

/// Whether some deltas are applied, and others are not.
fn is_mixed(deltas: &BTreeSet<u32>, configuration: &Configuration) -> bool {
    let applied = deltas.iter().filter(|&&delta| configuration.contains(delta)).count();
    applied > 0 && applied < deltas.len()
}
