//! The deletion of definitions with all that mentions them, in a text of any syntax.
//!
//! A mention goes with the part between two commas around it, with the sign that joins it to others, or with its line. What
//! is below an entry goes with it, and an entry goes with the last one below it.

use crate::text::edit::Edit;
use crate::text::lexical_definitions::{DefinedName, Definitions};
use crate::text::parsed_text::ParsedText;
use crate::text::span_set::SpanSet;
use crate::text::text_entries::LexicalKind;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The deletion of some entries with all that mentions them.
pub fn delete_definitions(
    definitions: &Definitions,
    parsed: &ParsedText,
    entries: &[u32],
) -> Vec<Edit> {
    let mut removal = Removal {
        definitions,
        parsed,
        gone: SpanSet::default(),
        parts: BTreeMap::new(),
        pending: Vec::new(),
        edits: Vec::new(),
        lost: HashSet::new(),
    };
    entries.iter().for_each(|&entry| removal.remove(entry));
    while let Some(entry) = removal.pending.pop() {
        removal.follow(entry);
    }
    removal.finish()
}

/// Entries that go, and what goes with them.
struct Removal<'a> {
    definitions: &'a Definitions,
    parsed: &'a ParsedText,
    gone: SpanSet,
    /// For each opening bracket, the parts between its commas that go.
    parts: BTreeMap<u32, BTreeSet<usize>>,
    pending: Vec<u32>,
    edits: Vec<Edit>,
    /// The names whose mentions go.
    lost: HashSet<usize>,
}

