//! Isolation among deltas that depend on each other, as the changes between two versions of a program do.
//!
//! Most mixtures of two versions do not build. Three means find those that do: the difference is cut in two so that one
//! side contains all that it needs ([`Dependencies`]); an unresolved outcome may say what was missing, which is learned
//! and used at once; and where no cut can be tested, suspects and then single groups are removed and added, with what
//! depends on them.

mod context;
mod cuts;
mod deciding_places;
#[cfg(test)]
mod dependent_tests;
mod repaired_tests;
mod shrink;
mod suspects;

pub use context::Context;
pub use deciding_places::DecidingPlace;

use crate::configuration::Configuration;
use crate::dd::Isolated;
use crate::dependencies::Dependencies;
use crate::grouping::Grouping;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle, Stopped};
use crate::outcome::{Outcome, Outcomes};
use std::collections::HashSet;

/// A search among deltas that depend on each other, which [learns](Learn) from unresolved outcomes.
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
    /// The deltas that are tested first where the difference cannot be cut.
    suspects: Vec<Configuration>,
}

/// What a search learns from unresolved outcomes: a function that gets the oracle and an unresolved configuration, and may
/// add dependencies.
pub trait Learn<O>: FnMut(&O, &Configuration, &mut Dependencies) {}

impl<O, F: FnMut(&O, &Configuration, &mut Dependencies)> Learn<O> for F {}

/// A difference that was narrowed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Narrowed {
    /// The two sides.
    pub sides: Isolated,
    /// Whether the search came to its end; else its patience did.
    pub complete: bool,
}

/// How groups are moved from one side to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Move {
    /// Those before a cut are added to the passing side; those after it are thus removed from the failing one.
    Cut,
    /// One is added to the passing side, with what it needs.
    Add,
    /// One is removed from the failing side, with what needs it.
    Remove,
}

/// How often a group is tested again with more that it needs, before the next one follows.
const MAX_REPAIRS: u32 = 3;

/// Where a level stands.
#[derive(Clone, Copy, Debug)]
enum Progress {
    /// The difference is cut.
    Cuts,
    /// Single groups are removed and added.
    Singles(Sweep),
}

/// A sweep over single groups.
#[derive(Clone, Copy, Debug)]
struct Sweep {
    /// The first delta of the next group to add and to remove.
    from: [u32; 2],
    /// How often the present group was tested with more that it needs.
    repairs: u32,
    /// The number of groups to remove at once. It grows as long as the rest fails without them.
    stride: usize,
    /// Whether a group was decisive since the sweep began.
    is_repeated: bool,
}

impl Sweep {
    const START: Self = Self { from: [0, 0], repairs: 0, stride: 1, is_repeated: false };
}

impl<'a, L> DependentSearch<'a, L> {
    /// A search over levels of groups, each of which splits the groups of the level before it. Deltas stay together
    /// with what they need by `dependencies`, which include the `ties`. The search ends early after `patience` unresolved tests.
    pub fn new(
        levels: &'a [Grouping],
        ties: Dependencies,
        dependencies: Dependencies,
        patience: usize,
        learn: L,
    ) -> Self {
        let (unresolved, suspects) = (HashSet::new(), Vec::new());
        Self { levels, ties, dependencies, learn, patience, unresolved, suspects }
    }

