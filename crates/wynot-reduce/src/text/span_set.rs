//! A set of positions that grows by spans.

use std::collections::BTreeMap;
use std::ops::Range;

/// The positions that some spans cover: starts with ends, which neither overlap nor touch.
#[derive(Clone, Debug, Default)]
pub struct SpanSet(BTreeMap<u32, u32>);

impl SpanSet {
    /// Whether the set contains a position.
    pub fn contains(&self, at: u32) -> bool {
        self.0.range(..=at).next_back().is_some_and(|(_, &end)| at < end)
    }

    /// Adds a span, and returns whether any of its positions is new.
    pub fn insert(&mut self, span: Range<u32>) -> bool {
        let Range { mut start, mut end } = span;
        if let Some((&before, &before_end)) = self.0.range(..=start).next_back() {
            if end <= before_end {
                return false;
            }
            if start <= before_end {
                start = before;
            }
        }
        while let Some((&next, &next_end)) = self.0.range(start..=end).next() {
            end = end.max(next_end);
            self.0.remove(&next);
        }
        self.0.insert(start, end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_set_of_spans_holds_their_positions(
            spans in proptest::collection::vec((0u32..50, 1u32..10), 0..20)
        ) {
            let mut set = SpanSet::default();
            let mut positions = std::collections::BTreeSet::new();
            for (start, length) in spans {
                let before = positions.len();
                positions.extend(start..start + length);
                prop_assert_eq!(set.insert(start..start + length), positions.len() > before);
            }
            for at in 0..70 {
                prop_assert_eq!(set.contains(at), positions.contains(&at));
            }
        }
    }
}
