//! Searching a list for what can go: all of it, its later half, its earlier half, and so on.
//!
//! Halves are by weight, not by number. Of all the ways to split a list that were measured, none needs
//! clearly fewer tests on all kinds of inputs; later halves first saves the most where later elements
//! depend on earlier ones, which is what texts are like.

/// What is left to try of a list of `0..len` elements.
#[derive(Clone, Debug)]
pub struct Halving {
    stack: Vec<(u32, u32)>,
    splits: bool,
    /// How many entries were pushed on the assumption that the last proposal fails.
    pushed: usize,
}

impl Halving {
    /// All of a list.
    pub fn new(len: usize) -> Self {
        Self { stack: vec![(0, len as u32)], splits: true, pushed: 0 }
    }

    /// All of a list at once or not at all.
    pub fn unsplit(len: usize) -> Self {
        Self { splits: false, ..Self::new(len) }
    }

    /// The next stretch to take out. `weight` is 0 for what is gone already.
    pub fn next(&mut self, weight: impl Fn(u32) -> usize) -> Option<(u32, u32)> {
        self.pushed = 0;
        loop {
            let (from, to) = self.stack.pop()?;
            let total: usize = (from..to).map(&weight).sum();
            if total == 0 {
                continue;
            }
            let middle = middle(from, to, total, &weight).filter(|_| self.splits);
            if let Some(middle) = middle {
                self.stack.push((from, middle));
                self.stack.push((middle, to));
                self.pushed = 2;
            }
            return Some((from, to));
        }
    }

    /// The last stretch is gone: its halves need not be tried.
    pub fn accept(&mut self) {
        self.stack.truncate(self.stack.len() - self.pushed);
        self.pushed = 0;
    }
}

/// Where the later half begins; `None` if there are no two parts with something in them.
fn middle(from: u32, to: u32, total: usize, weight: &impl Fn(u32) -> usize) -> Option<u32> {
    let mut earlier = 0;
    for element in from..to {
        let here = weight(element);
        if earlier > 0 && (earlier + here) * 2 > total {
            return Some(element);
        }
        earlier += here;
        if earlier == total {
            return None;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_come_later_half_first_and_end_with_single_elements() {
        let mut halving = Halving::new(4);
        let tried: Vec<_> = std::iter::from_fn(|| halving.next(|_| 1)).collect();
        assert_eq!(tried, [(0, 4), (2, 4), (3, 4), (2, 3), (0, 2), (1, 2), (0, 1)]);
    }

    #[test]
    fn accepted_stretches_are_not_split_and_gone_elements_are_skipped() {
        let mut halving = Halving::new(4);
        halving.next(|_| 1);
        assert_eq!(halving.next(|_| 1), Some((2, 4)));
        halving.accept();
        assert_eq!(halving.next(|element| usize::from(element < 2)), Some((0, 2)));
        let mut heavy = Halving::new(3);
        heavy.next(|element| if element == 0 { 100 } else { 1 });
        assert_eq!(heavy.next(|_| 1), Some((1, 3)), "the heavy element stands alone");
    }
}
