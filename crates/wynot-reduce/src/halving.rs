//! Which elements of a list can go: all of them, the later half, the earlier half, and so on.
//!
//! Halves are by weight, not by number. Of all measured ways to split a list, none needs clearly fewer
//! tests on all kinds of inputs. The later half comes first because later elements of a text depend on
//! earlier ones more often than the reverse.

/// The ranges of a list of `0..len` elements that remain to be tried.
#[derive(Clone, Debug)]
pub struct Halving {
    /// Ranges that are not tried yet; the last one comes next.
    stack: Vec<(u32, u32)>,
    splits: bool,
    /// The number of ranges that were pushed on the assumption that the last proposal fails.
    pushed: usize,
    /// Ranges that weigh less than this are not split.
    min_weight: usize,
    /// Whether ranges that are not tried yet become one again when what makes them fail was found.
    joins: bool,
    /// Whether the last proposal was not split, and was not accepted so far.
    is_found: bool,
}

impl Halving {
    /// The whole list, then its halves.
    pub fn new(len: usize) -> Self {
        Self {
            stack: vec![(0, len as u32)],
            splits: true,
            pushed: 0,
            min_weight: 0,
            joins: false,
            is_found: false,
        }
    }

    /// The whole list, then its halves, for long lists of which few elements have to stay: what weighs less than
    /// `min_weight` is not split, and when it is found that such a part has to stay, all that is before it comes next.
    pub fn coarse(len: usize, min_weight: usize) -> Self {
        Self { min_weight, joins: true, ..Self::new(len) }
    }

    /// The whole list at once or nothing of it.
    pub fn all_or_nothing(len: usize) -> Self {
        Self { splits: false, ..Self::new(len) }
    }

    /// The next range to remove. `weight` is 0 for elements that are gone already.
    pub fn next(&mut self, weight: impl Fn(u32) -> usize) -> Option<(u32, u32)> {
        self.pushed = 0;
        // The later half comes first, so the ranges that are left are next to each other.
        if self.joins
            && std::mem::take(&mut self.is_found)
            && let (Some(&(from, _)), Some(&(_, to))) = (self.stack.first(), self.stack.last())
        {
            self.stack = vec![(from, to)];
        }
        loop {
            let (from, to) = self.stack.pop()?;
            let total: usize = (from..to).map(&weight).sum();
            if total == 0 {
                continue;
            }
            let splits = self.splits && total >= self.min_weight;
            let middle = middle(from, to, total, &weight).filter(|_| splits);
            self.is_found = middle.is_none();
            if let Some(middle) = middle {
                self.stack.push((from, middle));
                self.stack.push((middle, to));
                self.pushed = 2;
            }
            return Some((from, to));
        }
    }

    /// The last range was removed, so its halves need not be tried.
    pub fn accept(&mut self) {
        self.stack.truncate(self.stack.len() - self.pushed);
        self.pushed = 0;
        self.is_found = false;
    }
}

/// The element at which the later half begins; `None` unless two parts have some weight each.
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
    fn coarse_halves_come_together_again() {
        let mut halving = Halving::coarse(16, 4);
        let mut tried = Vec::new();
        while let Some((from, to)) = halving.next(|_| 1) {
            tried.push((from, to));
            if !(from..to).contains(&13) {
                halving.accept();
            }
        }
        // A part of fewer than four elements is left as it is, and what is before it goes at once.
        assert_eq!(tried, [(0, 16), (8, 16), (12, 16), (14, 16), (12, 14), (0, 12)]);
    }

    #[test]
    fn accepted_ranges_are_not_split_and_gone_elements_are_skipped() {
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
