//! The entries of a text of any syntax: lines with what is below them, by brackets and by indentation.
//!
//! An entry begins at a line, at a statement, or within brackets, and ends before the next one that is not deeper. Comments
//! and descriptions before an entry belong to it. Nothing here knows a language; what is read wrongly costs a test.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexicalKind {
    /// A name, a keyword or a number.
    Word,
    /// A comment, or a text in quotes.
    Opaque,
    /// A single other byte.
    Sign(u8),
}

/// A token of a text.
#[derive(Clone, Debug)]
pub struct LexicalToken {
    pub kind: LexicalKind,
    pub span: Range<u32>,
    /// The entry that it belongs to.
    pub entry: u32,
    /// The bracket around it, as the index of the token that opens it.
    pub bracket: Option<u32>,
    /// For an opening bracket, the index of the token that closes it.
    pub closing: Option<u32>,
}

/// An entry, in the order of the text: its descendants follow it without a gap.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Its bytes, with the comments before it.
    pub span: Range<u32>,
    pub parent: Option<u32>,
    /// The first entry after it that is not a descendant.
    pub after: u32,
    /// The index of its first token.
    pub first: u32,
    depth: u32,
    indentation: u32,
}

/// The entries and the tokens of a text.
#[derive(Clone, Debug, Default)]
pub struct Entries {
    pub tokens: Vec<LexicalToken>,
    pub entries: Vec<Entry>,
}

/// The indentation of entries that do not begin at a line.
const WITHIN_LINE: u32 = u32::MAX;

impl Entries {
    /// Reads a text.
    pub fn of(text: &[u8]) -> Self {
        let mut reader = EntryReader {
            text,
            found: Self::default(),
            open: vec![],
            brackets: vec![],
            attached: None,
        };
        let mut at = 0;
        let mut line_start = Some(0);
        while at < text.len() {
            let byte = text[at];
            if byte.is_ascii_whitespace() {
                at += 1;
                if byte == b'\n' {
                    line_start = Some(at);
                }
                continue;
            }
            let (kind, length) = token(&text[at..], line_start.is_some());
            let indentation = line_start.take().map(|start| (at - start) as u32);
            reader.add(kind, at as u32..(at + length) as u32, indentation);
            at += length;
        }
        reader.close_while(|_| true);
        reader.found
    }

    /// The text of a token.
    pub fn word<'t>(&self, text: &'t [u8], token: u32) -> &'t [u8] {
        let span =
            self.tokens.get(token as usize).map(|token| token.span.clone()).unwrap_or_default();
        &text[span.start as usize..span.end as usize]
    }

    /// Whether a token is a certain sign.
    pub fn is_sign(&self, token: u32, signs: &[u8]) -> bool {
        let kind = self.tokens.get(token as usize).map(|token| token.kind);
        matches!(kind, Some(LexicalKind::Sign(sign)) if signs.contains(&sign))
    }

    /// Whether other entries are below an entry.
    pub fn has_block(&self, entry: u32) -> bool {
        self.entries[entry as usize].after > entry + 1
    }

    /// The entries directly below an entry.
    pub fn children(&self, entry: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.entries[entry as usize].after;
        let first = (entry + 1 < end).then_some(entry + 1);
        std::iter::successors(first, move |&child| {
            let next = self.entries[child as usize].after;
            (next < end).then_some(next)
        })
    }
}

struct EntryReader<'t> {
    text: &'t [u8],
    found: Entries,
    /// The entries that are not at their end, the innermost last.
    open: Vec<u32>,
    /// The brackets that are not closed.
    brackets: Vec<u32>,
    /// The start of the comments before the next entry.
    attached: Option<u32>,
}

impl EntryReader<'_> {
    /// Adds a token; `indentation` is that of the line, if it is the first one there.
    fn add(&mut self, kind: LexicalKind, span: Range<u32>, indentation: Option<u32>) {
        let is_description = kind == LexicalKind::Opaque
            && indentation.is_some()
            && (self.text[span.start as usize] != b'"'
                || self.text[span.start as usize..].starts_with(b"\"\"\""));
        if is_description {
            self.attached = self.attached.or(Some(span.start));
            return;
        }
        let closes = matches!(kind, LexicalKind::Sign(b')' | b']' | b'}'));
        let previous = self.found.tokens.last().map(|token| token.kind);
        let begins = match (indentation, previous) {
            (_, None) => true,
            _ if closes => false,
            (Some(_), _) => true,
            (None, Some(LexicalKind::Sign(b'{' | b';'))) => true,
            (None, Some(LexicalKind::Sign(b'}'))) => kind == LexicalKind::Word,
            _ => false,
        };
        if closes {
            let opened = self.brackets.pop();
            let depth = self.brackets.len() as u32;
            self.close_while(|entry| entry.depth > depth);
            if let Some(opened) = opened {
                let closing = self.found.tokens.len() as u32;
                self.found.tokens[opened as usize].closing = Some(closing);
            }
        }
        if begins {
            // What follows a statement within a line is beside it.
            let depth = self.brackets.len() as u32;
            let beside = self.open.last().map(|&last| &self.found.entries[last as usize]);
            let beside = beside.filter(|entry| entry.depth == depth).map(|entry| entry.indentation);
            self.begin(span.start, indentation.or(beside).unwrap_or(WITHIN_LINE));
        }
        let bracket = self.brackets.last().copied();
        if matches!(kind, LexicalKind::Sign(b'(' | b'[' | b'{')) {
            self.brackets.push(self.found.tokens.len() as u32);
        }
        let entry = self.open.last().copied().unwrap_or(0);
        self.found.tokens.push(LexicalToken { kind, span, entry, bracket, closing: None });
    }

    /// Begins an entry at a position.
    fn begin(&mut self, start: u32, indentation: u32) {
        let depth = self.brackets.len() as u32;
        self.close_while(|entry| {
            entry.depth > depth || entry.depth == depth && entry.indentation >= indentation
        });
        let parent = self.open.last().copied();
        let first = self.found.tokens.len() as u32;
        self.open.push(self.found.entries.len() as u32);
        let start = self.attached.take().unwrap_or(start);
        let after = self.found.entries.len() as u32 + 1;
        let span = start..start;
        self.found.entries.push(Entry { span, parent, after, first, depth, indentation });
    }

    /// Ends the innermost entries while something holds for them.
    fn close_while(&mut self, holds: impl Fn(&Entry) -> bool) {
        let end = self.found.tokens.last().map_or(0, |token| token.span.end);
        let after = self.found.entries.len() as u32;
        while let Some(&last) = self.open.last() {
            let entry = &mut self.found.entries[last as usize];
            if !holds(entry) {
                break;
            }
            (entry.span.end, entry.after) = (end.max(entry.span.start), after);
            self.open.pop();
        }
    }
}

