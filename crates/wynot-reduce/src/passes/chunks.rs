//! Deletes chunks of bytes from a text without syntax.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// The number of failures in a row after which a quick run goes on to smaller chunks.
const MAX_FAILURES_IN_A_ROW: u32 = 6;

/// Deletes chunks from the end of the text to its start, halving their size each time; a `thorough` run
/// tries all chunks of each size.
pub fn chunks(parsed: &ParsedText, thorough: bool) -> Chunks {
    let end = parsed.text.len() as u32;
    Chunks { size: end / 2, end, failures: 0, thorough }
}

/// The chunks that remain to be tried.
#[derive(Clone, Debug)]
pub struct Chunks {
    size: u32,
    /// The position after the next chunk.
    end: u32,
    /// The number of failures since the last success.
    failures: u32,
    thorough: bool,
}

impl Pass for Chunks {
    fn name(&self) -> &'static str {
        "chunks"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.size > 0 {
            let gives_up = !self.thorough && self.failures >= MAX_FAILURES_IN_A_ROW;
            if self.end == 0 || gives_up {
                self.size /= 2;
                self.end = parsed.text.len() as u32;
                self.failures = 0;
                continue;
            }
            let span = self.end.saturating_sub(self.size)..self.end;
            self.end = span.start;
            if !parsed.edits.covers(&span) {
                self.failures += 1;
                return Some(vec![Edit::delete(span)]);
            }
        }
        None
    }

    fn accept(&mut self, _: &ParsedText) {
        self.failures = 0;
    }
}
