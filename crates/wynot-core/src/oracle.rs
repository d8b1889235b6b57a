//! The seam between algorithms and everything that runs tests.
//!
//! An algorithm hands the oracle a lazy stream of attempts. Each attempt is what the algorithm would
//! test next if none of the earlier ones were decisive. [`Oracle::first`] returns the first decisive
//! attempt *in stream order*. An oracle may test later attempts early, take outcomes from a cache, or
//! ask another machine: the answer is the same, so the algorithm need not know.

use crate::{Outcome, Outcomes};
use std::fmt;

/// Something to test, and what follows if the outcome is decisive.
#[derive(Clone, Debug)]
pub struct Attempt<C, N> {
    /// What to test.
    pub configuration: C,
    /// How it came about, for people who watch.
    pub part: Part,
    /// The outcomes that end the search.
    pub decisive: Outcomes,
    /// What the algorithm goes on with if this attempt is decisive.
    pub next: N,
}

/// How a configuration was made from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Part `index` (from 1) of `of`, on its own or added to the passing side.
    Subset {
        /// Which part, counted from 1.
        index: usize,
        /// The granularity n.
        of: usize,
    },
    /// All but part `index` (from 1) of `of`.
    Complement {
        /// Which part, counted from 1.
        index: usize,
        /// The granularity n.
        of: usize,
    },
    /// All but a choice of `count` single deltas, when checking N-minimality.
    Without {
        /// How many deltas are left out.
        count: usize,
    },
    /// What has turned out to be needed so far, on its own.
    Gathered {
        /// How many deltas that are.
        count: usize,
    },
    /// One of a row of versions.
    Version {
        /// Which, counted from 0.
        number: usize,
    },
    /// What a pass of the default reducer proposes.
    Pass {
        /// Its name.
        name: &'static str,
    },
    /// The passing side and a choice of `count` single deltas, when checking N-minimality.
    With {
        /// How many deltas are added.
        count: usize,
    },
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Subset { index, of } => write!(f, "subset {index}/{of}"),
            Self::Complement { index, of } => write!(f, "complement {index}/{of}"),
            Self::Without { count } => write!(f, "without {count}"),
            Self::With { count } => write!(f, "with {count} more"),
            Self::Gathered { count } => write!(f, "{count} needed"),
            Self::Version { number } => write!(f, "version {number}"),
            Self::Pass { name } => f.write_str(name),
        }
    }
}

/// The decisive attempt that [`Oracle::first`] found.
#[derive(Clone, Debug)]
pub struct Decision<C, N> {
    /// What was tested.
    pub configuration: C,
    /// One of the attempt's decisive outcomes.
    pub outcome: Outcome,
    /// What the attempt said comes next.
    pub next: N,
}

/// Answers the algorithms.
pub trait Oracle<C> {
    /// Why no more answers are to be had: a limit, an interruption, an error.
    type Stop;

    /// The first attempt, in order, whose outcome is decisive for it; `None` when there is none.
    fn first<N>(
        &mut self,
        attempts: impl Iterator<Item = Attempt<C, N>>,
    ) -> Result<Option<Decision<C, N>>, Self::Stop>;

    /// The outcomes of all configurations, in order, for strategies that combine several winners.
    fn each(&mut self, configurations: impl Iterator<Item = C>)
    -> Result<Vec<Outcome>, Self::Stop>;

    /// The strategy begins its next level (counted from 0) with this many deltas. For people who
    /// watch; answers do not depend on it.
    fn enter(&mut self, level: usize, deltas: usize) {
        let _ = (level, deltas);
    }
}

/// The search ended early; `best` is the best that was established until then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stopped<B, S> {
    /// The best result so far. It holds what the finished result would hold except minimality.
    pub best: B,
    /// Why the oracle stopped.
    pub cause: S,
}
