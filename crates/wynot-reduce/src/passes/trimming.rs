//! Trims both ends of a text without syntax.

use crate::pass::Pass;
use crate::text::edit::Edit;
use crate::text::parsed_text::ParsedText;

/// Deletes bytes at both ends. The cut at each end is found by bisection, which is exact if the failure
/// needs one stretch of bytes and nothing else. The less certain end comes first, so that tests soon run on
/// small inputs.
pub fn trimming(parsed: &ParsedText) -> Trimming {
    let all = parsed.text.len() as u32;
    let (start, end) = (Edge { needed: all, spare: 0 }, Edge { needed: 0, spare: all });
    Trimming { start, end, at_end: true, needed_before: 0 }
}

/// What is known about the two cuts.
#[derive(Clone, Debug)]
pub struct Trimming {
    start: Edge,
    end: Edge,
    /// Whether the last proposal was at the end of the text.
    at_end: bool,
    /// `needed` of that end before the last proposal.
    needed_before: u32,
}

/// The cut at one end lies between two positions: at `needed` it removes too much, at `spare` it does not.
#[derive(Clone, Copy, Debug)]
struct Edge {
    needed: u32,
    spare: u32,
}

impl Edge {
    /// The number of bytes between the two positions.
    fn uncertainty(self) -> u32 {
        self.needed.abs_diff(self.spare)
    }
}

impl Trimming {
    fn edge(&mut self) -> &mut Edge {
        if self.at_end { &mut self.end } else { &mut self.start }
    }
}

impl Pass for Trimming {
    fn name(&self) -> &'static str {
        "trimming"
    }

    fn propose(&mut self, _: &ParsedText) -> Option<Vec<Edit>> {
        self.start.needed = self.start.needed.min(self.end.spare);
        self.end.needed = self.end.needed.max(self.start.spare);
        self.at_end = self.end.uncertainty() >= self.start.uncertainty();
        let edge = *self.edge();
        if edge.uncertainty() <= 1 {
            return None;
        }
        // The cut counts as too much until it is accepted.
        self.needed_before = edge.needed;
        let cut = edge.needed.midpoint(edge.spare);
        self.edge().needed = cut;
        let span = if self.at_end { cut..self.end.spare } else { self.start.spare..cut };
        Some(vec![Edit::delete(span)])
    }

    fn accept(&mut self, _: &ParsedText) {
        let needed = self.needed_before;
        let edge = self.edge();
        *edge = Edge { needed, spare: edge.needed };
    }
}
