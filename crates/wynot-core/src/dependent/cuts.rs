//! Cuts through a difference whose parts are in an order in which each comes after those that it needs.
//!
//! What comes before a cut is closed: it contains all that it needs. The parts in such an order are like the commits of a
//! history that could have led from one version to the other, and the cuts are like its versions. A half of the parts in
//! another order, taken with what it needs, would often be nearly all of them. Parts that need each other cannot be
//! separated; where there are many, the difference is cut before and after them.

use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::grouping::Grouping;

/// The number of pieces of the finest cuts. If none of them can be tested, finer ones rarely can.
const MAX_PIECES: usize = 8;

/// The fraction of all parts from which on a component is large enough to be cut off.
const LARGE: usize = 16;

/// What comes before a cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The parts before the cut.
    pub before: Configuration,
    /// The pieces before the cut, out of how many.
    pub piece: (usize, usize),
}

/// The cuts through the parts of a difference in two orders: into halves, then into quarters and eighths; then those around
/// large components.
pub(super) fn cuts<'s>(
    parts: &'s [Configuration],
    groups: &'s Grouping,
    dependencies: &'s Dependencies,
) -> impl Iterator<Item = Cut> + 's {
    let orders =
        [false, true].map(|is_backwards| Order::of(dependencies.in_order(parts, is_backwards)));
    let around = orders[0].around_large_components(parts, groups, dependencies);
    let pieces = std::iter::successors(Some(2), |pieces| Some(pieces * 2))
        .take_while(|&pieces| pieces <= MAX_PIECES)
        .flat_map(|pieces| (1..pieces).step_by(2).map(move |piece| (piece, pieces)));
    let even = pieces.flat_map(move |piece| {
        let before = |order: &Order| Some(Cut { before: order.before(piece, parts)?, piece });
        orders.each_ref().map(before).into_iter().flatten()
    });
    even.chain(around)
}

/// An order of parts in which each comes after those that it needs.
struct Order {
    components: Vec<Vec<u32>>,
    /// The number of parts up to the end of each component.
    ends: Vec<usize>,
}

impl Order {
    fn of(components: Vec<Vec<u32>>) -> Self {
        let ends = components.iter().scan(0, |end, component| {
            *end += component.len();
            Some(*end)
        });
        Self { ends: ends.collect(), components }
    }

    /// The deltas before the cut that is nearest to a fraction; `None` if there is no place to cut.
    fn before(
        &self,
        (piece, pieces): (usize, usize),
        parts: &[Configuration],
    ) -> Option<Configuration> {
        let inner = &self.ends[..self.ends.len().checked_sub(1)?];
        let wanted = parts.len() * piece / pieces;
        let component = (0..inner.len()).min_by_key(|&index| inner[index].abs_diff(wanted))?;
        Some(deltas_of(self.components[..=component].iter().flatten(), parts))
    }

    /// The cuts before and after large components: all that does not need them, and they with all that they need.
    fn around_large_components<'s>(
        &self,
        parts: &'s [Configuration],
        groups: &'s Grouping,
        dependencies: &'s Dependencies,
    ) -> impl Iterator<Item = Cut> + use<'s> {
        let mut large: Vec<Vec<u32>> = self.components.clone();
        large.retain(|component| component.len() > 1 && component.len() * LARGE >= parts.len());
        large.sort_by_key(|component| std::cmp::Reverse(component.len()));
        let of = large.len();
        let all = super::joined(parts);
        large.into_iter().enumerate().flat_map(move |(index, component)| {
            let component = deltas_of(component.iter(), parts);
            let dependent = dependencies.with_dependent_groups(&component, &all, groups);
            let with_needs = dependencies.with_needed_groups(&component, &all, groups);
            [all.difference(&dependent), with_needs]
                .map(|before| Cut { before, piece: (index + 1, of) })
        })
    }
}

/// The deltas of the parts with the given indices.
fn deltas_of<'i>(indices: impl Iterator<Item = &'i u32>, parts: &[Configuration]) -> Configuration {
    let mut indices: Vec<u32> = indices.copied().collect();
    indices.sort_unstable();
    let mut deltas = Configuration::empty();
    for range in indices.iter().flat_map(|&index| parts[index as usize].ranges()) {
        deltas.push(range.start..range.end);
    }
    deltas
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_closed_and_as_even_as_possible() {
        // Each delta needs the one after it, but for the last eight, which need each other.
        let mut dependencies = Dependencies::new(64);
        (0..56).for_each(|delta| dependencies.add([delta], [delta + 1]));
        dependencies.tie(56..64);
        let parts: Vec<Configuration> = (0..64).map(|delta| [delta].into()).collect();
        let cuts: Vec<Cut> = cuts(&parts, &Grouping::singles(64), &dependencies).collect();
        assert!(cuts.iter().all(|cut| dependencies.is_closed(&cut.before)));
        let sizes: Vec<usize> = cuts.iter().step_by(2).map(|cut| cut.before.len()).collect();
        // The last eight come first, and nothing is before them.
        assert_eq!(sizes, [32, 16, 48, 8, 24, 40, 56, 0]);
    }

    #[test]
    fn parts_that_need_each_other_cannot_be_cut() {
        let mut dependencies = Dependencies::new(4);
        dependencies.tie(0..4);
        let parts: Vec<Configuration> = (0..4).map(|delta| [delta].into()).collect();
        let groups = Grouping::singles(4);
        let sizes: Vec<usize> =
            cuts(&parts, &groups, &dependencies).map(|cut| cut.before.len()).collect();
        assert_eq!(sizes, [0, 4]);
    }
}
