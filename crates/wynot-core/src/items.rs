//! The algorithms over a slice and a closure.

use crate::{Configuration, Isolated, Outcome, Recall, dd, ddmin};

/// The items that the failure needs: [`ddmin()`] over a slice.
///
/// All items together are taken to fail, none of them to pass; the closure sees the items kept, in
/// order.
///
/// ```
/// use wynot_core::{Outcome, simplify};
///
/// let letters: Vec<char> = "It worked yesterday. Why not today?".chars().collect();
/// let kept = simplify(&letters, |kept| {
///     let text: String = kept.iter().copied().collect();
///     Outcome::fails_if(text.contains("Wy") || text.contains("Why"))
/// });
/// assert_eq!(kept, [&'W', &'y']);
/// ```
pub fn simplify<T>(items: &[T], test: impl FnMut(&[&T]) -> Outcome) -> Vec<&T> {
    let all = Configuration::full(count(items));
    let Ok(minimal) = ddmin(all, &mut recall(items, test)).map_err(|stopped| stopped.cause);
    chosen(items, &minimal)
}

/// A passing and a failing choice of items that differ as little as possible: [`dd()`] over a slice.
///
/// ```
/// use wynot_core::{Outcome, isolate};
///
/// let steps: Vec<u32> = (0..1000).collect();
/// let (passing, failing) = isolate(&steps, |kept| Outcome::fails_if(kept.contains(&&612)));
/// assert_eq!(failing.len(), passing.len() + 1);
/// assert!(failing.contains(&&612) && !passing.contains(&&612));
/// ```
pub fn isolate<T>(items: &[T], test: impl FnMut(&[&T]) -> Outcome) -> (Vec<&T>, Vec<&T>) {
    let passing = Configuration::empty();
    let start = Isolated { passing, failing: Configuration::full(count(items)) };
    let Ok(sides) = dd(start, &mut recall(items, test)).map_err(|stopped| stopped.cause);
    (chosen(items, &sides.passing), chosen(items, &sides.failing))
}

fn recall<T>(
    items: &[T],
    mut test: impl FnMut(&[&T]) -> Outcome,
) -> Recall<impl FnMut(&Configuration) -> Outcome> {
    Recall::new(move |c: &Configuration| test(&chosen(items, c)))
        .with_known(Configuration::empty(), Outcome::Pass)
        .with_known(Configuration::full(count(items)), Outcome::Fail)
}

fn chosen<'a, T>(items: &'a [T], configuration: &Configuration) -> Vec<&'a T> {
    configuration.deltas().map(|delta| &items[delta as usize]).collect()
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("at most 4,294,967,295 items")
}
