//! Changes a word wherever it occurs, in short texts: in names, in strings, in tags and their attributes.
//!
//! Two places that must agree cannot be changed one by one, and grammars know only some of the places that must: the
//! key of an object and a string with the same content, the value of an attribute and a reference to it, the prefix of a
//! tag and its declaration. Equal words are therefore found by their bytes alone.

use crate::pass::one_by_one::OneByOne;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// The number of words of the text that are tried in the place of another word.
const MAX_OTHER_WORDS: usize = 4;

/// Changes one word after the other: its qualification goes, it becomes a letter, 0, or another word of the text.
pub fn equal_words(parsed: &ParsedText) -> OneByOne {
    let mut proposals = Vec::new();
    if parsed.is_short() {
        let words = words(parsed);
        for (word, places) in &words {
            proposals.extend(without_qualification(parsed, word, places));
            if places.len() > 1 {
                proposals.extend(as_letter(parsed, &words, word, places));
                proposals.extend(as_zero(parsed, places));
            }
            proposals.extend(as_other_word(parsed, &words, word, places));
            proposals.extend(without_word(parsed, places));
        }
        proposals.extend(equal_signs(parsed));
    }
    OneByOne::new("equal words", proposals).checking_syntax()
}

/// All words that are no keywords of the grammar, with the places where they occur.
fn words(parsed: &ParsedText) -> BTreeMap<&[u8], Vec<Range<u32>>> {
    let tree = &parsed.tree;
    let is_keyword = |id: &u32| tree.is_leaf(*id) && !tree.is_named(*id);
    let keywords: BTreeSet<&[u8]> =
        parsed.node_ids().filter(is_keyword).map(|id| parsed.text_of(id)).collect();
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let mut found: BTreeMap<&[u8], Vec<Range<u32>>> = BTreeMap::new();
    let text = parsed.text.as_slice();
    let mut at = 0;
    while at < text.len() {
        let length = text[at..].iter().take_while(|&&byte| is_letter(byte)).count();
        let word = &text[at..at + length];
        if word.first().is_some_and(u8::is_ascii_alphabetic) && !keywords.contains(word) {
            found.entry(word).or_default().push(at as u32..(at + length) as u32);
        }
        at += length.max(1);
    }
    found
}

/// The deletion of a word that qualifies others wherever it occurs, with the sign between them: the prefix of tags.
fn without_qualification(
    parsed: &ParsedText,
    word: &[u8],
    places: &[Range<u32>],
) -> Option<Vec<Edit>> {
    let text = parsed.text.as_slice();
    let mut edits = Vec::new();
    for place in places {
        let (start, end) = (place.start as usize, place.end as usize);
        let after = &text[end..];
        let sign = [b"::".as_slice(), b":", b"."].into_iter().find(|sign| after.starts_with(sign));
        let is_followed = sign.is_some_and(|sign| {
            after.get(sign.len()).is_some_and(|byte| byte.is_ascii_alphabetic())
        });
        let is_preceded =
            start > 1 && text[start - 1] == b':' && text[start - 2].is_ascii_alphabetic();
        edits.push(match sign {
            Some(sign) if is_followed => Edit::delete(place.start..place.end + sign.len() as u32),
            _ if is_preceded => Edit::delete(place.start - 1..place.end),
            _ => return None,
        });
    }
    (edits.len() > 1 && !word.is_empty()).then_some(edits)
}

/// The replacement of all occurrences of a word by a letter that no word is.
fn as_letter(
    parsed: &ParsedText,
    words: &BTreeMap<&[u8], Vec<Range<u32>>>,
    word: &[u8],
    places: &[Range<u32>],
) -> Option<Vec<Edit>> {
    let mut letters = (b'a'..=b'z').chain(b'A'..=b'Z').map(|letter| [letter]);
    let letter = letters.find(|letter| !words.contains_key(letter.as_slice()))?;
    let is_longer = word.len() > 1 && !is_name_everywhere(parsed, places);
    is_longer.then(|| replace_all(places, &letter))
}

/// Whether all places are names for the grammar, which another pass renames.
fn is_name_everywhere(parsed: &ParsedText, places: &[Range<u32>]) -> bool {
    let tree = &parsed.tree;
    let names: BTreeSet<u32> = parsed
        .node_ids()
        .filter(|&id| tree.is_leaf(id) && tree.kind(id).contains("identifier"))
        .map(|id| tree.node(id).start)
        .collect();
    places.iter().all(|place| names.contains(&place.start))
}

/// The replacement of all occurrences of a word by 0, with the quotes around it.
fn as_zero(parsed: &ParsedText, places: &[Range<u32>]) -> Option<Vec<Edit>> {
    let has_zero = parsed.language.expressions.contains(&"0");
    let is_quote = |byte: Option<&u8>| byte.is_some_and(|byte| b"\"'`".contains(byte));
    let mut edits = Vec::new();
    for place in places {
        let before = (place.start as usize).checked_sub(1).and_then(|at| parsed.text.get(at));
        let quoted = is_quote(before) && before == parsed.text.get(place.end as usize);
        let span = if quoted { place.start - 1..place.end + 1 } else { place.clone() };
        edits.push(Edit::replace(span, "0"));
    }
    has_zero.then_some(edits)
}

