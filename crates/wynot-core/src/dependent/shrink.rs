//! The removal of what is not needed from a set of deltas, by halves.

use super::{DependentSearch, joined};
use crate::configuration::Configuration;
use crate::dependencies::Dependencies;
use crate::oracle::label::Label;
use crate::oracle::{Attempt, Oracle};
use crate::outcome::Outcomes;
use std::collections::HashSet;

/// The largest number of groups of a small set.
const SMALL: usize = 16;

/// Deltas that were made fewer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Least {
    pub deltas: Configuration,
    /// Whether none of the groups of the last level can be removed from them by itself.
    pub is_proved: bool,
}

/// What a set of deltas is made fewer for.
pub(super) struct Task<'t> {
    /// The deltas that stay.
    pub kept: &'t Configuration,
    /// The configuration that is tested for a set of deltas.
    pub candidate: &'t dyn Fn(&Configuration) -> Configuration,
    /// What leaves a set of deltas together with a part of it.
    pub with_part: &'t dyn Fn(&Dependencies, &Configuration, &Configuration) -> Configuration,
    /// The outcome that is kept.
    pub wanted: Outcomes,
    /// The largest number of tests. It also ends when half as many in a row have removed nothing.
    pub max_tests: usize,
}

/// The tests of a task.
struct Tests {
    left: usize,
    left_in_vain: usize,
    max_in_vain: usize,
    /// The sets of deltas that have another outcome than the wanted one.
    refuted: HashSet<Configuration>,
}

impl Tests {
    fn new(max: usize) -> Self {
        let max_in_vain = max.div_ceil(2);
        Self { left: max, left_in_vain: max_in_vain, max_in_vain, refuted: HashSet::new() }
    }

    fn number_left(&self) -> usize {
        self.left.min(self.left_in_vain)
    }

    /// Counts tests, the last of which may have removed something.
    fn count(&mut self, tests: usize, has_removed: bool) {
        self.left = self.left.saturating_sub(tests);
        self.left_in_vain = match has_removed {
            true => self.max_in_vain,
            false => self.left_in_vain.saturating_sub(tests),
        };
    }
}

impl<L> DependentSearch<'_, L> {
    /// Fewer deltas with the same outcome: groups of each level are removed, halves of them first, with what the given
    /// dependencies connect, and at last groups of the last level with what is tied to them.
    pub(super) fn shrink<O: Oracle<Configuration>>(
        &self,
        mut deltas: Configuration,
        dependencies: &Dependencies,
        task: &Task<'_>,
        oracle: &mut O,
    ) -> Result<Least, O::Stop> {
        let mut tests = Tests::new(task.max_tests.min(self.patience));
        let last = self.levels.len() - 1;
        let has_more_than_ties = dependencies.rules() > self.ties.rules();
        for level in 0..last + usize::from(has_more_than_ties) {
            // Without all of what is not kept, the outcome is another one.
            if self.parts(level, &deltas.difference(task.kept)).len() > 1 {
                let by = (level, dependencies);
                deltas = self.shrink_level(deltas, by, task, &mut tests, oracle)?.deltas;
            }
        }
        self.shrink_level(deltas, (last, &self.ties), task, &mut tests, oracle)
    }

    /// Removes groups of one level, in blocks that become smaller.
    fn shrink_level<O: Oracle<Configuration>>(
        &self,
        mut deltas: Configuration,
        (level, dependencies): (usize, &Dependencies),
        task: &Task<'_>,
        tests: &mut Tests,
        oracle: &mut O,
    ) -> Result<Least, O::Stop> {
        let mut parts = self.parts(level, &deltas.difference(task.kept));
        let (mut at, mut stride) = (0, first_stride(parts.len()));
        // Whether something was removed since the blocks of this size were begun.
        let mut has_removed = false;
        while !parts.is_empty() {
            let context = deltas.difference(task.kept);
            let mut seen = HashSet::new();
            let blocks = (at..parts.len()).step_by(stride).map(|from| {
                let block = joined(&parts[from..(from + stride).min(parts.len())]);
                let removed = (task.with_part)(dependencies, &block, &context);
                (from, deltas.difference(&removed))
            });
            let mut blocks = blocks.filter(|(_, rest)| {
                !rest.is_empty() && !tests.refuted.contains(rest) && seen.insert(rest.clone())
            });
            let tried: Vec<(usize, Configuration)> =
                blocks.by_ref().take(tests.number_left()).collect();
            let is_complete = blocks.next().is_none();
            drop(blocks);
            let attempts = tried.iter().enumerate().map(|(index, (from, rest))| Attempt {
                candidate: (task.candidate)(rest),
                label: Label::new("complement").numbered(from / stride + 1, parts.len()),
                decisive: task.wanted,
                next: index,
            });
            let decision = oracle.first(attempts)?;
            let refuted = decision.as_ref().map_or(tried.len(), |decision| decision.next);
            tests.count(refuted + usize::from(decision.is_some()), decision.is_some());
            tests.refuted.extend(tried[..refuted].iter().map(|(_, rest)| rest.clone()));
            match tried.into_iter().nth(refuted) {
                Some((from, rest)) => {
                    (at, deltas, has_removed) = (from, rest, true);
                    parts = self.parts(level, &deltas.difference(task.kept));
                }
                None if !is_complete => return Ok(Least { deltas, is_proved: false }),
                None if stride == 1 && !has_removed => {
                    return Ok(Least { deltas, is_proved: true });
                }
                None => (at, stride, has_removed) = (0, (stride / 2).max(1), false),
            }
        }
        Ok(Least { deltas, is_proved: true })
    }
}

/// The number of groups that are removed at once at first: half of many, but few of those of a small set, most of which are
/// needed.
fn first_stride(groups: usize) -> usize {
    match groups {
        0..=SMALL => (groups / 4).max(1),
        _ => groups.div_ceil(2),
    }
}
