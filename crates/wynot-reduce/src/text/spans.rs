//! Sets of positions, as spans.

use std::ops::Range;

/// The positions that some spans cover.
#[derive(Clone, Debug, Default)]
pub struct Spans(Vec<Range<u32>>);

impl Spans {
    /// Whether one of the spans contains a position.
    pub fn contains(&self, at: u32) -> bool {
        let after = self.0.partition_point(|span| span.start <= at);
        after.checked_sub(1).is_some_and(|last| self.0[last].contains(&at))
    }
}

impl FromIterator<Range<u32>> for Spans {
    fn from_iter<I: IntoIterator<Item = Range<u32>>>(spans: I) -> Self {
        let mut sorted: Vec<Range<u32>> = spans.into_iter().collect();
        sorted.sort_by_key(|span| span.start);
        // Spans that overlap become one, so that they are in the order of their ends, too.
        sorted.dedup_by(|later, earlier| {
            let overlaps = later.start <= earlier.end;
            if overlaps {
                earlier.end = earlier.end.max(later.end);
            }
            overlaps
        });
        Self(sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_in_any_of_the_spans_are_found() {
        let spans: Spans = [7..9, 0..5, 1..2, 20..20, 8..12].into_iter().collect();
        let found: Vec<u32> = (0..30).filter(|&at| spans.contains(at)).collect();
        assert_eq!(found, [0, 1, 2, 3, 4, 7, 8, 9, 10, 11]);
        assert!(!Spans::default().contains(0));
    }
}
