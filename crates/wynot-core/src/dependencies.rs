//! What deltas need of each other: the use of a name and its definition, the two ends of a block.

use crate::components::components;
use crate::configuration::Configuration;
use crate::grouping::Grouping;
use std::collections::HashSet;

/// A relation between deltas: where one of them is applied, so must be those that it needs.
///
/// A configuration is *closed* if it contains what its deltas need. Closed configurations of a program's
/// changes are likely to build.
///
/// ```
/// use wynot_core::{Configuration, Dependencies};
///
/// let mut dependencies = Dependencies::new(5);
/// dependencies.add([1, 2], [0]); // 1 and 2 use what 0 defines
/// dependencies.tie([3, 4]); // 3 opens a block, 4 closes it
/// let all = Configuration::full(5);
/// let part = Configuration::from([2, 3]);
/// assert_eq!(dependencies.with_needs(&part, &all), Configuration::from([0, 2, 3, 4]));
/// assert_eq!(dependencies.with_dependents(&[0].into(), &all), Configuration::from([0, 1, 2]));
/// ```
#[derive(Clone, Debug)]
pub struct Dependencies {
    deltas: u32,
    /// For each delta, then for each rule, the rules or deltas that it leads to.
    needs: Vec<Vec<u32>>,
    /// The same edges, backwards.
    needed_by: Vec<Vec<u32>>,
    /// The reasons for which rules were added.
    reasons: HashSet<Vec<u8>>,
}

impl Dependencies {
    /// No dependencies among the deltas `0..deltas`.
    pub fn new(deltas: u32) -> Self {
        let empty = || vec![Vec::new(); deltas as usize];
        Self { deltas, needs: empty(), needed_by: empty(), reasons: HashSet::new() }
    }

    /// The number of rules so far. It grows with each that is added.
    pub fn rules(&self) -> usize {
        self.needs.len() - self.deltas as usize
    }

    /// Notes a reason for rules. Returns whether it is new, so that the same rules are not added twice.
    pub fn note_reason(&mut self, reason: impl Into<Vec<u8>>) -> bool {
        self.reasons.insert(reason.into())
    }

    /// Adds the rule that each of some deltas needs each of others.
    pub fn add(
        &mut self,
        dependents: impl IntoIterator<Item = u32>,
        needed: impl IntoIterator<Item = u32>,
    ) {
        let rule = self.needs.len() as u32;
        self.needs.push(Vec::new());
        self.needed_by.push(Vec::new());
        for delta in dependents {
            self.needs[delta as usize].push(rule);
            self.needed_by[rule as usize].push(delta);
        }
        for delta in needed {
            self.needs[rule as usize].push(delta);
            self.needed_by[delta as usize].push(rule);
        }
    }

    /// Adds the rule that each of some deltas needs all the others.
    pub fn tie(&mut self, deltas: impl IntoIterator<Item = u32>) {
        let deltas: Vec<u32> = deltas.into_iter().collect();
        if deltas.len() > 1 {
            self.add(deltas.iter().copied(), deltas.iter().copied());
        }
    }

    /// Some deltas with all that they need. Only deltas of `available` are added.
    pub fn with_needs(&self, part: &Configuration, available: &Configuration) -> Configuration {
        self.reach(&self.needs, part, available)
    }

    /// Some deltas with all that need them. Only deltas of `available` are added.
    pub fn with_dependents(
        &self,
        part: &Configuration,
        available: &Configuration,
    ) -> Configuration {
        self.reach(&self.needed_by, part, available)
    }

    /// Some deltas with all that they need, in whole groups of `available`.
    pub(crate) fn with_needed_groups(
        &self,
        part: &Configuration,
        available: &Configuration,
        groups: &Grouping,
    ) -> Configuration {
        in_groups(part, available, groups, |part| self.with_needs(part, available))
    }

    /// Some deltas with all that need them, in whole groups of `available`.
    pub(crate) fn with_dependent_groups(
        &self,
        part: &Configuration,
        available: &Configuration,
        groups: &Grouping,
    ) -> Configuration {
        in_groups(part, available, groups, |part| self.with_dependents(part, available))
    }

    /// Whether a configuration contains what its deltas need.
    pub fn is_closed(&self, configuration: &Configuration) -> bool {
        let all = Configuration::full(self.deltas);
        self.with_needs(configuration, &all).len() == configuration.len()
    }

