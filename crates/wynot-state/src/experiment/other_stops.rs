//! Where the other passing runs are stopped for a comparison with the failing run.

use super::common_place::CommonPlace;
use super::stop_point::StopPoint;
use std::collections::HashMap;

/// The stops of the other passing runs that correspond to stops of the failing run.
#[derive(Clone, Debug, Default)]
pub struct OtherStops {
    /// For an address and a hit of the failing run: the numbers of the runs that come there, each with its hit.
    hits: HashMap<(u64, u32), Vec<(usize, u32)>>,
}

impl OtherStops {
    /// Adds the places that one of the runs has in common with the failing run.
    pub fn add(&mut self, run: usize, places: &[CommonPlace]) {
        for CommonPlace { address, hits } in places {
            self.hits.entry((*address, hits.1)).or_default().push((run, hits.0));
        }
    }

    /// Adds stops, unless some are known for the same stop of the failing run.
    pub fn merge(&mut self, others: Self) {
        for (failing, stops) in others.hits {
            self.hits.entry(failing).or_insert(stops);
        }
    }

    /// The runs that come to a place, each with the point at which it is stopped.
    pub fn at(&self, place: CommonPlace) -> Vec<(usize, StopPoint)> {
        let known = self.hits.get(&(place.address, place.hits.1)).map_or(&[][..], Vec::as_slice);
        let stop =
            |(run, hit): &(usize, u32)| (*run, StopPoint { address: place.address, hit: *hit });
        known.iter().map(stop).collect()
    }
}
