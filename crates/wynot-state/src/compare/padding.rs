//! Padding: the bytes of objects that belong to no part of them.
//!
//! Programs compare, hash and write structures as bytes, so padding can decide. It is carried along as it is, and what
//! differs in it is one difference for all that a variable leads to.

use crate::graph::layout::visit_opaque;
use crate::graph::leaf::Leaf;
use std::ops::Range;

/// The parts of the padding below `size`, given where the other parts of an object lie. These are sorted if necessary.
pub(super) fn padding(parts: &mut [Range<u64>], size: u64, word: u64) -> Vec<Leaf> {
    if !parts.is_sorted_by_key(|part| part.start) {
        parts.sort_by_key(|part| part.start);
    }
    let (mut found, mut end) = (Vec::new(), 0);
    let mut add = |leaf| found.push(leaf);
    for part in parts.iter() {
        if part.start > end {
            visit_opaque(end, part.start.min(size), word, &mut add);
        }
        end = end.max(part.end);
    }
    visit_opaque(end, size, word, &mut add);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_is_what_lies_between_the_parts() {
        let gaps = |parts: &[Range<u64>], size: u64| -> Vec<(u64, u64)> {
            let found = padding(&mut parts.to_vec(), size, 8);
            found.iter().map(|leaf| (leaf.offset, leaf.size)).collect()
        };
        assert_eq!(gaps(&[0..1, 4..8, 8..16], 16), [(1, 3)]);
        assert_eq!(gaps(&[8..12, 0..4], 24), [(4, 4), (12, 4), (16, 8)]);
        assert_eq!(gaps(&[0..16, 4..8], 16), []);
    }
}
