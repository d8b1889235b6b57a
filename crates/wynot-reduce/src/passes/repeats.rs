//! Deletes what lies between two equal stretches of bytes, together with one of them.
//!
//! After such a cut, the bytes around it are bytes that stood beside each other before: records of an unknown format, and
//! loops, go as a whole.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The lengths of the equal stretches.
const STRETCH_BYTES: [usize; 2] = [8, 4];

/// Texts with more bytes than this are not searched.
const MAX_SEARCHED_BYTES: usize = 1 << 20;

/// The number of cuts for a text of any size.
const FREE_CUTS: usize = 64;

/// There is one cut more for this number of bytes.
const BYTES_PER_CUT: usize = 8;

/// Deletes from one of two equal stretches to the other, long cuts first: from the first to the last of those that are
/// equal, and from each to the next one.
pub fn repeats(parsed: &ParsedText) -> OneByOne {
    let text = &parsed.text;
    if text.len() > MAX_SEARCHED_BYTES {
        return OneByOne::empty("repeats");
    }
    let mut cuts: BTreeSet<(u32, u32)> = BTreeSet::new();
    for length in STRETCH_BYTES {
        let mut places: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
        for (at, stretch) in text.windows(length).enumerate() {
            let places = places.entry(stretch).or_default();
            // Stretches of one byte overlap themselves.
            if places.last().is_none_or(|last| last + length <= at) {
                places.push(at);
            }
        }
        for places in places.values().filter(|places| places.len() > 1) {
            let whole = places.first().zip(places.last());
            cuts.extend(whole.map(|(first, last)| (*first as u32, *last as u32)));
            cuts.extend(places.windows(2).map(|pair| (pair[0] as u32, pair[1] as u32)));
        }
    }
    // Where longer stretches are equal, neighbouring cuts of the same length leave the same text.
    let is_first =
        |&&(start, end): &&(u32, u32)| start == 0 || !cuts.contains(&(start - 1, end - 1));
    let mut cuts: Vec<Range<u32>> =
        cuts.iter().filter(is_first).map(|&(start, end)| start..end).collect();
    cuts.sort_by_key(|cut| std::cmp::Reverse((cut.len(), cut.start)));
    cuts.truncate(FREE_CUTS + text.len() / BYTES_PER_CUT);
    OneByOne::new("repeats", cuts.into_iter().map(|cut| vec![Edit::delete(cut)]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn a_cut_leads_from_a_stretch_to_an_equal_one() {
        let parsed = parse("text", "abcd12abcd345abcd!");
        assert_eq!(proposals(repeats(&parsed), &parsed), ["abcd!", "abcd12abcd!", "abcd345abcd!"]);
        let zeros = parse("text", "xxxxxxxxx");
        assert_eq!(proposals(repeats(&zeros), &zeros), ["xxxxx"]);
        let different = parse("text", "abcdefghijkl");
        assert!(proposals(repeats(&different), &different).is_empty());
    }
}
