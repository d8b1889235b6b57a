//! Values of names in a text of any syntax: `name = value`, `name: value`, `set name value`, and what stands for them.
//!
//! An entry gives a value to the last name before its colon or equals sign, or to the name between its first word and the
//! rest. Where the name occurs elsewhere, alone or as `$name`, `${name}`, `$(name)` or `#{$name}`, the value can take its place.

use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use crate::text::text_entries::{Entries, LexicalKind};
use std::collections::HashMap;
use std::ops::Range;

/// The number of words before the sign between a name and its value: `let mut name = value`.
const MAX_WORDS_BEFORE_SIGN: usize = 3;

/// The maximum number of bytes of a value.
const MAX_VALUE_BYTES: usize = 400;

/// The deletion of each entry that gives a value to a name, with the value in all other places of the name.
pub fn inlined_values(parsed: &ParsedText) -> Vec<Vec<Edit>> {
    let text = parsed.text.as_slice();
    let entries = Entries::of(text);
    let mut places: HashMap<&[u8], Vec<u32>> = HashMap::new();
    for token in 0..entries.tokens.len() as u32 {
        if entries.tokens[token as usize].kind == LexicalKind::Word {
            places.entry(without_sigil(entries.word(text, token))).or_default().push(token);
        }
    }
    let mut proposals = Vec::new();
    for entry in (0..entries.entries.len() as u32).filter(|&entry| !entries.has_block(entry)) {
        let Some((name, value)) = given_value(&entries, text, entry) else { continue };
        let whole = entries.entries[entry as usize].span.clone();
        let name = without_sigil(entries.word(text, name));
        let is_elsewhere =
            |token: &&u32| !whole.contains(&entries.tokens[**token as usize].span.start);
        let mut edits = vec![Edit::delete(whole.clone())];
        for &token in places.get(name).into_iter().flatten().filter(is_elsewhere) {
            edits.push(Edit::replace(place(&entries, text, token), value));
        }
        if edits.len() > 1 {
            edits.sort_by_key(|edit| edit.span.start);
            proposals.push(edits);
        }
    }
    proposals
}

/// A name without the sign that marks it as a variable.
fn without_sigil(word: &[u8]) -> &[u8] {
    match word {
        [b'$' | b'@' | b'%' | b'.', rest @ ..] if !rest.is_empty() => rest,
        _ => word,
    }
}

/// The token of the name to which an entry gives a value, and the value.
fn given_value<'t>(entries: &Entries, text: &'t [u8], entry: u32) -> Option<(u32, &'t [u8])> {
    let found = &entries.entries[entry as usize];
    let is_own = |token: &u32| {
        let token = entries.tokens.get(*token as usize);
        token.is_some_and(|token| token.entry == entry)
    };
    let is_word = |token: u32| entries.tokens[token as usize].kind == LexicalKind::Word;
    let tokens: Vec<u32> = (found.first..).take_while(is_own).collect();
    let words = tokens.iter().take_while(|&&token| is_word(token)).count();
    let sign = tokens.get(words).filter(|&&token| entries.is_sign(token, b":=?"));
    let (name, before_value) = match (words, sign) {
        (1..=MAX_WORDS_BEFORE_SIGN, Some(&sign)) => {
            let is_more = |token: &&u32| entries.is_sign(**token, b":=?");
            let signs = tokens[words..].iter().take_while(is_more).count() as u32;
            (tokens[words - 1], sign + signs - 1)
        }
        // `set name value`, `set(name value)`, `(define name value)`
        _ => {
            let outside = tokens.iter().filter(|&&token| !entries.is_sign(token, b"(,"));
            let mut outside = outside.copied();
            let (first, name) = (outside.next()?, outside.next()?);
            let separator = u32::from(entries.is_sign(name + 1, b","));
            (is_word(first) && is_word(name)).then_some((name, name + separator))?
        }
    };
    let from = entries.tokens[before_value as usize].span.end as usize;
    let mut last = *tokens.last()?;
    // What closes a bracket around the name, or ends the entry, is no part of the value.
    let opened = |token: u32| {
        tokens
            .iter()
            .any(|&open| entries.tokens[open as usize].closing == Some(token) && open < name)
    };
    while last > before_value && (entries.is_sign(last, b";,") || opened(last)) {
        last -= 1;
    }
    let end = entries.tokens[last as usize].span.end as usize;
    let value = text.get(from..end)?.trim_ascii();
    (last > before_value && !value.is_empty() && value.len() <= MAX_VALUE_BYTES)
        .then_some((name, value))
}

/// The bytes that stand for a value: a name with the brackets that belong to it.
fn place(entries: &Entries, text: &[u8], token: u32) -> Range<u32> {
    let own = entries.tokens[token as usize].span.clone();
    let bracket = token.checked_sub(1).filter(|&before| entries.is_sign(before, b"({"));
    let closing = bracket.and_then(|bracket| entries.tokens[bracket as usize].closing);
    let (Some(bracket), Some(closing)) = (bracket.filter(|&it| it > 0), closing) else {
        return own;
    };
    let before = entries.word(text, bracket - 1);
    let is_mark = before.last().is_some_and(|byte| b"$#@%".contains(byte));
    let start = entries.tokens[bracket as usize - 1].span.end - 1;
    let is_adjacent = start + 1 == entries.tokens[bracket as usize].span.start;
    match is_mark && is_adjacent && closing == token + 1 {
        true => start..entries.tokens[closing as usize].span.end,
        false => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use wynot_subjects::Language;

    fn inlined(text: &str) -> Vec<String> {
        let language = Language::named("text").unwrap();
        let parsed = ParsedText::new(text.as_bytes().to_vec(), language, &NoHooks);
        let texts =
            inlined_values(&parsed).into_iter().map(|edits| parsed.with_edits(&edits).text());
        texts.map(|text| String::from_utf8(text).unwrap()).collect()
    }

    #[test]
    fn values_take_the_place_of_names_in_many_notations() {
        for (text, expected) in [
            ("$gap: 1px;\n.a { margin: $gap + #{$gap}; }\n", "\n.a { margin: 1px + 1px; }\n"),
            ("CC := gcc -O2\nall:\n\t$(CC) x.c\n", "\nall:\n\tgcc -O2 x.c\n"),
            ("dir=/tmp\nls ${dir}/x $dir\n", "\nls /tmp/x /tmp\n"),
            ("set(names a b)\nlist(GET ${names} 5 x)\n", "\nlist(GET a b 5 x)\n"),
            ("local n = 3\nprint(n)\n", "\nprint(3)\n"),
            ("set $up 1.2.3.4;\nproxy_pass $up;\n", "\nproxy_pass 1.2.3.4;\n"),
            (".equ size, 4\nmov size\n", "\nmov 4\n"),
        ] {
            let inlined = inlined(text);
            assert!(inlined.iter().any(|it| it == expected), "{text}: {inlined:?}");
        }
    }

    #[test]
    fn what_is_named_nowhere_else_stays() {
        assert_eq!(inlined("a = 1\nb = 2\n"), Vec::<String>::new());
        assert_eq!(inlined(""), Vec::<String>::new());
    }
}
