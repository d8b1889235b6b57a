//! The boundary between the algorithms and everything that runs tests.
//!
//! An algorithm hands its [`Oracle`] a lazy stream of [`Attempt`]s. Each attempt is what the algorithm
//! would test next if none of the earlier ones were decisive. [`Oracle::first`] returns the first decisive
//! attempt *in stream order*. An oracle may test later attempts early, take outcomes from a cache or run
//! tests on another machine: the answer is the same, so the algorithm need not know.
//!
//! This folder holds the trait, what passes through it, and the oracles that run nothing themselves:
//! [`memo`] wraps a closure, [`mapped`] translates candidates, [`monotone`] derives outcomes from earlier ones,
//! [`permitted`] leaves candidates out,
//! [`sought`] looks for other outcomes than Fail. [`strategy`] is the form of an algorithm whose future an oracle can
//! follow on both sides of a decision. Oracles that start processes belong to other crates.

pub(crate) mod label;
pub(crate) mod mapped;
pub(crate) mod memo;
pub(crate) mod monotone;
pub(crate) mod permitted;
pub(crate) mod sought;
pub(crate) mod strategy;

use crate::outcome::{Outcome, Outcomes};
use label::Label;
use std::error::Error;
use std::fmt;
use std::iter;
use strategy::Strategy;

/// A candidate to test, and what follows if its outcome is decisive.
#[derive(Clone, Debug)]
pub struct Attempt<C, N> {
    /// The candidate to test: a configuration, or a draft that a strategy has made.
    pub candidate: C,
    /// How the strategy made the candidate, for display.
    pub label: Label,
    /// The outcomes that end the stream.
    pub decisive: Outcomes,
    /// What the algorithm continues with if this attempt is decisive.
    pub next: N,
}

/// The decisive attempt that [`Oracle::first`] found.
#[derive(Clone, Debug)]
pub struct Decision<C, N> {
    /// The candidate that was tested.
    pub candidate: C,
    /// One of the attempt's decisive outcomes.
    pub outcome: Outcome,
    /// [`Attempt::next`] of the decisive attempt.
    pub next: N,
}

/// Answers the algorithms.
///
/// # Contract
///
/// An oracle remembers: a second question about the same candidate gets the same outcome and costs no
/// second test. The algorithms rely on both. Some rules of [`dd()`](crate::dd()), for example, propose
/// a candidate that an earlier rule has already had tested, now with another decisive outcome.
///
/// An oracle that wraps another one forwards every method, including [`Oracle::enter`].
pub trait Oracle<C> {
    /// Why the oracle gives no more answers: a limit, an interruption, an error.
    type Stop;

    /// The first attempt, in order, whose outcome is decisive for it; `None` when there is none.
    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Self::Stop>;

    /// The outcomes of all candidates, in order, for strategies that combine several results.
    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Self::Stop>;

    /// Runs a strategy to its end, and returns the state that it ends in.
    ///
    /// Each outcome is used in the order in which the strategy asks for it. An oracle that tests early can override
    /// this to follow both what comes after a decisive outcome and what comes after another one.
    fn run<S: Strategy<C>>(&mut self, strategy: S) -> Result<S, Stopped<S, Self::Stop>> {
        let mut reached = strategy;
        loop {
            let mut ahead = reached.clone();
            match self.first(iter::from_fn(|| ahead.next_attempt())) {
                Ok(Some(Decision { outcome, next, .. })) => {
                    reached = next;
                    reached.accept(outcome);
                }
                Ok(None) => return Ok(ahead),
                Err(cause) => return Err(Stopped { best: reached, cause }),
            }
        }
    }

    /// Notes that the strategy enters its next level (counted from 0), which has this many deltas.
    ///
    /// Displays and journals need it; answers do not depend on it.
    fn enter(&mut self, level: usize, deltas: usize);
}

impl<C, O: Oracle<C>> Oracle<C> for &mut O {
    type Stop = O::Stop;

    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Self::Stop> {
        (**self).first(attempts)
    }

    fn each(&mut self, candidates: impl Iterator<Item = C>) -> Result<Vec<Outcome>, Self::Stop> {
        (**self).each(candidates)
    }

    fn run<S: Strategy<C>>(&mut self, strategy: S) -> Result<S, Stopped<S, Self::Stop>> {
        (**self).run(strategy)
    }

    fn enter(&mut self, level: usize, deltas: usize) {
        (**self).enter(level, deltas);
    }
}

/// An early end of a search, with the best result up to then.
///
/// This is an [`Error`] where the cause is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped<B, S> {
    /// The best result so far. It has every property of a finished result except minimality.
    pub best: B,
    /// Why the oracle stopped.
    pub cause: S,
}

impl<B, S> fmt::Display for Stopped<B, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the search stopped before its result was minimal")
    }
}

impl<B: fmt::Debug, S: Error + 'static> Error for Stopped<B, S> {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}
