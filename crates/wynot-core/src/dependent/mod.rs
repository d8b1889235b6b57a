//! Isolation among deltas that depend on each other, as the changes between two versions of a program do.
//!
//! Most mixtures of two versions do not build. Three means find those that do: deltas are taken together
//! with what they need ([`Dependencies`]); an unresolved outcome may say what was missing, which is learned
//! and used at once; and where halves and quarters are unresolved, single groups are removed and added.

mod context;
#[cfg(test)]
mod dependent_tests;

use crate::configuration::Configuration;
use crate::dd::Isolated;
use crate::dependencies::Dependencies;
use crate::grouping::Grouping;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use std::collections::HashSet;

/// A search among deltas that depend on each other.
///
/// `learn` is called with each unresolved configuration, and may add dependencies.
#[derive(Debug)]
pub struct DependentSearch<'a, L> {
    levels: &'a [Grouping],
    /// What must stay together.
    ties: Dependencies,
    /// These, and what probably must.
    dependencies: Dependencies,
    learn: L,
    /// The number of further tests that may be unresolved.
    patience: usize,
    /// The configurations that are unresolved.
    unresolved: HashSet<Configuration>,
}

/// A difference that was narrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowed {
    /// The two sides.
    pub sides: Isolated,
    /// Whether the search came to its end; else its patience did.
    pub complete: bool,
}

/// How the parts of a difference are tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Added to the passing side, with what they need.
    Add,
    /// Removed from the failing side, with what needs them.
    Remove,
}

impl Move {
    /// The name of what is tested, in labels.
    fn name(self) -> &'static str {
        match self {
            Self::Add => "subset",
            Self::Remove => "complement",
        }
    }
}

/// How often a part is tested again with more that it needs, before the next part follows.
const MAX_REPAIRS: u32 = 3;

/// Where a level stands.
#[derive(Clone, Copy, Debug)]
struct Progress {
    /// The number of parts, as a power of two; single groups from the number of groups on.
    parts: usize,
    /// The first delta of the next part to add and to remove.
    from: [u32; 2],
    /// How often the present part was tested with more that it needs.
    repairs: u32,
    /// The number of single groups to remove at once. It grows as long as the rest fails without them.
    stride: usize,
    /// Whether a single group was decisive since the sweep over single groups began.
    is_swept_again: bool,
}

impl Progress {
    const START: Self =
        Self { parts: 2, from: [0, 0], repairs: 0, stride: 1, is_swept_again: false };
}

impl<'a, L> DependentSearch<'a, L> {
    /// A search over levels of groups, each of which splits the groups of the level before it. Deltas always stay
    /// together with what they need by `ties`; with what they need by `dependencies`, which include the ties, only as long
    /// as that is not the whole difference. The search ends early after `patience` unresolved tests.
    pub fn new(
        levels: &'a [Grouping],
        ties: Dependencies,
        dependencies: Dependencies,
        patience: usize,
        learn: L,
    ) -> Self {
        Self { levels, ties, dependencies, learn, patience, unresolved: HashSet::new() }
    }

    /// Narrows the difference between two sides on the last level alone, where only ties keep deltas together.
    pub fn isolate_finely<O>(
        &mut self,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let last = self.levels.len() - 1;
        let mut search = DependentSearch {
            levels: &self.levels[last..],
            ties: self.ties.clone(),
            dependencies: self.ties.clone(),
            learn: |_: &O, _: &Configuration, _: &mut Dependencies| {},
            patience: self.patience,
            unresolved: std::mem::take(&mut self.unresolved),
        };
        let narrowed = search.isolate_from(last, start, oracle);
        self.patience = search.patience;
        self.unresolved = search.unresolved;
        narrowed
    }

    /// Whether the search may go on.
    pub fn has_patience(&self) -> bool {
        self.patience > 0
    }

    /// Narrows the difference between two sides on each level of groups in turn.
    ///
    /// If the search is complete, then no group of the last level can be moved to the other side with what
    /// depends on it.
    pub fn isolate<O>(
        &mut self,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        self.isolate_from(0, start, oracle)
    }

