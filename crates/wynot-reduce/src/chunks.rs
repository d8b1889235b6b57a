//! For what has no syntax: trimming both ends, then taking out stretches, smaller and smaller.

use crate::{Draft, Edit, Pass};

/// So many failures in a row end the trimming of one end.
const TRIM_FAILURES: u8 = 3;

/// So many failures in a row end a size of stretches.
const CHUNK_FAILURES: u32 = 6;

/// Takes bytes off the ends, as many as possible at a time.
#[derive(Clone, Debug)]
pub struct Trim {
    /// What is left: from the first to the second.
    from: u32,
    to: u32,
    step: u32,
    failures: u8,
    at_end: bool,
}

impl Trim {
    /// All of a draft.
    pub fn new(draft: &Draft) -> Self {
        let to = draft.text.len() as u32;
        Self { from: 0, to, step: to.div_ceil(2), failures: 0, at_end: true }
    }
}

impl Pass for Trim {
    const NAME: &'static str = "trimming";

    fn propose(&mut self, _: &Draft) -> Option<Vec<Edit>> {
        loop {
            let left = self.to - self.from;
            if left < 2 || self.step == 0 || self.failures >= TRIM_FAILURES {
                if !self.at_end {
                    return None;
                }
                (self.at_end, self.failures, self.step) = (false, 0, left.div_ceil(2));
                continue;
            }
            let step = self.step.min(left - 1);
            self.step = step / 2;
            self.failures += 1;
            let span =
                if self.at_end { self.to - step..self.to } else { self.from..self.from + step };
            return Some(vec![Edit::delete(span)]);
        }
    }

    fn accept(&mut self, draft: &Draft) {
        while self.to > self.from && draft.edits.covers(&(self.to - 1..self.to)) {
            self.to -= 1;
        }
        while self.from < self.to && draft.edits.covers(&(self.from..self.from + 1)) {
            self.from += 1;
        }
        self.failures = 0;
        self.step = ((self.to - self.from) / 2).max(1);
    }
}

/// Takes out stretches of bytes from the end, of half the size each time.
#[derive(Clone, Debug)]
pub struct Chunks {
    size: u32,
    end: u32,
    failures: u32,
    thorough: bool,
}

impl Chunks {
    /// All of a draft; `thorough` leaves no stretch out.
    pub fn new(draft: &Draft, thorough: bool) -> Self {
        let end = draft.text.len() as u32;
        Self { size: end / 2, end, failures: 0, thorough }
    }
}

impl Pass for Chunks {
    const NAME: &'static str = "chunks";

    fn propose(&mut self, draft: &Draft) -> Option<Vec<Edit>> {
        while self.size > 0 {
            let tired = !self.thorough && self.failures >= CHUNK_FAILURES;
            if self.end == 0 || tired {
                self.size /= 2;
                self.end = draft.text.len() as u32;
                self.failures = 0;
                continue;
            }
            let span = self.end.saturating_sub(self.size)..self.end;
            self.end = span.start;
            if !draft.edits.covers(&span) {
                self.failures += 1;
                return Some(vec![Edit::delete(span)]);
            }
        }
        None
    }

    fn accept(&mut self, _: &Draft) {
        self.failures = 0;
    }
}