/// The replacements of all occurrences of a word by another word of the text that is shorter.
fn as_other_word(
    parsed: &ParsedText,
    words: &BTreeMap<&[u8], Vec<Range<u32>>>,
    word: &[u8],
    places: &[Range<u32>],
) -> Vec<Vec<Edit>> {
    let kinds = kinds_at(parsed, places);
    let fits = |others: &[Range<u32>]| {
        !parsed.language.has_declarations || !kinds.is_disjoint(&kinds_at(parsed, others))
    };
    let mut others: Vec<(&[u8], &[Range<u32>])> = words
        .iter()
        .filter(|(other, places)| other.len() < word.len() && fits(places))
        .map(|(other, places)| (*other, places.as_slice()))
        .collect();
    others.sort_by_key(|(other, places)| (other.len(), Reverse(places.len())));
    others.iter().take(MAX_OTHER_WORDS).map(|(other, _)| replace_all(places, other)).collect()
}

/// The kinds of the leaves that begin at some places.
fn kinds_at<'p>(parsed: &'p ParsedText, places: &[Range<u32>]) -> BTreeSet<&'p str> {
    let tree = &parsed.tree;
    let begins =
        |id: &u32| tree.is_leaf(*id) && places.iter().any(|place| *place == parsed.span(*id));
    parsed.node_ids().filter(begins).map(|id| tree.kind(id)).collect()
}

/// In a text without a grammar, the deletion of a word wherever it occurs; by itself, and with empty bodies for functions that
/// have none: a modifier such as `abstract` stands at the class and at its functions.
fn without_word(parsed: &ParsedText, places: &[Range<u32>]) -> Vec<Vec<Edit>> {
    if !parsed.language.has_lexical_definitions {
        return Vec::new();
    }
    let deletions: Vec<Edit> = places.iter().map(|place| parsed.delete(place.clone())).collect();
    let declares = |at: &usize| parsed.text[*at..].starts_with(b");");
    let ends = (0..parsed.text.len()).filter(declares).map(|at| at as u32 + 1);
    let bodies: Vec<Edit> = ends.map(|at| Edit::replace(at..at + 1, "{}")).collect();
    let mut ways = Vec::new();
    if !bodies.is_empty() {
        let mut edits = [deletions.as_slice(), &bodies].concat();
        edits.sort_by_key(|edit| edit.span.start);
        ways.push(edits);
    }
    if places.len() > 1 {
        ways.push(deletions);
    }
    ways
}

/// In a text without a grammar, the deletion of each sign wherever it occurs.
fn equal_signs(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    if !parsed.language.has_lexical_definitions {
        return Vec::new();
    }
    let mut by_sign: BTreeMap<u8, Vec<Edit>> = BTreeMap::new();
    for (at, &byte) in parsed.text.iter().enumerate() {
        if byte.is_ascii_punctuation() && !b"()[]{}\"'".contains(&byte) {
            let span = at as u32..at as u32 + 1;
            by_sign.entry(byte).or_default().push(Edit::delete(span));
        }
    }
    by_sign.into_values().filter(|edits| edits.len() > 1).collect()
}

fn replace_all(places: &[Range<u32>], by: &[u8]) -> Vec<Edit> {
    places.iter().map(|place| Edit::replace(place.clone(), by)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::{parse, proposals};

    fn tried(language: &str, text: &str) -> Vec<String> {
        let parsed = parse(language, text);
        proposals(equal_words(&parsed), &parsed)
    }

    #[test]
    fn a_prefix_goes_with_its_declaration() {
        let tried = tried("xml", "<x:a xmlns:x=\"http://b\"><x:c/></x:a>");
        assert!(tried.contains(&"<a xmlns=\"http://b\"><c/></a>".to_owned()), "{tried:?}");
    }

    #[test]
    fn values_that_agree_stay_equal() {
        let xml = tried("xml", "<a b=\"note\"/><a c=\"note\"/>");
        assert!(xml.contains(&"<a b=\"d\"/><a c=\"d\"/>".to_owned()), "{xml:?}");
        let javascript = tried("javascript", "f({title:1})['title']");
        assert!(javascript.contains(&"f({0:1})[0]".to_owned()), "{javascript:?}");
    }

    #[test]
    fn another_word_may_do() {
        let text = tried("text", "interface c{a:String}type R{a:Int}");
        assert!(text.contains(&"interface c{a:c}type R{a:Int}".to_owned()), "{text:?}");
    }

    #[test]
    fn a_word_goes_everywhere() {
        let tried = tried("text", "abstract class a{abstract function b();}");
        assert!(tried.contains(&" class a{ function b(){}}".to_owned()), "{tried:?}");
    }

    #[test]
    fn equal_signs_go_together() {
        assert!(tried("text", "b.:b.").contains(&"b:b".to_owned()));
    }
}
