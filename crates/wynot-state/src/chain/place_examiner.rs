//! Examining places, several at a time.

use super::cause_chain::{CauseEffectChain, ExaminedPlace};
use super::place_choice::{ExaminedPlaces, PlaceOrder};
use crate::experiment::common_place::CommonPlace;
use crate::experiment::other_stops::OtherStops;
use crate::experiment::place_oracle::ExperimentOracles;
use crate::experiment::place_result::CauseVariable;
use crate::experiment::place_search::examine_place;
use crate::experiment::run_pair::RunPair;
use std::collections::BTreeSet;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many places are examined.
pub struct ChainOptions<'p> {
    /// The number of places to begin with.
    pub first_places: usize,
    /// The number of places after which the search ends.
    pub max_places: usize,
    /// The number of places that are examined at the same time. The result does not depend on it.
    pub jobs: usize,
    /// Is called with each place as soon as it was examined.
    pub on_place: &'p (dyn Fn(&ExaminedPlace) + Sync),
}

/// Examines places and keeps the results, until an oracle stops.
pub(crate) struct PlaceExaminer<'s, O: ExperimentOracles> {
    pub runs: &'s RunPair<'s>,
    pub oracles: &'s O,
    pub options: &'s ChainOptions<'s>,
    pub examined: ExaminedPlaces,
    pub stopped: Option<O::Stop>,
    /// The places before the transitions that were not narrowed because of the limit on places.
    pub unnarrowed: BTreeSet<PlaceOrder>,
    /// The number of places that are examined at the same time.
    pub jobs: usize,
    /// Where the other passing runs come to places.
    pub others: OtherStops,
}

impl<'s, O: ExperimentOracles> PlaceExaminer<'s, O> {
    pub fn new(runs: &'s RunPair<'s>, oracles: &'s O, options: &'s ChainOptions<'s>) -> Self {
        let (examined, unnarrowed, others) = Default::default();
        let jobs = options.jobs;
        Self { runs, oracles, options, examined, stopped: None, unnarrowed, jobs, others }
    }

    /// Whether further places after this one may be examined. If not because of the limit on places, the
    /// transition that follows it counts as one that was not narrowed.
    pub fn may_go_on(&mut self, before: PlaceOrder) -> bool {
        if self.stopped.is_none() && self.examined.len() >= self.options.max_places {
            self.unnarrowed.insert(before);
            return false;
        }
        self.stopped.is_none()
    }

    /// The chain that was found.
    pub fn into_chain(self) -> CauseEffectChain<O::Stop> {
        CauseEffectChain {
            places: self.examined.into_places(),
            stopped: self.stopped,
            unnarrowed: self.unnarrowed.len(),
            transition_lines: Vec::new(),
            own_lines: Vec::new(),
        }
    }

    /// Examines places one after the other, so that each can have the cause of the one before.
    pub fn examine_in_turn(&mut self, wanted: impl Iterator<Item = (PlaceOrder, CommonPlace)>) {
        for place in wanted {
            if self.stopped.is_some() {
                return;
            }
            self.examine(std::iter::once(place));
        }
    }

    /// Examines places, each worker thread one at a time: a process can be controlled only by the thread that
    /// has started it. After the first place at which an oracle stops, no other is begun.
    pub fn examine(&mut self, wanted: impl Iterator<Item = (PlaceOrder, CommonPlace)>) {
        let with_expected = |(order, place)| (order, place, self.examined.variables_around(order));
        let wanted: Vec<(PlaceOrder, CommonPlace, _)> = wanted.map(with_expected).collect();
        let jobs = self.jobs.clamp(1, wanted.len().max(1));
        let next = Mutex::new(wanted.into_iter());
        let is_stopped = AtomicBool::new(false);
        let (runs, oracles, on_place) = (self.runs, self.oracles, self.options.on_place);
        let others = &self.others;
        let examine_one = |place, expected: &[Vec<CauseVariable>]| {
            let result = examine_place(runs, place, &others.at(place), expected, oracles)?;
            let examined = ExaminedPlace { place, result };
            on_place(&examined);
            Ok::<_, O::Stop>(examined)
        };
        let work = || {
            let mut done = Vec::new();
            while !is_stopped.load(Ordering::Relaxed)
                && let Some((order, place, expected)) =
                    next.lock().ok().and_then(|mut next| next.next())
            {
                let examined = examine_one(place, &expected);
                is_stopped.fetch_or(examined.is_err(), Ordering::Relaxed);
                done.push((order, examined));
            }
            done
        };
        let mut done = Vec::new();
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..jobs).map(|_| scope.spawn(work)).collect();
            for worker in workers {
                done.extend(worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
        });
        done.sort_by_key(|(order, _)| *order);
        for (order, examined) in done {
            match examined {
                Ok(place) => self.examined.insert(order, place),
                Err(stop) => self.stopped = self.stopped.take().or(Some(stop)),
            }
        }
    }
}
