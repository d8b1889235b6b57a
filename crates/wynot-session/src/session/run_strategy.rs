//! Running a strategy, with tests that run ahead of their turn on each probable branch.
//!
//! The tests that the strategy may ask for form a tree. The session submits the most probable ones as long as the
//! executor has capacity, and cancels those that have become impossible. Outcomes are used at the root alone, so they
//! are used in the order in which the strategy asks for them.

use super::Session;
use super::future_tree::{Followed, FutureTree, NewNode, NextRoot};
use super::in_flight::Pending;
use super::outcome_estimates::RecentOutcomes;
use crate::compose::Compose;
use crate::executor::Executor;
use crate::stop::Stop;
use wynot_core::{Attempt, NextStep, Outcome, Proposal, Stopped, Strategy};

/// With more jobs in flight than this, all that have ended are looked at before others are submitted.
const MIN_JOBS_TO_COLLECT: usize = 8;

/// A computation that takes longer than a test is only done ahead of its turn on a branch that is more probable than this.
const MIN_PROBABILITY_TO_COMPUTE: f64 = 0.5;

/// The same with many jobs in flight, which would wait for work otherwise.
const MIN_PROBABILITY_TO_COMPUTE_FOR_MANY: f64 = 0.15;

/// What comes after an outcome was used.
enum Progress<S> {
    /// The next test.
    Root,
    /// The strategy is at its end.
    End(S),
}

impl<C: Clone, S: Compose<C>, E: Executor> Session<'_, '_, C, S, E> {
    /// Runs a strategy to its end.
    pub(super) fn run_strategy<T: Strategy<C>>(
        &mut self,
        strategy: T,
    ) -> Result<T, Stopped<T, Stop>> {
        self.arrived.clear();
        let mut tree = FutureTree::new();
        if let Progress::End(state) = self.plant(&mut tree, strategy, RecentOutcomes::default()) {
            return self.end(state);
        }
        // Jobs of an earlier stream would only delay this one.
        if let Err(cause) = self.cancel_unless(|digest| tree.contains(digest)) {
            return Err(Stopped { best: tree.uproot(), cause });
        }
        loop {
            match self.advance(&mut tree) {
                Ok(Progress::Root) => {}
                Ok(Progress::End(state)) => return self.end(state),
                Err(cause) => return Err(Stopped { best: tree.uproot(), cause }),
            }
        }
    }

    /// The result of a strategy at its end.
    fn end<T>(&self, state: T) -> Result<T, Stopped<T, Stop>> {
        match self.lab.is_stopped() {
            // A strategy that sees the stop flag proposes nothing more, which proves nothing.
            true => Err(Stopped { best: state, cause: Stop::Interrupted }),
            false => Ok(state),
        }
    }

    /// Makes the next test of a strategy the root of an empty tree.
    fn plant<T: Strategy<C>>(
        &mut self,
        tree: &mut FutureTree<C, T>,
        mut state: T,
        recent: RecentOutcomes,
    ) -> Progress<T> {
        while state.interrupt() {}
        loop {
            match state.advance() {
                NextStep::Test(proposal) => {
                    let node = self.node(proposal, state, recent);
                    let chances = self.estimates.chances(
                        node.pending.attempt.label,
                        node.likeness,
                        node.recent,
                    );
                    tree.plant(node, chances);
                    return Progress::Root;
                }
                NextStep::Compute => {}
                NextStep::Ask => state.reach(),
                NextStep::End => return Progress::End(state),
            }
        }
    }

    /// Uses the outcome of the root if it is known; otherwise submits tests, and waits for one.
    fn advance<T: Strategy<C>>(
        &mut self,
        tree: &mut FutureTree<C, T>,
    ) -> Result<Progress<T>, Stop> {
        let executed = self.counts.executed;
        if let Some(outcome) = self.use_outcome(&tree.root().pending)? {
            let is_new = self.counts.executed > executed;
            return self.follow(tree, outcome, is_new);
        }
        self.cancel_dropped(tree)?;
        let must_be_alone = self.is_contended(&tree.root().pending);
        if !must_be_alone {
            if self.in_flight.len() > MIN_JOBS_TO_COLLECT {
                while !self.in_flight.is_empty() && self.collect()? {}
                self.note_arrived(tree);
                if self.is_known(&tree.root().pending) {
                    return Ok(Progress::Root);
                }
            }
            if self.start(&tree.root().pending)? {
                self.fill(tree)?;
            }
        }
        match must_be_alone {
            true => self.test_alone(&tree.root().pending)?,
            false => self.wait()?,
        }
        self.note_arrived(tree);
        Ok(Progress::Root)
    }

