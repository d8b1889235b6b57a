//! Definitions in a text of any syntax, and what mentions them: found by words alone.
//!
//! An entry defines the name before its colon or equals sign, or the first word that is no keyword: a keyword is the first
//! word of several entries. What mentions a definition that goes is deleted with it: a part between commas, a word with
//! the sign that joins it to others, a line. What is below an entry goes with it, and an entry goes with the last one below it.

use crate::text::parsed_text::ParsedText;
use crate::text::text_entries::{Entries, LexicalKind};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// Names that more entries define are taken for something else, such as members of the same name.
const MAX_DEFINITIONS_OF_NAME: usize = 4;

/// The number of words among which an entry's name is looked for.
const MAX_HEAD_WORDS: usize = 6;

/// The definitions of a text.
#[derive(Clone, Debug)]
pub struct Definitions {
    /// The entries of the text.
    pub entries: Entries,
    /// For each name, the entries that define it and the tokens that mention it elsewhere.
    pub names: Vec<DefinedName>,
    /// The names that an entry defines: entry and name, in order.
    pub defined: Vec<(u32, usize)>,
}

/// What is known about a name.
#[derive(Clone, Debug, Default)]
pub struct DefinedName {
    /// The entries that define it.
    pub entries: Vec<u32>,
    /// The tokens that mention it elsewhere.
    pub mentions: Vec<u32>,
}

impl Definitions {
    /// Finds the definitions of a text.
    pub fn of(parsed: &ParsedText) -> Self {
        let text = parsed.text.as_slice();
        let entries = Entries::of(text);
        let heads: Vec<Vec<u32>> =
            (0..entries.entries.len() as u32).map(|entry| head(&entries, entry)).collect();
        let keywords = keywords(&entries, text, &heads);
        let mut by_name: HashMap<&[u8], (bool, Vec<u32>)> = HashMap::new();
        for (entry, head) in (0u32..).zip(&heads) {
            let Some((token, is_assigned)) = defined_name(&entries, text, entry, head, &keywords)
            else {
                continue;
            };
            let known = by_name.entry(entries.word(text, token)).or_default();
            // A line that calls or exports something reads like a definition of it.
            match (known.0, is_assigned) {
                (true, false) => continue,
                (false, true) => *known = (true, vec![entry]),
                _ => known.1.push(entry),
            }
        }
        by_name.retain(|_, (_, entries)| entries.len() <= MAX_DEFINITIONS_OF_NAME);
        let mut found = Self { entries, names: Vec::new(), defined: Vec::new() };
        let mut numbers: HashMap<&[u8], usize> = HashMap::new();
        let mut in_order: Vec<(&[u8], Vec<u32>)> =
            by_name.into_iter().map(|(name, (_, entries))| (name, entries)).collect();
        in_order.sort_unstable();
        for (name, entries) in in_order {
            numbers.insert(name, found.names.len());
            found.defined.extend(entries.iter().map(|&entry| (entry, found.names.len())));
            found.names.push(DefinedName { entries, mentions: Vec::new() });
        }
        found.defined.sort_unstable();
        for token in 0..found.entries.tokens.len() as u32 {
            let is_word = found.entries.tokens[token as usize].kind == LexicalKind::Word;
            let name = numbers.get(found.entries.word(text, token)).filter(|_| is_word);
            if let Some(&name) =
                name.filter(|&&name| !found.is_within(token, &found.names[name].entries))
            {
                found.names[name].mentions.push(token);
            }
        }
        found
    }

    fn is_within(&self, token: u32, entries: &[u32]) -> bool {
        let at = self.entries.tokens[token as usize].entry;
        entries.iter().any(|&entry| entry <= at && at < self.entries.entries[entry as usize].after)
    }

    /// The entries that define something which is mentioned elsewhere, in the order of the text.
    pub fn mentioned(&self) -> Vec<u32> {
        let is_mentioned = |(_, name): &&(u32, usize)| !self.names[*name].mentions.is_empty();
        let mut entries: Vec<u32> =
            self.defined.iter().filter(is_mentioned).map(|&(entry, _)| entry).collect();
        entries.dedup();
        entries
    }

    /// The entries that define something which is mentioned nowhere else.
    pub fn unmentioned(&self) -> Vec<u32> {
        let is_unmentioned = |(_, name): &&(u32, usize)| self.names[*name].mentions.is_empty();
        self.defined.iter().filter(is_unmentioned).map(|&(entry, _)| entry).collect()
    }

    /// The entries below other entries, those of the same one together.
    pub fn members(&self) -> Vec<Vec<u32>> {
        let all = 0..self.entries.entries.len() as u32;
        all.filter(|&entry| self.entries.has_block(entry))
            .map(|entry| self.entries.children(entry).collect())
            .collect()
    }

    /// The bytes of an entry.
    pub fn span(&self, entry: u32) -> Range<u32> {
        self.entries.entries[entry as usize].span.clone()
    }
}

/// The tokens of the words before the first bracket, colon or equals sign of an entry, and within its line.
pub fn head(entries: &Entries, entry: u32) -> Vec<u32> {
    let first = entries.entries[entry as usize].first;
    let start = first + u32::from(entries.is_sign(first, b"("));
    let belongs = |token: &u32| {
        entries.tokens.get(*token as usize).is_some_and(|token| token.entry == entry)
            && !entries.is_sign(*token, b"{([=:<;,")
    };
    let words = (start..).take_while(belongs);
    words
        .filter(|&token| entries.tokens[token as usize].kind == LexicalKind::Word)
        .take(MAX_HEAD_WORDS)
        .collect()
}

/// The words with which several entries begin.
fn keywords<'t>(entries: &Entries, text: &'t [u8], heads: &[Vec<u32>]) -> HashSet<&'t [u8]> {
    let mut seen: HashMap<&[u8], usize> = HashMap::new();
    for head in heads {
        if let Some(&first) = head.first() {
            let is_assigned = entries.is_sign(first + 1, b":=");
            *seen.entry(entries.word(text, first)).or_default() += usize::from(!is_assigned);
        }
    }
    seen.into_iter().filter(|(_, count)| *count > 1).map(|(word, _)| word).collect()
}

/// The token that is the name an entry defines, and whether a colon or an equals sign follows it.
fn defined_name(
    entries: &Entries,
    text: &[u8],
    entry: u32,
    head: &[u32],
    keywords: &HashSet<&[u8]>,
) -> Option<(u32, bool)> {
    let is_outer = entries.entries[entry as usize].parent.is_none();
    let is_list = entries.is_sign(entries.entries[entry as usize].first, b"(");
    if !is_outer && !entries.has_block(entry) && !is_list {
        return None;
    }
    let is_name = |token: &&u32| {
        let word = entries.word(text, **token);
        !keywords.contains(word) && !word[0].is_ascii_digit()
    };
    if let [only] = head
        && entries.is_sign(only + 1, b":=")
    {
        return Some((*only, true)).filter(|_| is_name(&only));
    }
    // The first word of an entry is a keyword, even if it is the only entry of its kind.
    head.iter().skip(1).find(is_name).map(|&name| (name, false))
}
