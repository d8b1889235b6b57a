//! For what has no syntax: trimming both ends, then taking out stretches, smaller and smaller.

use crate::{Draft, Edit, Pass};

/// So many failures in a row end a size of stretches.
const CHUNK_FAILURES: u32 = 6;

/// Takes bytes off both ends. Where each edge has to be is found by bisection, which is exact if the
/// failure needs one stretch and nothing else; the edge that is less certain comes first, so that tests
/// soon run on small inputs.
#[derive(Clone, Debug)]
pub struct Trim {
    start: Edge,
    end: Edge,
    at_end: bool,
    /// What was needed before the last proposal.
    before: u32,
}

/// An edge lies between two places: at `needed` too much would be gone, at `spare` it is not.
#[derive(Clone, Copy, Debug)]
struct Edge {
    needed: u32,
    spare: u32,
}

impl Edge {
    fn doubt(self) -> u32 {
        self.needed.abs_diff(self.spare)
    }
}

impl Trim {
    /// All of a draft.
    pub fn new(draft: &Draft) -> Self {
        let all = draft.text.len() as u32;
        let (start, end) = (Edge { needed: all, spare: 0 }, Edge { needed: 0, spare: all });
        Self { start, end, at_end: true, before: 0 }
    }

    fn edge(&mut self) -> &mut Edge {
        if self.at_end { &mut self.end } else { &mut self.start }
    }
}

impl Pass for Trim {
    const NAME: &'static str = "trimming";

    fn propose(&mut self, _: &Draft) -> Option<Vec<Edit>> {
        self.start.needed = self.start.needed.min(self.end.spare);
        self.end.needed = self.end.needed.max(self.start.spare);
        self.at_end = self.end.doubt() >= self.start.doubt();
        let edge = *self.edge();
        if edge.doubt() <= 1 {
            return None;
        }
        // Until it is accepted it counts as too much.
        self.before = edge.needed;
        let cut = edge.needed.midpoint(edge.spare);
        self.edge().needed = cut;
        let span = if self.at_end { cut..self.end.spare } else { self.start.spare..cut };
        Some(vec![Edit::delete(span)])
    }

    fn accept(&mut self, _: &Draft) {
        let before = self.before;
        let edge = self.edge();
        *edge = Edge { needed: before, spare: edge.needed };
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
