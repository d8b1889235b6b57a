//! Deletes windows of bytes, wherever they begin.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;
use std::ops::Range;

/// Windows have fewer bytes than this.
const MAX_WINDOW_BYTES: usize = 64;

/// The number of windows that are tried at most; with it, the longest one is found that a text can afford.
const MAX_WINDOWS: usize = 4096;

/// Deletes all windows of at least `min_bytes` that a text can afford, long ones first, from the end of the text. In the
/// view of a container, what follows from other bytes belongs to no window.
pub fn byte_windows(parsed: &ParsedText, min_bytes: u32) -> ByteWindows {
    let length = parsed.text.len();
    let affordable = MAX_WINDOWS / length.max(1);
    let size = affordable.min(MAX_WINDOW_BYTES - 1).min(length.saturating_sub(1)) as u32;
    ByteWindows { size, min_bytes: min_bytes.max(1), end: length as u32 }
}

/// The windows that remain to be tried.
#[derive(Clone, Debug)]
pub struct ByteWindows {
    size: u32,
    min_bytes: u32,
    /// The position after the next window.
    end: u32,
}

impl ByteWindows {
    /// The next window that is worth a test.
    fn is_worth_a_test(window: &Range<u32>, parsed: &ParsedText) -> bool {
        let is_computed =
            |at: u32| parsed.layout.as_ref().is_some_and(|layout| layout.is_computed(at));
        // A window that begins or ends with a byte that is gone equals a shorter one.
        let is_present = |at: u32| !parsed.edits.covers(&(at..at + 1));
        is_present(window.start) && is_present(window.end - 1) && !window.clone().any(is_computed)
    }
}

impl Pass for ByteWindows {
    fn name(&self) -> &'static str {
        "byte_windows"
    }

    fn propose(&mut self, parsed: &ParsedText) -> Option<Vec<Edit>> {
        while self.size >= self.min_bytes {
            while self.end >= self.size {
                let window = self.end - self.size..self.end;
                self.end -= 1;
                if Self::is_worth_a_test(&window, parsed) {
                    return Some(vec![Edit::delete(window)]);
                }
            }
            self.size -= 1;
            self.end = parsed.text.len() as u32;
        }
        None
    }
}
