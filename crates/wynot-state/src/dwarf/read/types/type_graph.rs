//! Declared types with their references, and which of them are equal.
//!
//! Every unit declares its own `struct node`, and `struct node` has a pointer to itself: whether two of them are
//! equal depends on whether they are equal. So all types with the same shape count as equal at first. Then classes
//! of equal types are split as long as their members refer to types of different classes (partition refinement, as
//! in minimizing an automaton). The types that remain in one class are equal.

use super::declared_type::{DeclaredKind, DeclaredType};
use super::scope::Scopes;
use super::stable_hash::mix;
use crate::dwarf::read::attributes::EntryId;
use crate::dwarf::read::entry_index::{PrehashedMap, RankIndex};

/// Declared types with their references. Types are known by their positions.
pub(super) struct TypeGraph<'w, 'a> {
    pub(super) types: &'w [DeclaredType<'a>],
    pub(super) scopes: &'w Scopes<'a>,
    shapes: &'w [u64],
    /// The positions of types by their entries.
    ranks: RankIndex,
    /// For each type, the type that it is another name of, or itself; `None` stands for void.
    targets: Vec<Option<u32>>,
}

/// The length of the longest chain of aliases.
const MAX_ALIASES: usize = 64;

/// The number of references that are followed in all rounds of refinement. Real programs need about ten rounds;
/// long chains of pointers to pointers could take hours.
const MAX_FOLLOWED_REFERENCES: usize = 1 << 29;

impl<'w, 'a> TypeGraph<'w, 'a> {
    /// The types have to be sorted by entry; `ranks` are their positions, and `shapes` their shapes.
    pub(super) fn new(
        types: &'w [DeclaredType<'a>],
        scopes: &'w Scopes<'a>,
        shapes: &'w [u64],
        ranks: RankIndex,
    ) -> Self {
        let mut graph = Self { types, scopes, shapes, ranks, targets: Vec::new() };
        let definitions = graph.definitions();
        let targets = (0..types.len()).map(|number| graph.follow(number, &definitions));
        graph.targets = targets.collect();
        graph
    }

    /// The type of an entry, with aliases resolved; `None` stands for void and for unknown types.
    pub(super) fn target(&self, entry: Option<EntryId>) -> Option<usize> {
        self.targets[self.ranks.rank(entry?)?].map(|number| number as usize)
    }

    /// The type that a type is another name of, or the type itself.
    pub(super) fn target_of(&self, number: usize) -> Option<usize> {
        self.targets[number].map(|number| number as usize)
    }

    /// The positions of types by their entries.
    pub(super) fn into_ranks(self) -> RankIndex {
        self.ranks
    }

    /// Resolves aliases, and finds the definition of an incomplete type.
    fn follow(&self, number: usize, definitions: &PrehashedMap<Option<usize>>) -> Option<u32> {
        let mut number = number;
        for _ in 0..MAX_ALIASES {
            match &self.types[number].kind {
                DeclaredKind::Alias { of, .. } => number = self.ranks.rank((*of)?)?,
                DeclaredKind::Incomplete => {
                    let name = self.types[number].name_hash(self.scopes)?;
                    number = definitions.get(&name).copied().flatten().unwrap_or(number);
                    return u32::try_from(number).ok();
                }
                _ => return u32::try_from(number).ok(),
            }
        }
        None
    }

    /// The definitions by hashes of their names, if all definitions with a name have the same shape.
    fn definitions(&self) -> PrehashedMap<Option<usize>> {
        let mut definitions: PrehashedMap<(u64, Option<usize>)> = PrehashedMap::default();
        for (number, declared) in self.types.iter().enumerate() {
            let is_definition = matches!(
                declared.kind,
                DeclaredKind::Structure { .. }
                    | DeclaredKind::Union { .. }
                    | DeclaredKind::Enumeration { .. }
            );
            let name = declared.name_hash(self.scopes).filter(|_| is_definition);
            let Some(name) = name else { continue };
            let shape = self.shapes[number];
            let known = definitions.entry(name).or_insert((shape, Some(number)));
            if known.0 != shape {
                known.1 = None;
            }
        }
        definitions.into_iter().map(|(name, (_, number))| (name, number)).collect()
    }

    /// For each type the number of its class. Two types are equal if they have the same class.
    pub(super) fn classes(&self) -> Vec<u32> {
        let (starts, references) = self.references();
        let mut hashes = self.shapes.to_vec();
        let (mut classes, mut count) = number_hashes(&hashes);
        for _ in 0..MAX_FOLLOWED_REFERENCES / (references.len() + hashes.len()).max(1) {
            for (hash, at) in hashes.iter_mut().zip(0..) {
                let refers = &references[starts[at] as usize..starts[at + 1] as usize];
                let class =
                    |to: &Option<u32>| to.map_or(0, |to| u64::from(classes[to as usize]) + 1);
                *hash = refers.iter().fold(u64::from(classes[at]), |hash, to| mix(hash, class(to)));
            }
            let (next, more) = number_hashes(&hashes);
            classes = next;
            if more == count {
                return classes;
            }
            count = more;
        }
        // No compiler writes such types. Different types must not count as equal, so none are.
        (0..).take(hashes.len()).collect()
    }

    /// The references of all types in one list, and the position at which those of each type begin.
    fn references(&self) -> (Vec<u32>, Vec<Option<u32>>) {
        let mut starts = vec![0];
        let mut references = Vec::new();
        for declared in self.types {
            each_reference(&declared.kind, &mut |to| {
                references.push(self.target(to).and_then(|to| u32::try_from(to).ok()));
            });
            starts.push(u32::try_from(references.len()).unwrap_or(u32::MAX));
        }
        (starts, references)
    }
}

/// Visits all types that a type contains or points to.
fn each_reference(kind: &DeclaredKind<'_>, visit: &mut impl FnMut(Option<EntryId>)) {
    match kind {
        DeclaredKind::Simple(_) | DeclaredKind::Alias { .. } | DeclaredKind::Incomplete => {}
        DeclaredKind::Pointer { to: of }
        | DeclaredKind::Array { of, .. }
        | DeclaredKind::Enumeration { of, .. } => visit(*of),
        DeclaredKind::Function { result, parameters, .. } => {
            visit(*result);
            parameters.iter().for_each(|parameter| visit(*parameter));
        }
        DeclaredKind::Union { members } => members.iter().for_each(|member| visit(member.of)),
        DeclaredKind::Structure { members, variants } => {
            members.iter().for_each(|member| visit(member.of));
            let Some(variants) = variants else { return };
            variants.tag.iter().for_each(|member| visit(member.of));
            let members = variants.variants.iter().flat_map(|variant| &variant.members);
            members.for_each(|member| visit(member.of));
        }
    }
}

/// Numbers hashes in the order of their first appearance. Also returns how many different ones there are.
fn number_hashes(hashes: &[u64]) -> (Vec<u32>, usize) {
    let mut numbers: PrehashedMap<u32> = PrehashedMap::default();
    let mut next = 0;
    let numbered = hashes.iter().map(|hash| {
        *numbers.entry(*hash).or_insert_with(|| {
            next += 1;
            next - 1
        })
    });
    let numbered = numbered.collect();
    (numbered, numbers.len())
}