    /// Narrows the difference between two sides on the last level alone, where only ties keep deltas together.
    pub fn isolate_finely<O: Oracle<Configuration>>(
        &mut self,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        L: Learn<O>,
    {
        let last = self.levels.len() - 1;
        let mut search = DependentSearch {
            levels: &self.levels[last..],
            ties: self.ties.clone(),
            dependencies: self.ties.clone(),
            learn: |_: &O, _: &Configuration, _: &mut Dependencies| {},
            patience: self.patience,
            unresolved: std::mem::take(&mut self.unresolved),
            suspects: Vec::new(),
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
    pub fn isolate<O: Oracle<Configuration>>(
        &mut self,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        L: Learn<O>,
    {
        self.isolate_from(0, start, oracle)
    }

    /// Narrows the difference between two sides, where the first level is the one with this number for the oracle.
    fn isolate_from<O: Oracle<Configuration>>(
        &mut self,
        first_level: usize,
        start: Isolated,
        oracle: &mut O,
    ) -> Result<Narrowed, Stopped<Isolated, O::Stop>>
    where
        L: Learn<O>,
    {
        let mut sides = start;
        for level in 0..self.levels.len() {
            let groups = self.parts(level, &sides.difference()).len();
            oracle.enter(first_level + level, groups);
            let mut progress = Progress::Cuts;
            while self.has_patience() {
                let parts = self.parts(level, &sides.difference());
                if parts.len() < 2 {
                    break;
                }
                match self.step(&mut sides, (level, &parts), &mut progress, oracle) {
                    Ok(true) => {}
                    Ok(false) => break,
                    Err(cause) => return Err(Stopped { best: sides, cause }),
                }
            }
        }
        Ok(Narrowed { sides, complete: self.has_patience() })
    }

    fn note_unresolved<O: Oracle<Configuration>>(&mut self, candidate: &Configuration, oracle: &O)
    where
        L: Learn<O>,
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
    fn step<O: Oracle<Configuration>>(
        &mut self,
        sides: &mut Isolated,
        (level, parts): (usize, &[Configuration]),
        progress: &mut Progress,
        oracle: &mut O,
    ) -> Result<bool, O::Stop>
    where
        L: Learn<O>,
    {
        let difference = sides.difference();
        let decision = match *progress {
            Progress::Cuts => oracle.first(self.cuts(sides, (level, parts)))?,
            Progress::Singles(sweep) => {
                oracle.first(self.singles(sides, &difference, (level, parts), sweep))?
            }
        };
        let Some(decision) = decision else {
            if matches!(progress, Progress::Cuts)
                && self.narrow_to_suspect(sides, parts.len(), oracle)?
            {
                return Ok(true);
            }
            return Ok(progress.advance(level + 1 == self.levels.len()));
        };
        if decision.outcome == Outcome::Unresolved {
            let rules = self.dependencies.rules();
            self.note_unresolved(&decision.candidate, oracle);
            if let Progress::Singles(sweep) = progress {
                let is_learned = self.dependencies.rules() > rules;
                sweep.note_unresolved(decision.next, is_learned);
            }
            return Ok(true);
        }
        sides.narrow(decision.candidate, decision.outcome);
        match progress {
            Progress::Singles(sweep) if sides.difference().len() * 2 > difference.len() => {
                sweep.note_resolved(decision.next);
            }
            _ => *progress = Progress::Cuts,
        }
        Ok(true)
    }

    /// The cuts through a difference that are not known to be unresolved.
    fn cuts<'s>(
        &'s self,
        sides: &'s Isolated,
        (level, parts): (usize, &'s [Configuration]),
    ) -> impl Iterator<Item = Attempt<Configuration, (Move, u32)>> + 's {
        let mut seen = HashSet::new();
        let cuts = cuts::cuts(parts, &self.levels[level], &self.dependencies);
        cuts.filter_map(move |cut| {
            let candidate = sides.passing.union(&cut.before);
            let is_new = candidate != sides.passing
                && candidate != sides.failing
                && !self.unresolved.contains(&candidate)
                && seen.insert(candidate.clone());
            is_new.then(|| Attempt {
                candidate,
                label: Label::new("subset").numbered(cut.piece.0, cut.piece.1),
                decisive: Outcomes::ANY,
                next: (Move::Cut, 0),
            })
        })
    }

    /// The groups of the difference, removed from the failing side with what needs them, and added to the passing one with
    /// what they need. What is known to be unresolved is left out.
    fn singles<'s>(
        &'s self,
        sides: &'s Isolated,
        difference: &'s Configuration,
        (level, parts): (usize, &'s [Configuration]),
        sweep: Sweep,
    ) -> impl Iterator<Item = Attempt<Configuration, (Move, u32)>> + 's {
        let groups = &self.levels[level];
        let mut seen = HashSet::new();
        let moves = [Move::Remove, Move::Add].into_iter();
        let moves = moves.flat_map(|made_by| (0..parts.len()).map(move |index| (made_by, index)));
        let mut is_first = true;
        moves.filter_map(move |(made_by, index)| {
            let last = parts[index].ranges().last()?.end;
            if last <= sweep.from[usize::from(made_by == Move::Remove)] {
                return None;
            }
            let stride = if std::mem::take(&mut is_first) { sweep.stride } else { 1 };
            let block = &parts[index..(index + stride).min(parts.len())];
            let end = block.last()?.ranges().last()?.end;
            let part = joined(block);
            let candidate = match made_by {
                Move::Remove => {
                    let removed =
                        self.dependencies.with_dependent_groups(&part, difference, groups);
                    sides.failing.difference(&removed)
                }
                _ => {
                    let added = self.dependencies.with_needed_groups(&part, difference, groups);
                    sides.passing.union(&added)
                }
            };
            let is_side = |candidate: &Configuration| {
                *candidate == sides.passing || *candidate == sides.failing
            };
            let is_new = !is_side(&candidate)
                && !self.unresolved.contains(&candidate)
                && seen.insert(candidate.clone());
            let name = if made_by == Move::Remove { "complement" } else { "subset" };
            is_new.then(|| Attempt {
                candidate,
                label: Label::new(name).numbered(index + 1, parts.len()),
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
    /// Goes on when there is nothing more to test: from cuts to single groups, and from a sweep to the next one. Returns
    /// `false` at the end of the level.
    fn advance(&mut self, is_last: bool) -> bool {
        let goes_on = match self {
            Self::Cuts => true,
            // On other levels, the next level splits what is left.
            Self::Singles(sweep) => is_last && sweep.is_repeated,
        };
        *self = Self::Singles(Sweep::START);
        goes_on
    }
}

impl Sweep {
    /// A group was moved. Those before it have to be tested once more, since the sides have changed.
    fn note_resolved(&mut self, (made_by, end): (Move, u32)) {
        self.repairs = 0;
        self.from[usize::from(made_by == Move::Remove)] = end;
        self.is_repeated = true;
        self.stride *= 2;
    }

    /// A group cannot be moved, unless what was learned helps.
    fn note_unresolved(&mut self, (made_by, end): (Move, u32), is_learned: bool) {
        if self.stride > 1 {
            self.stride = 1;
        } else if is_learned && self.repairs < MAX_REPAIRS {
            self.repairs += 1;
        } else {
            self.repairs = 0;
            self.from[usize::from(made_by == Move::Remove)] = end;
        }
    }
}