/// The kind and the length of the token at the start of a text.
fn token(rest: &[u8], starts_line: bool) -> (LexicalKind, usize) {
    let until = |end: &[u8], from: usize| {
        let found =
            rest[from.min(rest.len())..].windows(end.len()).position(|window| window == end);
        found.map_or(rest.len(), |at| from + at + end.len())
    };
    // Only on demand: lines may be long, and most tokens are short.
    let line = || rest.iter().position(|&byte| byte == b'\n').unwrap_or(rest.len());
    let is_line_comment = rest.starts_with(b"//")
        || starts_line && (rest[0] == b'#' || rest[0] == b';' || rest.starts_with(b"--"));
    match rest[0] {
        _ if is_line_comment => (LexicalKind::Opaque, line()),
        b'/' if rest.starts_with(b"/*") => (LexicalKind::Opaque, until(b"*/", 2)),
        b'"' if rest.starts_with(b"\"\"\"") => (LexicalKind::Opaque, until(b"\"\"\"", 3)),
        b'"' => (LexicalKind::Opaque, quoted_length(&rest[..line()])),
        first if is_word_byte(first) => (LexicalKind::Word, word_length(rest)),
        b'%' | b'@' | b'$' | b'.' if rest.get(1).copied().is_some_and(is_word_byte) => {
            (LexicalKind::Word, 1 + word_length(&rest[1..]))
        }
        sign => (LexicalKind::Sign(sign), 1),
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || !byte.is_ascii()
}

/// The length of a word. A hyphen belongs to it between letters.
fn word_length(rest: &[u8]) -> usize {
    let mut at = 0;
    while at < rest.len() {
        let joins = rest[at] == b'-' && rest.get(at + 1).copied().is_some_and(is_word_byte);
        if !is_word_byte(rest[at]) && !joins {
            break;
        }
        at += 1;
    }
    at.max(1)
}

/// The length of a text in quotes within a line.
fn quoted_length(line: &[u8]) -> usize {
    let mut at = 1;
    while at < line.len() && line[at] != b'"' {
        at += if line[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(line.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first words of entries, with their depth.
    fn outline(text: &str) -> Vec<String> {
        let read = Entries::of(text.as_bytes());
        let depth = |index: u32| {
            std::iter::successors(read.entries[index as usize].parent, |&parent| {
                read.entries[parent as usize].parent
            })
            .count()
        };
        let first = |index: u32| {
            let word = read.word(text.as_bytes(), read.entries[index as usize].first);
            format!("{}{}", "-".repeat(depth(index)), String::from_utf8_lossy(word))
        };
        (0..read.entries.len() as u32).map(first).collect()
    }

    #[test]
    fn entries_follow_brackets_and_indentation() {
        assert_eq!(
            outline("type A {\n  b: C\n  d(e: F): G\n}\nunion U =\n  | A\n  | B\n"),
            ["type", "-b", "-d", "union", "-|", "-|"]
        );
        assert_eq!(
            outline("f:\n  call g\n  ret\ng:\n  ret\n"),
            ["f", "-call", "-ret", "g", "-ret"]
        );
        assert_eq!(
            outline("message A{int32 b=1;B c=2;}enum D{E=0;}"),
            ["message", "-int32", "-B", "enum", "-E"]
        );
        assert_eq!(outline("(module\n (func $f)\n (func $g (call $f)))\n"), ["(", "-(", "-("]);
    }

    #[test]
    fn comments_belong_to_what_follows() {
        let text = "a\n# about b\n\"\"\"more {\n\"\"\"\nb {\n}\nc\n";
        let read = Entries::of(text.as_bytes());
        let spans: Vec<&str> = read
            .entries
            .iter()
            .map(|entry| &text[entry.span.start as usize..entry.span.end as usize])
            .collect();
        assert_eq!(spans, ["a", "# about b\n\"\"\"more {\n\"\"\"\nb {\n}", "c"]);
    }
}
