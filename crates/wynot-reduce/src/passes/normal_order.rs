//! Puts neighbours in order, and exchanges signs and types for others of their kind.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::kinds;
use crate::text::list::List;
use crate::text::parsed_text::ParsedText;
use crate::text::plainness::is_plainer;

/// Words and signs that can often take the place of each other, shorter and plainer ones before the others.
const ALIKE: [&[&str]; 8] = [
    &["%", "&", "*", "+", "-", "/", "^", "|"],
    &["!=", "&&", "<<", "<=", "==", ">=", ">>", "||"],
    &["*=", "+=", "-=", "/="],
    &["<", ">"],
    &[
        "i8", "u8", "f32", "f64", "i16", "i32", "i64", "u16", "u32", "u64", "bool", "char",
        "isize", "usize", "()",
    ],
    &["int", "long", "short", "double", "unsigned"],
    &["char", "void"],
    &["struct", "union"],
];

/// Sorts the elements of each list, exchanges neighbours, and then single words and signs.
pub fn normal_order(parsed: &ParsedText) -> OneByOne {
    if !parsed.is_short() {
        return OneByOne::empty("normal order");
    }
    let mut proposals = Vec::new();
    for list in parsed.node_ids().filter_map(|parent| List::of(parsed, parent)) {
        let elements: Vec<_> = (0..list.len()).map(|index| list.span(index)).collect();
        if elements.len() > 2 {
            let mut sorted = elements.clone();
            sorted.sort_by_key(|span| &parsed.text[span.start as usize..span.end as usize]);
            proposals.push(placed(parsed, &elements, &sorted));
        }
        for pair in elements.windows(2) {
            let swapped = [pair[1].clone(), pair[0].clone()];
            let [first, second] = [&pair[0], &pair[1]]
                .map(|span| &parsed.text[span.start as usize..span.end as usize]);
            if first.len() != second.len() || is_plainer(second, first) {
                proposals.push(placed(parsed, pair, &swapped));
            }
        }
    }
    // Most of them are single tokens; the empty tuple is a node of two.
    for node in parsed.node_ids() {
        if !parsed.tree.is_leaf(node) && !kinds::is_type(parsed, node) {
            continue;
        }
        let text = parsed.text_of(node);
        let alike = ALIKE.iter().find(|words| words.iter().any(|word| word.as_bytes() == text));
        let Some(alike) = alike else { continue };
        let before = alike.iter().take_while(|word| word.as_bytes() != text);
        proposals.extend(before.map(|word| vec![Edit::replace(parsed.span(node), *word)]));
    }
    OneByOne::new("normal order", proposals)
}

/// The edits that put the texts of some spans into the places of others.
fn placed(
    parsed: &ParsedText,
    places: &[std::ops::Range<u32>],
    texts: &[std::ops::Range<u32>],
) -> Vec<Edit> {
    let moved = places.iter().zip(texts).filter(|(place, text)| place != text);
    let text = |span: &std::ops::Range<u32>| &parsed.text[span.start as usize..span.end as usize];
    moved.map(|(place, from)| Edit::replace(place.clone(), text(from))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    #[test]
    fn neighbours_are_sorted_and_signs_are_exchanged() {
        let parsed = parse("rust", "struct b;fn a(){1+2}enum c{}");
        let tried = proposals(normal_order(&parsed), &parsed);
        assert_eq!(tried[0], "enum c{}fn a(){1+2}struct b;");
        assert!(tried.contains(&"fn a(){1+2}struct b;enum c{}".to_owned()), "{tried:?}");
        assert!(tried.contains(&"struct b;fn a(){1%2}enum c{}".to_owned()), "{tried:?}");
    }
}
