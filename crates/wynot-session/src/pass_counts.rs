//! The cost and gain of each pass of a search.

use serde::{Deserialize, Serialize};
use wynot_core::Label;

/// The cost and gain of one pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassCounts {
    /// The name of the pass.
    pub name: String,
    /// The number of tests that the pass used.
    pub tests: u64,
    /// The number of those tests that made the failing side smaller.
    pub gains: u64,
    /// The number of bytes by which the pass made the failing side smaller.
    pub bytes: u64,
}

/// The table of all passes, in the order in which they began.
#[derive(Clone, Debug, Default)]
pub struct PassCountsTable {
    list: Vec<PassCounts>,
    /// The size of the failing side, once it is known.
    size: Option<u64>,
}

impl PassCountsTable {
    /// The passes so far.
    pub fn list(&self) -> &[PassCounts] {
        &self.list
    }

    /// Counts a test of the pass with this label.
    pub fn count_test(&mut self, label: Label) {
        if let Some(counts) = self.entry(label) {
            counts.tests += 1;
        }
    }

    /// Counts a decisive test after which the failing side has `bytes` bytes; `original` is the size of the original.
    pub fn count_gain(&mut self, label: Label, original: u64, bytes: u64) {
        let before = self.size.replace(bytes).unwrap_or(original);
        if let Some(counts) = self.entry(label) {
            counts.gains += 1;
            counts.bytes += before.saturating_sub(bytes);
        }
    }

    /// The entry of the pass with this label; `None` for the numbered steps of an algorithm, which are not passes.
    fn entry(&mut self, label: Label) -> Option<&mut PassCounts> {
        if label.is_numbered() {
            return None;
        }
        let name = label.name();
        let found = self.list.iter().position(|counts| counts.name == name);
        let index = found.unwrap_or_else(|| {
            self.list.push(PassCounts { name: name.to_owned(), ..PassCounts::default() });
            self.list.len() - 1
        });
        self.list.get_mut(index)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_measured_against_the_previous_size() {
        let (queue, blanks) = (Label::new("queue"), Label::new("blanks"));
        let mut table = PassCountsTable::default();
        for part in [queue, queue, blanks, Label::new("without").count(1), queue] {
            table.count_test(part);
        }
        table.count_gain(queue, 100, 60);
        table.count_gain(blanks, 100, 50);
        table.count_gain(queue, 100, 50);
        let shown: Vec<_> =
            table.list().iter().map(|t| (t.name.as_str(), t.tests, t.gains, t.bytes)).collect();
        assert_eq!(shown, [("queue", 3, 2, 40), ("blanks", 1, 1, 10)]);
    }
}
