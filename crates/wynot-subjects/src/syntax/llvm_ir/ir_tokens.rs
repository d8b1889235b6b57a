//! The tokens of LLVM IR.

use std::ops::Range;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Comment,
    /// A keyword, a type, a number or a label.
    Word,
    /// A name with its sigil, one of `% @ ! # $ ^`.
    Name(u8),
    /// A text in quotes.
    Quoted,
    /// A single other byte.
    Sign(u8),
}

/// A token, and whether it is the first one of its line.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub span: Range<usize>,
    pub starts_line: bool,
}

impl Token {
    pub(super) fn is_sign(&self, sign: u8) -> bool {
        self.kind == TokenKind::Sign(sign)
    }

    /// By how much the token changes the depth of brackets.
    pub(super) fn depth_change(&self) -> i32 {
        match self.kind {
            TokenKind::Sign(b'(' | b'[' | b'{') => 1,
            TokenKind::Sign(b')' | b']' | b'}') => -1,
            _ => 0,
        }
    }
}

/// All tokens of a text.
pub(super) fn tokens(text: &[u8]) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let (mut at, mut starts_line) = (0, true);
    while at < text.len() {
        let byte = text[at];
        if byte.is_ascii_whitespace() {
            starts_line |= byte == b'\n';
            at += 1;
            continue;
        }
        let rest = &text[at..];
        let (kind, length) = match byte {
            b';' => (TokenKind::Comment, length_until(rest, |byte| byte == b'\n')),
            b'"' => (TokenKind::Quoted, quoted_length(rest)),
            b'%' | b'@' | b'!' | b'#' | b'$' | b'^' => match name_length(&rest[1..]) {
                0 => (TokenKind::Sign(byte), 1),
                length => (TokenKind::Name(byte), 1 + length),
            },
            _ if is_word_byte(byte) => {
                (TokenKind::Word, length_until(rest, |byte| !is_word_byte(byte)))
            }
            _ => (TokenKind::Sign(byte), 1),
        };
        found.push(Token { kind, span: at..at + length, starts_line });
        starts_line = false;
        at += length;
    }
    found
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"-$._".contains(&byte) || !byte.is_ascii()
}

/// The length of the name after a sigil.
fn name_length(rest: &[u8]) -> usize {
    match rest.first() {
        Some(b'"') => quoted_length(rest),
        _ => length_until(rest, |byte| !is_word_byte(byte)),
    }
}

/// The number of bytes before the first one at which `stops` holds.
fn length_until(text: &[u8], stops: impl Fn(u8) -> bool) -> usize {
    text.iter().position(|&byte| stops(byte)).unwrap_or(text.len())
}

/// The length of a quoted text at the start, with its quotes.
fn quoted_length(text: &[u8]) -> usize {
    text[1..].iter().position(|&byte| byte == b'"').map_or(text.len(), |at| at + 2)
}
