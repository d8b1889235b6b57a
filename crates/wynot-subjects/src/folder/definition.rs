//! Identifiers in lines of source code, and whether a line defines them. This is by the look of the line, for all
//! languages alike.

use std::ops::Range;

/// Words before a name that it defines.
const DEFINING_WORDS: [&str; 32] = [
    "def",
    "class",
    "function",
    "fn",
    "func",
    "struct",
    "enum",
    "union",
    "interface",
    "trait",
    "type",
    "let",
    "const",
    "var",
    "val",
    "static",
    "mod",
    "module",
    "package",
    "namespace",
    "define",
    "macro",
    "sub",
    "local",
    "import",
    "from",
    "use",
    "as",
    "typedef",
    "extern",
    "proc",
    "export",
];

/// Words before a name that it does not define, although a type could stand there.
const USING_WORDS: [&str; 22] = [
    "return", "else", "case", "goto", "throw", "new", "in", "of", "and", "or", "not", "yield",
    "await", "sizeof", "typeof", "delete", "if", "while", "do", "elif", "until", "when",
];

/// Words that are no names.
const KEYWORDS: [&str; 40] = [
    "if", "else", "for", "while", "do", "switch", "case", "return", "break", "continue", "try",
    "except", "finally", "with", "raise", "throw", "catch", "match", "loop", "goto", "elif",
    "pass", "and", "or", "not", "in", "is", "lambda", "yield", "await", "async", "new", "delete",
    "then", "fi", "done", "end", "default", "unless", "until",
];

/// The identifiers of a text, with the bytes of each.
pub(crate) fn identifiers(text: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            at += text.get(at..)?.iter().position(is_part)?;
            let length = text[at..].iter().position(|byte| !is_part(byte));
            let word = at..length.map_or(text.len(), |length| at + length);
            at = word.end;
            if !text[word.start].is_ascii_digit() {
                return Some(word);
            }
        }
    })
}

/// Whether a word is no name.
pub(crate) fn is_keyword(word: &str) -> bool {
    KEYWORDS.contains(&word)
}

/// Whether a word introduces the name that follows it.
pub(crate) fn is_defining_word(word: &[u8]) -> bool {
    std::str::from_utf8(word).is_ok_and(|word| DEFINING_WORDS.contains(&word))
}

/// Whether a line looks as if it defined the identifier at `word`: a function, a type, a variable, a field, a constant,
/// an import.
pub(crate) fn is_definition(line: &[u8], word: &Range<usize>) -> bool {
    if std::str::from_utf8(&line[word.clone()]).is_ok_and(is_keyword) {
        return false;
    }
    let before = line[..word.start].trim_ascii();
    let after = line[word.end..].trim_ascii_start();
    let previous = {
        let from = before.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1);
        &before[from..]
    };
    if !previous.is_empty() {
        let previous = String::from_utf8_lossy(previous);
        if USING_WORDS.contains(&previous.as_ref()) {
            return false;
        }
        // `int name`, `name string` in a list of fields, `func name`.
        let is_declared =
            matches!(after.first(), Some(b'(' | b';' | b'=' | b',' | b')' | b'[' | b'{' | b':'))
                || after.is_empty();
        return is_declared || DEFINING_WORDS.contains(&previous.as_ref());
    }
    match before.last() {
        // `char *name`, `Vec<T> name`, `func (r *T) name`.
        Some(b'*' | b'&' | b'>' | b']' | b')') if !before.ends_with(b"->") => {
            let is_call_or_value = before.iter().any(|byte| matches!(byte, b'=' | b'"'));
            let begins_with_word = before.first().is_some_and(|&first| is_word(first));
            !is_call_or_value
                && begins_with_word
                && matches!(after.first(), None | Some(b'(' | b';' | b'=' | b',' | b')' | b'['))
        }
        // `self.name = `, `this.name = `, `exports.name = `.
        Some(b'.') => after.starts_with(b"=") && !after.starts_with(b"=="),
        // `} name;` after the members of a type.
        Some(b'}') => before == b"}" && matches!(after.first(), Some(b';' | b',')),
        // `import { name, ...`, a member of a list.
        Some(b'{' | b',') => matches!(after.first(), None | Some(b',' | b'}' | b':')),
        None => {
            let is_assigned = after.starts_with(b"=") && !after.starts_with(b"==");
            let is_listed = after == b",";
            // `limit: usize` in a list of fields. A word after a word is a variable of that type, or a call.
            let is_typed = after.starts_with(b":") && !after.starts_with(b"::");
            let is_opened = after.starts_with(b"(") && after.ends_with(b"{");
            let is_inferred = after.starts_with(b":=");
            // The second line of `static int` and `next_token(Lexer *lexer)`.
            let is_at_margin = word.start == 0
                && after.starts_with(b"(")
                && !after.trim_ascii_end().ends_with(b";");
            is_assigned || is_listed || is_typed || is_opened || is_inferred || is_at_margin
        }
        _ => false,
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The identifiers that a line defines.
    fn defined(line: &str) -> Vec<&str> {
        let text = line.as_bytes();
        identifiers(text).filter(|word| is_definition(text, word)).map(|word| &line[word]).collect()
    }

    #[test]
    fn definitions_of_several_languages_are_recognised() {
        for (line, name) in [
            ("static int next_token(Lexer *lexer)", "next_token"),
            ("#define MAX_ROWS 12", "MAX_ROWS"),
            ("    unsigned char *buffer;", "buffer"),
            ("  FLAG_LAZY,", "FLAG_LAZY"),
            ("  FLAG_LAZY = 1 << 3,", "FLAG_LAZY"),
            ("def split_rows(text):", "split_rows"),
            ("    limit = 12", "limit"),
            ("        self.limit = limit", "limit"),
            ("from rows import split_rows", "split_rows"),
            ("pub(crate) fn split_rows(text: &str) -> Vec<Row> {", "split_rows"),
            ("    limit: usize,", "limit"),
            ("func (r *Row) Split(text string) error {", "Split"),
            ("rows := split(text)", "rows"),
            ("const { splitRows, joinRows } = require('./rows')", "joinRows"),
            ("exports.splitRows = function (text) {", "splitRows"),
            ("  splitRows(text) {", "splitRows"),
            ("typedef struct row Row;", "Row"),
            ("} Row;", "Row"),
            ("next_token(Lexer *lexer)", "next_token"),
        ] {
            assert!(defined(line).contains(&name), "{line}: {:?}", defined(line));
        }
    }

    #[test]
    fn uses_are_no_definitions() {
        for (line, name) in [
            ("    return next_token(lexer);", "next_token"),
            ("    if (x == MAX_ROWS)", "MAX_ROWS"),
            ("    free(row->buffer);", "buffer"),
            ("    x = split_rows(text)", "split_rows"),
            ("    next_token(lexer);", "next_token"),
            ("  rows.push(joinRows(a, b));", "joinRows"),
        ] {
            assert!(!defined(line).contains(&name), "{line}: {:?}", defined(line));
        }
    }
}
