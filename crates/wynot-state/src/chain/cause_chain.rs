//! The chain that was found: the examined places, and the causes one after the other.

use crate::experiment::common_place::CommonPlace;
use crate::experiment::place_result::{PlaceCause, PlaceResult};

/// The cause-effect chain, as far as it was found. `S` is the reason for which an oracle stops.
#[derive(Debug)]
pub struct CauseEffectChain<S> {
    /// The examined places, in the order of execution.
    pub places: Vec<ExaminedPlace>,
    /// Why the search ended before it was complete, if it did.
    pub stopped: Option<S>,
    /// The number of transitions between causes that were not narrowed because of the limit on places.
    pub unnarrowed: usize,
    /// For the first place of each cause but the first: the addresses of the lines that have made it of the cause before, if
    /// they are known.
    pub transition_lines: Vec<(CommonPlace, Vec<u64>)>,
    /// The lines that only one of the runs executes after the last place of each cause, until the next cause or the end, if they are
    /// known.
    pub own_lines: Vec<(CommonPlace, OwnLines)>,
}

/// The lines between two steps that only one of the runs executes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnLines {
    /// The addresses of the lines that only the failing run executes, in the order of execution.
    pub failing: Vec<u64>,
    /// The addresses of the lines that only the passing run executes, in the order of execution.
    pub passing: Vec<u64>,
}

/// An examined place.
#[derive(Debug)]
pub struct ExaminedPlace {
    /// The place.
    pub place: CommonPlace,
    /// What the search there found.
    pub result: PlaceResult,
}

impl ExaminedPlace {
    /// The cause at the place, if one was found and confirmed by runs from the beginning of the program.
    pub fn cause(&self) -> Option<&PlaceCause> {
        match &self.result {
            PlaceResult::Cause(cause) => cause.verified.then_some(&**cause),
            PlaceResult::Incomplete(_) | PlaceResult::Unreached => None,
        }
    }

    /// The number of experiments at the place.
    pub fn tests(&self) -> u64 {
        match &self.result {
            PlaceResult::Cause(cause) => cause.tests,
            PlaceResult::Incomplete(state) => state.tests,
            PlaceResult::Unreached => 0,
        }
    }
}

impl<S> CauseEffectChain<S> {
    /// The chain of a search that was stopped before it has examined a place.
    pub fn stopped(reason: S) -> Self {
        Self {
            places: Vec::new(),
            stopped: Some(reason),
            unnarrowed: 0,
            transition_lines: Vec::new(),
            own_lines: Vec::new(),
        }
    }

    /// The steps of the chain: the different causes, in the order of execution.
    pub fn steps(&self) -> Vec<CauseStep<'_>> {
        let mut steps: Vec<CauseStep<'_>> = Vec::new();
        for cause in self.places.iter().filter_map(ExaminedPlace::cause) {
            match steps.last_mut() {
                Some(step) if step.first.is_same_cause(cause) => step.last = cause,
                _ => steps.push(CauseStep { first: cause, last: cause }),
            }
        }
        steps
    }

    /// The places without a cause between two places; from the first one if `from` is `None`, and to the last
    /// one if `to` is `None`.
    pub fn undecided(
        &self,
        from: Option<CommonPlace>,
        to: Option<CommonPlace>,
    ) -> Vec<&ExaminedPlace> {
        let index = |place: CommonPlace| self.places.iter().position(|other| other.place == place);
        let from = from.and_then(index).unwrap_or(0);
        let to = to.map_or(Some(self.places.len()), index).unwrap_or(from);
        let between = self.places.get(from..to).unwrap_or_default();
        between.iter().filter(|place| place.cause().is_none()).collect()
    }

    /// The addresses of the lines that have made the cause of a place of the one before.
    pub fn lines_before(&self, place: CommonPlace) -> &[u64] {
        let lines = self.transition_lines.iter().find(|(after, _)| *after == place);
        lines.map_or(&[], |(_, lines)| lines)
    }

    /// The lines that only one of the runs executes after the last place of a cause.
    pub fn own_lines_after(&self, place: CommonPlace) -> Option<&OwnLines> {
        self.own_lines.iter().find(|(before, _)| *before == place).map(|(_, lines)| lines)
    }

    /// The places at which no cause was found.
    pub fn places_without_cause(&self) -> impl Iterator<Item = &ExaminedPlace> {
        self.places.iter().filter(|place| place.cause().is_none())
    }
}

/// A step of the chain: one cause, from the first to the last place where it decides.
#[derive(Clone, Copy, Debug)]
pub struct CauseStep<'c> {
    /// The cause at the first place where it decides.
    pub first: &'c PlaceCause,
    /// The cause at the last place where it decides.
    pub last: &'c PlaceCause,
}
