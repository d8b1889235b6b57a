//! Sets of objects for searches that begin anew very often.

use crate::graph::memory_object::ObjectId;

/// A set of objects that is cleared in constant time.
pub(super) struct ObjectSet {
    /// For each object the mark of the time when it was inserted last.
    marks: Vec<u32>,
    mark: u32,
}

impl ObjectSet {
    pub fn new(count: usize) -> Self {
        Self { marks: vec![0; count], mark: 0 }
    }

    pub fn clear(&mut self) {
        self.mark = self.mark.wrapping_add(1);
        if self.mark == 0 {
            self.marks.fill(0);
            self.mark = 1;
        }
    }

    /// Adds an object, and returns whether it is new.
    pub fn insert(&mut self, id: ObjectId) -> bool {
        std::mem::replace(&mut self.marks[id.0 as usize], self.mark) != self.mark
    }
}
