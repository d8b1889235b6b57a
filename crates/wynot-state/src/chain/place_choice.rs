//! The choice of the places that are examined: a few at first, then in the gaps where the search goes on.

use super::cause_chain::ExaminedPlace;
use crate::experiment::place_result::{CauseVariable, PlaceCause};
use std::collections::BTreeMap;

/// The number of places between two others that may be examined in vain before the search goes on elsewhere.
pub(crate) const MAX_PLACES_IN_VAIN: usize = 6;

/// The position of a place in the order of execution.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct PlaceOrder {
    /// The index of the call among the common calls.
    pub call: usize,
    /// The index of the line after that call; 0 for the call itself.
    pub line: usize,
}

impl PlaceOrder {
    /// The position of a call.
    pub fn of_call(call: usize) -> Self {
        Self { call, line: 0 }
    }

    /// The position of a line after this place.
    pub fn lines_later(self, lines: usize) -> Self {
        Self { line: self.line + lines, ..self }
    }
}

/// Two places, the earlier one first.
pub(crate) type PlaceGap = (PlaceOrder, PlaceOrder);

/// The examined places in the order of execution.
#[derive(Debug, Default)]
pub(crate) struct ExaminedPlaces {
    places: BTreeMap<PlaceOrder, ExaminedPlace>,
}

impl ExaminedPlaces {
    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn insert(&mut self, order: PlaceOrder, place: ExaminedPlace) {
        self.places.insert(order, place);
    }

    pub fn contains(&self, order: PlaceOrder) -> bool {
        self.places.contains_key(&order)
    }

    pub fn get(&self, order: PlaceOrder) -> Option<&ExaminedPlace> {
        self.places.get(&order)
    }

    /// The cause at a place.
    pub fn cause(&self, order: PlaceOrder) -> Option<&PlaceCause> {
        self.get(order).and_then(ExaminedPlace::cause)
    }

    /// The variables of the last cause before a place, and of the first cause after it.
    pub fn variables_around(&self, order: PlaceOrder) -> Vec<Vec<CauseVariable>> {
        let mut before = self.places.range(..order).rev().filter_map(|(_, place)| place.cause());
        let mut after = self.places.range(order..).filter_map(|(_, place)| place.cause());
        let around = [before.next(), after.next()];
        around.into_iter().flatten().map(PlaceCause::variables).collect()
    }

    /// All places, in the order of execution.
    pub fn into_places(self) -> Vec<ExaminedPlace> {
        self.places.into_values().collect()
    }

    /// The last place with a cause.
    pub fn last_cause(&self) -> Option<PlaceOrder> {
        let mut places = self.places.iter().rev();
        places.find(|(_, place)| place.cause().is_some()).map(|(order, _)| *order)
    }

    /// The gaps between consecutive places with different causes, of which none is only passed on.
    pub fn transitions(&self) -> Vec<PlaceGap> {
        let causes = self.places.iter().filter_map(|(order, place)| Some((*order, place.cause()?)));
        let causes: Vec<(PlaceOrder, &PlaceCause)> = causes.collect();
        let pairs = causes.windows(2).filter(|pair| !pair[0].1.is_passed_on(pair[1].1));
        pairs.map(|pair| (pair[0].0, pair[1].0)).collect()
    }

    /// The stretch before the first place with a cause, and that after the last one, if there are places in them.
    pub fn ends(&self) -> (Option<PlaceGap>, Option<PlaceGap>) {
        let ends = self.places.keys().next().zip(self.places.keys().next_back());
        let has_cause = |(order, place): (&PlaceOrder, &ExaminedPlace)| {
            place.cause().is_some().then_some(*order)
        };
        let first = self.places.iter().find_map(has_cause);
        let last = self.places.iter().rev().find_map(has_cause);
        let Some((((start, end), first), last)) = ends.zip(first).zip(last) else {
            return (None, None);
        };
        ((*start < first).then_some((*start, first)), (last < *end).then_some((last, *end)))
    }

    /// The gap directly after the last place with a cause.
    pub fn gap_after_last_cause(&self) -> Option<PlaceGap> {
        let last = self.last_cause()?;
        let next = self.places.range(last..).nth(1).map(|(order, _)| *order)?;
        Some((last, next))
    }

    /// The gaps between all consecutive places, as long as none of them has a cause.
    pub fn gaps_without_cause(&self) -> Vec<PlaceGap> {
        if self.places.values().any(|place| place.cause().is_some()) {
            return Vec::new();
        }
        let orders: Vec<PlaceOrder> = self.places.keys().copied().collect();
        orders.windows(2).map(|pair| (pair[0], pair[1])).collect()
    }

    /// The call between two others that should be examined next, unless so many were examined in vain.
    pub fn next_call(&self, (before, after): PlaceGap, max_in_vain: usize) -> Option<usize> {
        let range = PlaceOrder::of_call(before.call)..=PlaceOrder::of_call(after.call);
        let known: Vec<usize> = self.places.range(range).map(|(order, _)| order.call).collect();
        middle_of_longest_gap(&known, max_in_vain)
    }
}

/// The middle of the longest gap between known indices; `None` if there is no gap, or if so many indices were
/// examined in vain.
pub(crate) fn middle_of_longest_gap(known: &[usize], max_in_vain: usize) -> Option<usize> {
    if known.len() > max_in_vain.saturating_add(2) {
        return None;
    }
    let gaps = known.windows(2).map(|pair| (pair[0], pair[1]));
    let (from, to) = gaps.max_by_key(|(from, to)| (to - from, *to))?;
    (to - from > 1).then(|| usize::midpoint(from, to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_gap_is_halved_until_nothing_lies_between() {
        let middle = |known: &[usize]| middle_of_longest_gap(known, MAX_PLACES_IN_VAIN);
        assert_eq!(middle(&[0, 10]), Some(5));
        assert_eq!(middle(&[0, 2, 10]), Some(6));
        assert_eq!(middle(&[3, 4]), None);
        assert_eq!(middle(&[3]), None);
        assert_eq!(middle(&[0, 1, 2, 3, 4, 5, 6, 7, 90]), None);
        assert_eq!(middle_of_longest_gap(&[0, 1, 2, 3, 4, 5, 6, 7, 90], 12), Some(48));
    }
}
