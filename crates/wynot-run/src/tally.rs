//! What each pass of a search has cost and gained.

use serde::{Deserialize, Serialize};
use wynot_core::Label;

/// The tests and gains of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// The pass.
    pub name: String,
    /// How many tests it has used.
    pub tests: u64,
    /// How many of them were gains.
    pub gains: u64,
    /// By how many bytes the failing side is smaller for it.
    pub bytes: u64,
}

/// The tallies of all passes, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub struct Tallies {
    list: Vec<Tally>,
    /// The size of the failing side, once it is known.
    size: Option<u64>,
}

impl Tallies {
    /// What there is so far.
    pub fn list(&self) -> &[Tally] {
        &self.list
    }

    /// A test was used.
    pub fn tested(&mut self, label: Label) {
        if let Some(tally) = self.of(label) {
            tally.tests += 1;
        }
    }

    /// The failing side went from one size to another.
    pub fn gained(&mut self, label: Label, original: u64, bytes: u64) {
        let before = self.size.replace(bytes).unwrap_or(original);
        if let Some(tally) = self.of(label) {
            tally.gains += 1;
            tally.bytes += before.saturating_sub(bytes);
        }
    }

    fn of(&mut self, label: Label) -> Option<&mut Tally> {
        if label.is_numbered() {
            return None;
        }
        let name = label.name();
        let found = self.list.iter().position(|tally| tally.name == name);
        let index = found.unwrap_or_else(|| {
            self.list.push(Tally { name: name.to_owned(), ..Tally::default() });
            self.list.len() - 1
        });
        self.list.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_counted_against_what_was_there_before() {
        let (queue, blanks) = (Label::new("queue"), Label::new("blanks"));
        let mut tallies = Tallies::default();
        for label in [queue, queue, blanks, Label::new("without").count(1), queue] {
            tallies.tested(label);
        }
        tallies.gained(queue, 100, 60);
        tallies.gained(blanks, 100, 50);
        tallies.gained(queue, 100, 50);
        let shown: Vec<_> =
            tallies.list().iter().map(|t| (t.name.as_str(), t.tests, t.gains, t.bytes)).collect();
        assert_eq!(shown, [("queue", 3, 2, 40), ("blanks", 1, 1, 10)]);
    }
}