    /// Narrows the difference between two sides, where the first level is the one with this number for the oracle.
    fn isolate_from<O>(
        &mut self,
        first_level: usize,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let mut sides = start;
        for level in 0..self.levels.len() {
            let is_last = level + 1 == self.levels.len();
            let groups = self.parts(level, &sides.difference()).len();
            oracle.enter(first_level + level, groups);
            let mut progress = Progress::START;
            while self.has_patience() {
                let parts = self.parts(level, &sides.difference());
                if parts.len() < 2 {
                    break;
                }
                match self.step(&mut sides, &parts, &mut progress, is_last, oracle) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(cause) => return Err(Stopped { best: sides, cause }),
                }
            }
        }
        Ok(Narrowed { sides, complete: self.has_patience() })
    }

    /// The outcome of some deltas of a configuration with what they need; again if more was learned to be
    /// needed.
    pub fn test_with_needs<O>(
        &mut self,
        part: &Configuration,
        available: &Configuration,
        oracle: &mut O,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        self.test_repaired(oracle, |dependencies| dependencies.with_needs(part, available))
    }

    /// The outcome of a configuration without some deltas and what needs them; again if more was learned to
    /// need them.
    pub fn test_without<O>(
        &mut self,
        part: &Configuration,
        whole: &Configuration,
        oracle: &mut O,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        self.test_repaired(oracle, |dependencies| {
            whole.difference(&dependencies.with_dependents(part, whole))
        })
    }

    /// Tests what `make` makes of the dependencies until it is resolved, or nothing more is learned.
    fn test_repaired<O>(
        &mut self,
        oracle: &mut O,
        make: impl Fn(&Dependencies) -> Configuration,
    ) -> Result<(Configuration, Outcome), O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        loop {
            let candidate = make(&self.dependencies);
            let outcome = oracle.each(std::iter::once(candidate.clone()))?[0];
            if outcome != Outcome::Unresolved || !self.is_repaired(&candidate, oracle, &make) {
                return Ok((candidate, outcome));
            }
        }
    }

    /// Learns from an unresolved candidate. Returns whether `make` now makes another one.
    fn is_repaired<O>(
        &mut self,
        candidate: &Configuration,
        oracle: &O,
        make: impl Fn(&Dependencies) -> Configuration,
    ) -> bool
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        self.note_unresolved(candidate, oracle);
        self.has_patience() && make(&self.dependencies) != *candidate
    }

    fn note_unresolved<O>(&mut self, candidate: &Configuration, oracle: &O)
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        if self.unresolved.insert(candidate.clone()) {
            self.patience = self.patience.saturating_sub(1);
            (self.learn)(oracle, candidate, &mut self.dependencies);
        }
    }

    /// The groups of a level that a difference touches, without their deltas outside of it.
    fn parts(&self, level: usize, difference: &Configuration) -> Vec<Configuration> {
        let grouping = self.levels[level].within(difference);
        let deltas: Vec<u32> = difference.iter().collect();
        let part = |group: u32| -> Configuration {
            let ranks = grouping.deltas_of(&Configuration::from([group]));
            ranks.iter().map(|rank| deltas[rank as usize]).collect()
        };
        (0..grouping.len()).map(part).collect()
    }

    /// Tests parts of the difference until one is resolved or something was learned. Returns `false` if there
    /// is nothing more to test.
    fn step<O>(
        &mut self,
        sides: &mut Isolated,
        parts: &[Configuration],
        progress: &mut Progress,
        is_last: bool,
        oracle: &mut O,
    ) -> Result<bool, O::Stop>
    where
        O: Oracle<Configuration>,
        L: FnMut(&O, &Configuration, &mut Dependencies),
    {
        let difference = sides.difference();
        let attempts = self.attempts(sides, &difference, parts, *progress);
        let Some(decision) = oracle.first(attempts)? else {
            return Ok(progress.advance(parts.len(), is_last));
        };
        let (made_by, end) = decision.next;
        if decision.outcome == Outcome::Unresolved {
            let rules = self.dependencies.rules();
            self.note_unresolved(&decision.candidate, oracle);
            if progress.stride > 1 {
                progress.stride = 1;
            } else if self.dependencies.rules() > rules && progress.repairs < MAX_REPAIRS {
                progress.repairs += 1;
            } else {
                progress.repairs = 0;
                progress.from[made_by as usize] = end;
            }
            return Ok(true);
        }
        sides.narrow(decision.candidate, decision.outcome);
        if sides.difference().len() * 2 <= difference.len() {
            *progress = Progress::START;
        } else {
            progress.repairs = 0;
            progress.from[made_by as usize] = end;
            // The parts before it have to be tested once more, since the sides have changed.
            progress.is_swept_again = true;
            if progress.parts >= parts.len() {
                progress.stride *= 2;
            }
        }
        Ok(true)
    }

    /// The parts of the difference, added to the passing side and removed from the failing one, with what they
    /// need and with what needs them. What is known to be unresolved is left out.
    fn attempts<'s>(
        &'s self,
        sides: &'s Isolated,
        difference: &'s Configuration,
        parts: &'s [Configuration],
        progress: Progress,
    ) -> impl Iterator<Item = Attempt<Configuration, (Move, u32)>> + 's {
        let n = progress.parts.min(parts.len());
        let order = match n == parts.len() && n > 2 {
            true => [Move::Remove, Move::Add],
            false => [Move::Add, Move::Remove],
        };
        let mut seen = HashSet::new();
        let moves = order.into_iter().flat_map(move |made_by| (0..n).map(move |i| (made_by, i)));
        let mut is_first = n == parts.len();
        moves.filter_map(move |(made_by, i)| {
            let last = parts[((i + 1) * parts.len() / n) - 1].ranges().last()?.end;
            if last <= progress.from[made_by as usize] {
                return None;
            }
            let stride = if std::mem::take(&mut is_first) { progress.stride } else { 1 };
            let until = ((i + stride) * parts.len() / n).min(parts.len());
            let block = &parts[i * parts.len() / n..until];
            let end = block.last()?.ranges().last()?.end;
            let part = joined(block);
            let candidate = |dependencies: &Dependencies| match made_by {
                Move::Add => sides.passing.union(&dependencies.with_needs(&part, difference)),
                Move::Remove => {
                    sides.failing.difference(&dependencies.with_dependents(&part, difference))
                }
            };
            let is_side = |candidate: &Configuration| {
                *candidate == sides.passing || *candidate == sides.failing
            };
            let by_all = candidate(&self.dependencies);
            let candidate = if is_side(&by_all) { candidate(&self.ties) } else { by_all };
            let is_new = !is_side(&candidate)
                && !self.unresolved.contains(&candidate)
                && seen.insert(candidate.clone());
            is_new.then(|| Attempt {
                candidate,
                label: Label::new(made_by.name()).numbered(i + 1, n),
                decisive: Outcomes::ANY,
                next: (made_by, end),
            })
        })
    }
}

/// The deltas of consecutive parts.
fn joined(parts: &[Configuration]) -> Configuration {
    let mut all = Configuration::empty();
    for range in parts.iter().flat_map(Configuration::ranges) {
        all.push(range.start..range.end);
    }
    all
}

impl Progress {
    /// Goes on to smaller parts when all of the present size are unresolved. Returns `false` at the end of the
    /// level.
    fn advance(&mut self, groups: usize, is_last: bool) -> bool {
        if self.parts >= groups {
            let again = is_last && self.is_swept_again;
            self.from = [0, 0];
            self.is_swept_again = false;
            return again;
        }
        (self.from, self.repairs, self.stride) = ([0, 0], 0, 1);
        // On coarse levels, single groups follow the quarters: the next level splits what is left.
        self.parts = if is_last || self.parts < 4 { self.parts * 2 } else { groups };
        true
    }
}
