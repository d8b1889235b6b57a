//! What a test shows about one candidate.

use std::fmt;

/// The three outcomes of a test (Section II-C, after POSIX 1003.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// ✔: the test passes.
    Pass,
    /// ✘: the test shows the failure in question.
    Fail,
    /// ?: anything else. The candidate does not build, crashes elsewhere or runs out of time.
    Unresolved,
}

impl Outcome {
    /// Pass for Fail and Fail for Pass, for searches for what makes the failure disappear.
    pub fn opposite(self) -> Self {
        match self {
            Self::Pass => Self::Fail,
            Self::Fail => Self::Pass,
            Self::Unresolved => Self::Unresolved,
        }
    }

    /// [`Outcome::Fail`] if the condition holds, else [`Outcome::Pass`].
    pub fn fails_if(condition: bool) -> Self {
        if condition { Self::Fail } else { Self::Pass }
    }

    /// The symbol in the paper.
    pub fn symbol(self) -> char {
        match self {
            Self::Pass => '✔',
            Self::Fail => '✘',
            Self::Unresolved => '?',
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::Unresolved => "unresolved",
        })
    }
}

/// A set of outcomes, such as those that are decisive for an [`Attempt`](crate::Attempt).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Outcomes(u8);

impl Outcomes {
    /// No outcome. An attempt with this set is never decisive.
    pub const NONE: Self = Self(0);
    /// Only [`Outcome::Pass`].
    pub const PASS: Self = Self(1);
    /// Only [`Outcome::Fail`].
    pub const FAIL: Self = Self(2);
    /// [`Outcome::Pass`] and [`Outcome::Fail`].
    pub const RESOLVED: Self = Self(3);
    /// [`Outcome::Pass`] and [`Outcome::Unresolved`].
    pub const NOT_FAIL: Self = Self(5);
    /// [`Outcome::Fail`] and [`Outcome::Unresolved`].
    pub const NOT_PASS: Self = Self(6);
    /// All three outcomes.
    pub const ANY: Self = Self(7);

    /// Whether the outcome is in the set.
    pub fn contains(self, outcome: Outcome) -> bool {
        let bit = match outcome {
            Outcome::Pass => 1,
            Outcome::Fail => 2,
            Outcome::Unresolved => 4,
        };
        self.0 & bit != 0
    }

    /// The outcomes in one of the sets, or in both.
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The outcomes that are not in the set.
    pub fn complement(self) -> Self {
        Self(!self.0 & Self::ANY.0)
    }

    /// The outcomes in both sets.
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}