    /// Disjoint parts of a difference in an order in which each comes after those that it needs; else in the given order, or
    /// in the opposite one. Parts that need each other come together, as one list of their indices.
    pub(crate) fn in_order(&self, parts: &[Configuration], is_backwards: bool) -> Vec<Vec<u32>> {
        let mut part_of = vec![None; self.deltas as usize];
        for (index, part) in parts.iter().enumerate() {
            part.iter().for_each(|delta| part_of[delta as usize] = Some(index as u32));
        }
        let count = parts.len() as u32;
        let needs = |node: u32, next: &mut Vec<u32>| match parts.get(node as usize) {
            Some(part) => {
                let rules = part.iter().flat_map(|delta| &self.needs[delta as usize]);
                next.extend(rules.map(|rule| rule - self.deltas + count));
            }
            None => {
                let needed = &self.needs[(node - count + self.deltas) as usize];
                next.extend(needed.iter().filter_map(|&delta| part_of[delta as usize]));
            }
        };
        let roots = (0..count).map(|index| if is_backwards { count - 1 - index } else { index });
        let with_rules = components(parts.len() + self.rules(), roots, needs);
        let without_rules = with_rules.into_iter().map(|mut component| {
            component.retain(|&node| node < count);
            component
        });
        without_rules.filter(|component| !component.is_empty()).collect()
    }

    /// Everything that edges lead to from a part, without passing through deltas outside of `available`.
    fn reach(
        &self,
        edges: &[Vec<u32>],
        part: &Configuration,
        available: &Configuration,
    ) -> Configuration {
        if self.rules() == 0 {
            return part.clone();
        }
        let mut is_reached = vec![false; self.needs.len()];
        let mut pending: Vec<u32> = part.iter().collect();
        pending.iter().for_each(|&delta| is_reached[delta as usize] = true);
        while let Some(node) = pending.pop() {
            for &next in &edges[node as usize] {
                let is_allowed = next >= self.deltas || available.contains(next);
                if is_allowed && !std::mem::replace(&mut is_reached[next as usize], true) {
                    pending.push(next);
                }
            }
        }
        let mut reached = Configuration::empty();
        for delta in (0..self.deltas).filter(|&delta| is_reached[delta as usize]) {
            reached.push(delta..delta + 1);
        }
        reached
    }
}

/// The smallest union of groups that contains a part and does not grow any more. Only deltas of `available` are added.
fn in_groups(
    part: &Configuration,
    available: &Configuration,
    groups: &Grouping,
    grown: impl Fn(&Configuration) -> Configuration,
) -> Configuration {
    let mut whole = part.clone();
    loop {
        let around = groups.around(&grown(&whole));
        let next = around.difference(&around.difference(available)).union(part);
        if next.len() == whole.len() {
            return whole;
        }
        whole = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_dependencies() -> impl Strategy<Value = Dependencies> {
        let side = || proptest::collection::vec(0..12u32, 0..3);
        proptest::collection::vec((side(), side()), 0..10).prop_map(|rules| {
            let mut dependencies = Dependencies::new(12);
            for (dependents, needed) in rules {
                dependencies.add(dependents, needed);
            }
            dependencies
        })
    }

    proptest! {
        #[test]
        fn what_is_added_and_what_is_removed_leave_closed_configurations(
            dependencies in some_dependencies(), mask in 0..4096u32
        ) {
            let all = Configuration::full(12);
            let part: Configuration = (0..12).filter(|delta| mask >> delta & 1 == 1).collect();
            let with_needs = dependencies.with_needs(&part, &all);
            prop_assert!(part.is_subset(&with_needs) && dependencies.is_closed(&with_needs));
            let rest = all.difference(&dependencies.with_dependents(&part, &all));
            prop_assert!(dependencies.is_closed(&rest));
        }
    }

    proptest! {
        #[test]
        fn parts_in_order_have_before_them_what_they_need(
            dependencies in some_dependencies(), is_backwards: bool, size in 1..4u32
        ) {
            let parts: Vec<Configuration> = (0..12 / size)
                .map(|part| (part * size..(part + 1) * size).collect())
                .collect();
            let mut before = Configuration::empty();
            for component in dependencies.in_order(&parts, is_backwards) {
                for part in component {
                    before = before.union(&parts[part as usize]);
                }
                prop_assert!(dependencies.is_closed(&before));
            }
            prop_assert_eq!(before.len(), 12);
        }
    }

    #[test]
    fn deltas_that_are_not_available_are_not_added() {
        let mut dependencies = Dependencies::new(3);
        dependencies.add([0], [1]);
        dependencies.add([1], [2]);
        let available = Configuration::from([0, 2]);
        assert_eq!(dependencies.with_needs(&[0].into(), &available), [0].into());
    }
}