impl Removal<'_> {
    fn is_gone(&self, at: u32) -> bool {
        self.gone.contains(at) || self.parsed.edits.covers(&(at..at + 1))
    }

    fn is_entry_gone(&self, entry: u32) -> bool {
        let entries = &self.definitions.entries;
        let first = entries.entries[entry as usize].first as usize;
        entries.tokens.get(first).is_some_and(|token| self.is_gone(token.span.start))
    }

    /// Deletes an entry, with the separator and the line end after it.
    fn remove(&mut self, entry: u32) {
        let mut span = self.definitions.span(entry);
        let text = &self.parsed.text;
        let rest = &text[span.end as usize..];
        let separator = rest.iter().take_while(|byte| b" \t,;".contains(byte)).count();
        let blanks = rest[separator..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let ends_block =
            rest[separator + blanks..].first().is_none_or(|byte| b")]}".contains(byte));
        if ends_block {
            let before = text[..span.start as usize].iter().rev();
            span.start -= before.take_while(|byte| byte.is_ascii_whitespace()).count() as u32;
        } else {
            span.end += (separator + blanks) as u32;
        }
        if self.gone.insert(span.clone()) {
            self.edits.push(Edit::delete(span));
            self.pending.push(entry);
        }
    }

    /// Finds what goes with an entry.
    fn follow(&mut self, entry: u32) {
        let definitions = self.definitions;
        let after = definitions.entries.entries[entry as usize].after;
        let start = |bound: u32| definitions.defined.partition_point(|(entry, _)| *entry < bound);
        for &(_, name) in &definitions.defined[start(entry)..start(after)] {
            let DefinedName { entries, mentions } = &definitions.names[name];
            if entries.iter().all(|&entry| self.is_entry_gone(entry)) && self.lost.insert(name) {
                for &token in mentions {
                    self.lose(token);
                }
            }
        }
        if let Some(parent) = definitions.entries.entries[entry as usize].parent {
            let is_empty =
                definitions.entries.children(parent).all(|child| self.is_entry_gone(child));
            if is_empty && !self.is_entry_gone(parent) {
                self.remove(parent);
            }
        }
    }

    /// Deletes the smallest part of the text around a mention that can go.
    fn lose(&mut self, token: u32) {
        let entries = &self.definitions.entries;
        let here = &entries.tokens[token as usize];
        if self.is_gone(here.span.start) {
            return;
        }
        let entry = here.entry;
        let first = entries.entries[entry as usize].first;
        let is_part = here.bracket.is_some_and(|open| {
            // A single word in brackets is needed there; a single argument with its name is not.
            let is_single = entries.is_sign(token - 1, b"(") && entries.is_sign(token + 1, b")");
            let is_argument = entries.is_sign(open, b"(") && !is_single;
            let is_inside = open > first && entries.tokens[open as usize].entry == entry;
            is_inside && (is_argument || self.commas(open).next().is_some())
        });
        if let (true, Some(open)) = (is_part, here.bracket) {
            let part = self.commas(open).take_while(|&comma| comma < token).count();
            let gone = self.parts.entry(open).or_default();
            gone.insert(part);
            self.gone.insert(here.span.clone());
            return;
        }
        let joins = b"|&";
        let span = |from: u32, to: u32| {
            entries.tokens[from as usize].span.start..entries.tokens[to as usize].span.end
        };
        let before = token.checked_sub(1).filter(|&before| before > first);
        let is_inner = token > first;
        let deleted = match before {
            Some(before) if entries.is_sign(before, joins) => Some(span(before, token)),
            _ if is_inner && entries.is_sign(token + 1, joins) => {
                let next = &entries.tokens[token as usize + 2..].first();
                next.map(|next| here.span.start..next.span.start)
            }
            // In the head of a block, a name goes with the word or the colon before it.
            Some(before) if self.is_in_head(token) && before > first + 1 => {
                let is_word = entries.tokens[before as usize].kind == LexicalKind::Word;
                (is_word || entries.is_sign(before, b":")).then(|| span(before, token))
            }
            _ => None,
        };
        match deleted {
            Some(span) => {
                self.gone.insert(span.clone());
                self.edits.push(self.parsed.delete(span));
                if self.is_emptied(entry) {
                    self.remove(entry);
                }
            }
            None => self.remove(entry),
        }
    }

    /// Whether nothing is left of what follows the equals sign of an entry.
    fn is_emptied(&self, entry: u32) -> bool {
        let entries = &self.definitions.entries;
        let first = entries.entries[entry as usize].first;
        let belongs = |token: &u32| {
            entries.tokens.get(*token as usize).is_some_and(|token| token.entry == entry)
        };
        let sign = (first..).take_while(belongs).find(|&token| entries.is_sign(token, b"="));
        sign.is_some_and(|sign| {
            let is_word = |token: &u32| entries.tokens[*token as usize].kind == LexicalKind::Word;
            let mut words = (sign + 1..).take_while(belongs).filter(is_word);
            words.all(|token| self.is_gone(entries.tokens[token as usize].span.start))
        })
    }

    /// Whether a token stands before what is below its entry, and outside brackets.
    fn is_in_head(&self, token: u32) -> bool {
        let entries = &self.definitions.entries;
        let here = &entries.tokens[token as usize];
        let first = entries.entries[here.entry as usize].first;
        let child = entries.children(here.entry).next();
        let is_before = child.is_some_and(|child| token < entries.entries[child as usize].first);
        is_before && here.bracket == entries.tokens[first as usize].bracket
    }

    /// The commas directly within a bracket.
    fn commas(&self, open: u32) -> impl Iterator<Item = u32> + use<'_> {
        let entries = &self.definitions.entries;
        let end = entries.tokens[open as usize].closing.unwrap_or(open);
        let is_comma = move |token: &u32| {
            entries.is_sign(*token, b",") && entries.tokens[*token as usize].bracket == Some(open)
        };
        (open + 1..end).filter(is_comma)
    }

    /// All deletions.
    fn finish(mut self) -> Vec<Edit> {
        let entries = &self.definitions.entries;
        for (open, gone) in std::mem::take(&mut self.parts) {
            let Some(close) = entries.tokens[open as usize].closing else { continue };
            let position = |token: u32| entries.tokens[token as usize].span.clone();
            let commas: Vec<u32> = self.commas(open).collect();
            let parts = commas.len() + 1;
            let start = |part: usize| match part.checked_sub(1) {
                Some(before) => position(commas[before]).end,
                None => position(open).end,
            };
            let end = |part: usize| {
                commas.get(part).map_or(position(close).start, |&comma| position(comma).start)
            };
            let is_gone = |part: usize| {
                gone.contains(&part) || self.parsed.edits.covers(&(end(part) - 1..end(part)))
            };
            if (0..parts).all(is_gone) {
                self.edits.push(Edit::delete(position(open).start..position(close).end));
                continue;
            }
            let first_left = (0..parts).find(|&part| !is_gone(part)).unwrap_or(0);
            for part in gone {
                // A part goes with the comma before it; those before the first one that is left, with the comma after.
                let span = match part < first_left {
                    true => start(part)..start(part + 1),
                    false => start(part) - 1..end(part),
                };
                self.edits.push(Edit::delete(span));
            }
        }
        self.edits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::NoHooks;
    use crate::text::lexical_definitions::head;
    use wynot_subjects::Language;

    /// The text without the first entry that defines a name.
    fn without(name: &str, text: &str) -> String {
        let language = Language::named("text").unwrap();
        let parsed = ParsedText::new(text.as_bytes().to_vec(), language, &NoHooks);
        let found = Definitions::of(&parsed);
        let defines = |entry: &u32| {
            let head = head(&found.entries, *entry);
            let name_token = head.get(1).or(head.first());
            name_token
                .is_some_and(|&token| found.entries.word(text.as_bytes(), token) == name.as_bytes())
        };
        let entry = found.mentioned().into_iter().find(defines).unwrap();
        String::from_utf8(parsed.with_edits(&delete_definitions(&found, &parsed, &[entry])).text())
            .unwrap()
    }

    #[test]
    fn a_type_of_a_schema_goes_with_fields_arguments_and_members() {
        let schema = "type Query {\n  a: Apple\n  b(x: Int, y: Fruit): Int\n  c(y: Fruit): Int\n}\n\
            enum Fruit {\n  RED\n}\ntype Apple implements Named & Fruit {\n  of: [Fruit!]!\n  n: Int\n}\n\
            union Food = Fruit | Apple\nunion All =\n  | Apple\n  | Fruit\n";
        let expected = "type Query {\n  a: Apple\n  b(x: Int): Int\n  c: Int\n}\n\
            type Apple implements Named  {\n  n: Int\n}\nunion Food = Apple\nunion All =\n  | Apple\n";
        assert_eq!(without("Fruit", schema), expected);
        // A type without its last field goes as well.
        let long = "type A {\n  b(\n    c: Int\n  ): B!\n  d: Int\n}\ntype B {\n  c: Int\n}\n";
        assert_eq!(without("B", long), "type A {\n  d: Int\n}\n");
        let joined = "union U = B | B\ntype B {\n  c: Int\n}\ntype C {\n  u: U\n  c: Int\n}\n";
        assert_eq!(without("B", joined), "type C {\n  c: Int\n}\n");
        let emptied = "type A {\n  b: B\n}\ntype B {\n  c: Int\n}\ntype D {\n  a: A\n  e: Int\n}\n";
        assert_eq!(without("B", emptied), "type D {\n  e: Int\n}\n");
    }

    #[test]
    fn messages_labels_and_functions_go_with_what_mentions_them() {
        let messages = "message A{int32 b=1;B c=2;}message B{int32 d=1;}service S{rpc F(B)returns(A);rpc G(A)returns(A);}";
        assert_eq!(without("B", messages), "message A{int32 b=1;}service S{rpc G(A)returns(A);}");
        let assembly = ".globl f\n.globl g\nf:\n  call g\n  ret\ng:\n  ret\n";
        assert_eq!(without("g", assembly), ".globl f\nf:\n  ret\n");
        let module = "(module\n  (func $f (result i32)\n    i32.const 1)\n  (func $g\n    call $f\n    drop)\n  (export \"f\" (func $f))\n  (export \"g\" (func $g)))\n";
        assert!(!without("$f", module).contains("$f"), "{}", without("$f", module));
    }
}
