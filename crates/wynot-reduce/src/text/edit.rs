//! Edits: spans of a text and their replacements.

use std::cmp::Reverse;
use std::ops::Range;
use std::sync::Arc;
use wynot_subjects::ViewEdit;

/// The replacement of a span of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Range<u32>,
    /// The replacement; empty for a deletion.
    pub text: Vec<u8>,
}

impl Edit {
    /// The deletion of a span.
    pub fn delete(span: Range<u32>) -> Self {
        Self { span, text: Vec::new() }
    }

    /// The replacement of a span by a text.
    pub fn replace(span: Range<u32>, text: impl Into<Vec<u8>>) -> Self {
        Self { span, text: text.into() }
    }
}

/// Edits in the order of their spans, which do not overlap. Clones share them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edits(Arc<Vec<Edit>>);

impl Edits {
    /// These edits and more. An edit within the span of a larger one is dropped.
    pub fn with(&self, more: &[Edit]) -> Self {
        let mut all: Vec<&Edit> = more.iter().chain(self.0.iter()).collect();
        // The sort is stable and new edits come first, so the later replacement of a span wins.
        all.sort_by_key(|edit| (edit.span.start, Reverse(edit.span.end)));
        let mut merged: Vec<Edit> = Vec::with_capacity(all.len());
        for edit in all {
            match merged.last_mut() {
                Some(last) if edit.span.end <= last.span.end => {}
                Some(last) if edit.span.start < last.span.end => {
                    last.span.end = edit.span.end;
                    last.text.extend_from_slice(&edit.text);
                }
                _ => merged.push(edit.clone()),
            }
        }
        Self(Arc::new(merged))
    }

    /// The text after all edits.
    pub fn apply(&self, text: &[u8]) -> Vec<u8> {
        let mut result = Vec::new();
        self.apply_into(text, &mut result);
        result
    }

    /// Replaces what is in `result` by the text after all edits.
    pub fn apply_into(&self, text: &[u8], result: &mut Vec<u8>) {
        result.clear();
        result.reserve(self.remaining(&(0..text.len() as u32)));
        let mut copied = 0;
        for edit in self.0.iter() {
            result.extend_from_slice(&text[copied..edit.span.start as usize]);
            result.extend_from_slice(&edit.text);
            copied = edit.span.end as usize;
        }
        result.extend_from_slice(&text[copied..]);
    }

    /// The edits as a container takes them.
    pub fn view_edits(&self) -> Vec<ViewEdit<'_>> {
        self.0.iter().map(|edit| (edit.span.clone(), &edit.text[..])).collect()
    }

    /// Whether a single edit covers the whole span.
    pub fn covers(&self, span: &Range<u32>) -> bool {
        let behind = self.0.partition_point(|edit| edit.span.start <= span.start);
        behind > 0 && span.end <= self.0[behind - 1].span.end
    }

    /// The number of bytes that all edits leave of a span, replacements included.
    pub fn remaining(&self, span: &Range<u32>) -> usize {
        let first = self.0.partition_point(|edit| edit.span.end <= span.start);
        let inside = self.0[first..].iter().take_while(|edit| edit.span.start < span.end);
        let mut left = span.len();
        for edit in inside {
            let from = edit.span.start.max(span.start);
            let to = edit.span.end.min(span.end);
            left = left + edit.text.len() - (to - from) as usize;
        }
        left
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn larger_edits_swallow_smaller_ones() {
        let edits = Edits::default().with(&[Edit::delete(2..4), Edit::replace(6..7, "X")]);
        assert_eq!(edits.apply(b"0123456789"), b"0145X789");
        assert!(edits.covers(&(2..3)) && !edits.covers(&(3..5)));
        assert_eq!(edits.remaining(&(0..10)), 8);
        let more = edits.with(&[Edit::delete(1..8)]);
        assert_eq!(more.apply(b"0123456789"), b"089");
    }

    proptest! {
        #[test]
        fn merged_edits_are_in_order_and_do_not_overlap(
            spans in proptest::collection::vec((0u32..50, 0u32..10), 0..20)
        ) {
            let mut edits = Edits::default();
            for (start, length) in spans {
                edits = edits.with(&[Edit::delete(start..start + length)]);
                prop_assert!(edits.0.windows(2).all(|pair| pair[0].span.end <= pair[1].span.start));
            }
            let text = [b'x'; 60];
            prop_assert_eq!(edits.remaining(&(0..60)), edits.apply(&text).len());
        }
    }
}
