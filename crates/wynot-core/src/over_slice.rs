//! The algorithms over a slice and a closure.

use crate::configuration::Configuration;
use crate::dd::{Isolated, dd};
use crate::ddmin::ddmin;
use crate::oracle::memo::Memo;
use crate::outcome::Outcome;
use std::convert::Infallible;

/// The items that the failure needs: [`ddmin()`] over a slice.
///
/// All items together are assumed to fail, and no items to pass. The test gets the items that are kept, in
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
    let Ok(minimal) = ddmin(all, &mut memo(items, test));
    choose(items, &minimal)
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
    let Ok(sides) = dd(start, &mut memo(items, test));
    (choose(items, &sides.passing), choose(items, &sides.failing))
}

fn memo<T>(
    items: &[T],
    mut test: impl FnMut(&[&T]) -> Outcome,
) -> Memo<Configuration, impl FnMut(&Configuration) -> Result<Outcome, Infallible>> {
    Memo::of(move |c: &Configuration| test(&choose(items, c)))
        .with_known(Configuration::empty(), Outcome::Pass)
        .with_known(Configuration::full(count(items)), Outcome::Fail)
}

fn choose<'a, T>(items: &'a [T], configuration: &Configuration) -> Vec<&'a T> {
    configuration.iter().map(|delta| &items[delta as usize]).collect()
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).expect("at most 4,294,967,295 items")
}
