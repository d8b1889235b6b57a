//! The tokens of a text with the white space between them, and the changes from one such text to another.

use crate::hunks::alignment::{PieceChange, list_changes};
use crate::text::cut::TextCut;
use crate::text::unit::Unit;
use std::ops::Range;

/// A text and its tokens: words, numbers and single other characters. White space is no token; what is between
/// two tokens is a gap.
pub(super) struct TokenText<'a> {
    pub(super) text: &'a [u8],
    tokens: Vec<Range<usize>>,
}

impl<'a> TokenText<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        let token = |piece: Range<usize>| {
            let bytes = &text[piece.clone()];
            let start = piece.start + (bytes.len() - bytes.trim_ascii_start().len());
            start..start + bytes.trim_ascii().len()
        };
        let pieces = TextCut::pieces(text, Unit::Token).map(token);
        Self { text, tokens: pieces.filter(|token| !token.is_empty()).collect() }
    }

    /// The number of tokens.
    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    /// The number of tokens that end before a byte.
    pub(super) fn tokens_before(&self, byte: usize) -> usize {
        self.tokens.partition_point(|token| token.end <= byte)
    }

    pub(super) fn token(&self, token: usize) -> &'a [u8] {
        &self.text[self.tokens[token].clone()]
    }

    pub(super) fn all(&self) -> Vec<&'a [u8]> {
        (0..self.len()).map(|token| self.token(token)).collect()
    }

    /// Whether some tokens are the same as some of another text.
    pub(super) fn is_same(
        &self,
        tokens: &Range<usize>,
        other: &Self,
        others: &Range<usize>,
    ) -> bool {
        tokens.len() == others.len()
            && tokens.clone().zip(others.clone()).all(|(a, b)| self.token(a) == other.token(b))
    }

    /// The bytes between a token and the one before it. Before the first and after the last token, there is the
    /// white space at the ends of the text.
    pub(super) fn gap_range(&self, token: usize) -> Range<usize> {
        let start = token.checked_sub(1).map_or(0, |before| self.tokens[before].end);
        let end = self.tokens.get(token).map_or(self.text.len(), |token| token.start);
        start..end
    }

    pub(super) fn gap(&self, token: usize) -> &'a [u8] {
        &self.text[self.gap_range(token)]
    }

    /// The text from the first to the last of some tokens.
    pub(super) fn inner(&self, tokens: &Range<usize>) -> &'a [u8] {
        match tokens.is_empty() {
            true => &[],
            false => &self.text[self.tokens[tokens.start].start..self.tokens[tokens.end - 1].end],
        }
    }
}

/// Whether white space contains a line end.
pub(super) fn breaks_line(gap: &[u8]) -> bool {
    gap.contains(&b'\n')
}

/// A change from one text to another.
pub(super) enum TokenChange {
    /// These tokens are replaced by those.
    Tokens(Range<usize>, Range<usize>),
    /// The gap before this token differs from the gap before that one; the tokens on both sides are the same.
    Gap(usize, usize),
}

/// The tokens of two texts that can differ if only some bytes of the old one are replaced.
pub(super) fn changed_tokens(
    old: &TokenText<'_>,
    new: &TokenText<'_>,
    changed: &Range<usize>,
) -> PieceChange {
    let from = old.tokens_before(changed.start);
    let rest = old.len() - old.tokens_before(changed.end);
    (from..old.len() - rest, from..new.len() - rest)
}

/// The changes between two texts of which only some tokens differ.
pub(super) fn token_changes(
    old: &TokenText<'_>,
    new: &TokenText<'_>,
    (old_tokens, new_tokens): &PieceChange,
) -> Vec<TokenChange> {
    let from = old_tokens.start;
    let edits = list_changes(
        old_tokens.clone().map(|token| old.token(token)),
        new_tokens.clone().map(|token| new.token(token)),
    );
    let mut changes = Vec::new();
    // The gaps at both ends of the changed bytes belong to them.
    let (mut at, mut new_at) = (from, from);
    let gaps = |at: usize, new_at: usize, end: usize, changes: &mut Vec<TokenChange>| {
        let pairs = (at..end).zip(new_at..);
        let different = pairs.filter(|&(a, b)| old.gap(a) != new.gap(b));
        changes.extend(different.map(|(a, b)| TokenChange::Gap(a, b)));
    };
    for (removed, inserted) in edits {
        let removed = from + removed.start..from + removed.end;
        let inserted = from + inserted.start..from + inserted.end;
        gaps(at, new_at, removed.start, &mut changes);
        (at, new_at) = (removed.end + 1, inserted.end + 1);
        changes.push(TokenChange::Tokens(removed, inserted));
    }
    gaps(at, new_at, old_tokens.end + 1, &mut changes);
    changes
}