    /// Goes on with what follows the outcome of the root, which was counted as a test if it `is_new`.
    fn follow<T: Strategy<C>>(
        &mut self,
        tree: &mut FutureTree<C, T>,
        outcome: Outcome,
        is_new: bool,
    ) -> Result<Progress<T>, Stop> {
        let root = tree.root();
        let attempt = &root.pending.attempt;
        if is_new {
            self.estimates.learn(attempt.label, root.likeness, root.recent, outcome);
        }
        let recent = root.recent.after(root.likeness, attempt.decisive.contains(outcome));
        let is_decisive =
            attempt.decisive.contains(outcome) && self.is_confirmed(&attempt.candidate, outcome)?;
        if is_decisive {
            self.record_step(attempt, outcome)?;
        }
        match tree.follow(is_decisive.then_some(outcome)) {
            NextRoot::Moved if tree.root_mut().state.interrupt() => {
                let state = tree.uproot();
                Ok(self.plant(tree, state, recent))
            }
            NextRoot::Moved => Ok(Progress::Root),
            NextRoot::Unknown(state) => Ok(self.plant(tree, state, recent)),
            NextRoot::End(state) => Ok(Progress::End(state)),
        }
    }

    /// Submits the most probable tests as long as the executor has capacity.
    fn fill<T: Strategy<C>>(&mut self, tree: &mut FutureTree<C, T>) -> Result<(), Stop> {
        if self.executor.capacity() == 0 {
            return Ok(());
        }
        tree.update(|node| {
            self.estimates.chances(node.pending.attempt.label, node.likeness, node.recent)
        });
        let min_probability = match self.in_flight.len() > MIN_JOBS_TO_COLLECT {
            true => MIN_PROBABILITY_TO_COMPUTE_FOR_MANY,
            false => MIN_PROBABILITY_TO_COMPUTE,
        };
        while self.executor.capacity() > 0 && self.may_look_ahead(tree.len()) {
            let Some(mut followed) = tree.pop(min_probability) else { return Ok(()) };
            match followed.state.advance() {
                NextStep::Test(proposal) => {
                    let Followed { parent, branch, state, probability } = followed;
                    let recent = tree.recent_after(parent, branch);
                    let node = self.node(proposal, state, recent);
                    let is_known = node.known.is_some();
                    let chances = self.estimates.chances(
                        node.pending.attempt.label,
                        node.likeness,
                        node.recent,
                    );
                    let at = tree.grow((parent, branch, probability), node, chances);
                    if !is_known && !self.start(&tree.node(at).pending)? {
                        return Ok(());
                    }
                }
                NextStep::Compute => tree.defer(followed),
                // What follows becomes known when the branch is reached.
                NextStep::Ask => {}
                NextStep::End => tree.end(followed),
            }
        }
        Ok(())
    }

    /// The node of a proposal.
    fn node<T>(
        &mut self,
        proposal: Proposal<C>,
        state: T,
        recent: RecentOutcomes,
    ) -> NewNode<C, T> {
        let Proposal { candidate, label, decisive, likeness } = proposal;
        let pending = self.admit(Attempt { candidate, label, decisive, next: () });
        let decided = self.decided.get(&pending.identity).copied();
        let known = decided.or_else(|| {
            let outcomes = self.lab.outcomes();
            outcomes.get(&pending.contents?)?.outcome.ok()
        });
        NewNode { state, pending, likeness, recent, known }
    }

    /// Whether the outcome of a test has arrived.
    fn is_known(&self, pending: &Pending<C, ()>) -> bool {
        pending.contents.is_some_and(|digest| self.lab.outcomes().contains_key(&digest))
    }

    /// Drops the branches that contradict the outcomes that have arrived.
    fn note_arrived<T: Strategy<C>>(&mut self, tree: &mut FutureTree<C, T>) {
        for (digest, outcome) in std::mem::take(&mut self.arrived) {
            tree.resolve(digest, outcome);
        }
    }

    /// Cancels the jobs whose tests the strategy cannot ask for any more.
    fn cancel_dropped<T: Strategy<C>>(&mut self, tree: &mut FutureTree<C, T>) -> Result<(), Stop> {
        for digest in tree.take_dropped() {
            if let Some(id) = self.wanted.remove(&digest) {
                if let Some(job_state) = self.in_flight.get_mut(&id) {
                    job_state.cancelled = true;
                }
                self.executor.cancel(id)?;
            }
        }
        Ok(())
    }
}
