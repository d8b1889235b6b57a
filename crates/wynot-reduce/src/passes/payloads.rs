//! Deletes chunks of bytes inside the parts of containers.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;
use std::rc::Rc;

/// The number of failures in a row after which smaller chunks are tried.
const MAX_FAILURES_IN_A_ROW: u32 = 6;

/// Deletes each stretch of bytes without structure as a whole, then chunks of it from its end to its start, halving
/// their size each time.
pub fn payloads(parsed: &ParsedText) -> Payloads {
    let spans = parsed.layout.as_ref().map(|layout| layout.payloads.clone()).unwrap_or_default();
    let spans = Rc::new(spans);
    let mut pass = Payloads { left: spans.len(), spans, size: 0, end: 0, failures: 0 };
    pass.go_on();
    pass
}

/// The chunks that remain to be tried.
#[derive(Clone, Debug)]
pub struct Payloads {
    spans: Rc<Vec<Range<u32>>>,
    /// The number of stretches that are not done, the current one included.
    left: usize,
    size: u32,
    /// The position after the next chunk.
    end: u32,
    /// The number of failures since the last success.
    failures: u32,
}

impl Payloads {
    fn span(&self) -> Option<&Range<u32>> {
        self.left.checked_sub(1).map(|index| &self.spans[index])
    }

    /// Begins with the current stretch.
    fn go_on(&mut self) {
        let (end, size) = self.span().map_or((0, 0), |span| (span.end, span.len() as u32));
        (self.end, self.size, self.failures) = (end, size, 0);
    }
}

impl Pass for Payloads {
    fn name(&self) -> &'static str {
        "payloads"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        loop {
            let span = self.span()?.clone();
            if self.size == 0 || parsed.edits.remaining(&span) == 0 {
                self.left -= 1;
                self.go_on();
            } else if self.end == span.start || self.failures >= MAX_FAILURES_IN_A_ROW {
                (self.size, self.end, self.failures) = (self.size / 2, span.end, 0);
            } else {
                let start = self.end.saturating_sub(self.size).max(span.start);
                let chunk = start..std::mem::replace(&mut self.end, start);
                if parsed.edits.remaining(&chunk) > 0 {
                    self.failures += 1;
                    return Some(vec![Edit::delete(chunk)]);
                }
            }
        }
    }

    fn accept(&mut self, _: &ParsedText) {
        self.failures = 0;
    }
}
