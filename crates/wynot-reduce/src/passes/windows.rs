//! Deletes windows of adjacent tokens.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use crate::text::tokens::token_spans;
use std::rc::Rc;

/// The number of tokens in the longest window.
const MAX_WINDOW_TOKENS: usize = 8;

/// The number of tokens in the shortest window; single tokens are another pass.
const MIN_WINDOW_TOKENS: usize = 2;

/// Deletes windows of tokens in which brackets are balanced: long windows first, from the end of the text.
pub fn windows(parsed: &ParsedText) -> Windows {
    let tokens = token_spans(parsed);
    let end = tokens.len();
    Windows { end, tokens: Rc::new(tokens), length: MAX_WINDOW_TOKENS, follows_comma: false }
}

/// The windows that remain to be tried.
#[derive(Clone, Debug)]
pub struct Windows {
    tokens: Rc<Vec<(u32, u32)>>,
    /// The number of tokens in the next window.
    length: usize,
    /// The index after the last token of the next window.
    end: usize,
    /// Whether the last proposal was a window after which the element before a comma goes on, in a short text.
    follows_comma: bool,
}

impl Windows {
    /// The span of the next window and of the blanks after it, if it is worth a test.
    fn window(&self, parsed: &ParsedText) -> Option<(u32, u32)> {
        let is_present = |&index: &usize| {
            let (start, end) = self.tokens[index];
            !parsed.edits.covers(&(start..end))
        };
        let backwards: Vec<usize> =
            (0..self.end).rev().filter(is_present).take(self.length).collect();
        let (first, last) = (*backwards.last()?, *backwards.first()?);
        let is_window = backwards.len() == self.length && last + 1 == self.end;
        if !is_window || !self.is_balanced(parsed, &backwards) {
            return None;
        }
        let after = (last + 1..self.tokens.len()).find(is_present);
        let end = after.map_or(self.tokens[last].1, |after| self.tokens[after].0);
        Some((self.tokens[first].0, end))
    }

    fn is_balanced(&self, parsed: &ParsedText, backwards: &[usize]) -> bool {
        let mut depth = 0i32;
        for &index in backwards.iter().rev() {
            let (start, end) = self.tokens[index];
            match &parsed.text[start as usize..end as usize] {
                b"(" | b"[" | b"{" => depth += 1,
                b")" | b"]" | b"}" => depth -= 1,
                _ => {}
            }
            if depth < 0 {
                return false;
            }
        }
        depth == 0
    }
}

impl Pass for Windows {
    fn name(&self) -> &'static str {
        "windows"
    }

    /// What follows a comma can often go with the comma and leave the rest to the element before it, in ways that grammars
    /// of dialects do not know.
    fn checks_syntax(&self) -> bool {
        !self.follows_comma
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.length >= MIN_WINDOW_TOKENS {
            while self.end > 0 {
                let window = self.window(parsed);
                self.end -= 1;
                if let Some((start, end)) = window {
                    let is_comma = parsed.text[start as usize] == b',';
                    self.follows_comma = is_comma && parsed.is_short();
                    return Some(vec![parsed.delete(start..end)]);
                }
            }
            self.length -= 1;
            self.end = self.tokens.len();
        }
        None
    }
}
