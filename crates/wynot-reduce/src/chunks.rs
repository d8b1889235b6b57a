//! For what has no syntax: trimming both ends, then taking out stretches, smaller and smaller.

use crate::{Draft, Edit, Pass};

/// So many failures in a row end a size of stretches.
const CHUNK_FAILURES: u32 = 6;

/// Takes bytes off the end, then off the start. Where each edge has to be is found by bisection, which
/// is exact if the failure needs one stretch and nothing else.
#[derive(Clone, Debug)]
pub struct Trim {
    /// What is left: from the first to the second.
    from: u32,
    to: u32,
    /// The edge lies between these two: at `needed` too much would be gone, at `spare` it is not.
    needed: u32,
    spare: u32,
    /// What `needed` was before the last proposal.
    before: u32,
    at_end: bool,
}

impl Trim {
    /// All of a draft.
    pub fn new(draft: &Draft) -> Self {
        let to = draft.text.len() as u32;
        Self { from: 0, to, needed: 0, spare: to, before: 0, at_end: true }
    }
}

impl Pass for Trim {
    const NAME: &'static str = "trimming";

    fn propose(&mut self, _: &Draft) -> Option<Vec<Edit>> {
        if self.needed.abs_diff(self.spare) <= 1 {
            if !self.at_end {
                return None;
            }
            self.at_end = false;
            (self.needed, self.spare) = (self.to, self.from);
            if self.needed - self.spare <= 1 {
                return None;
            }
        }
        // Until it is accepted it counts as too much.
        self.before = self.needed;
        self.needed = self.needed.midpoint(self.spare);
        let span = if self.at_end { self.needed..self.to } else { self.from..self.needed };
        Some(vec![Edit::delete(span)])
    }

    fn accept(&mut self, _: &Draft) {
        self.spare = self.needed;
        self.needed = self.before;
        *(if self.at_end { &mut self.to } else { &mut self.from }) = self.spare;
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
