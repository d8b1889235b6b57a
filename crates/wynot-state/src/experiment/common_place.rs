//! Places of the program's code that both runs come to.

use super::stop_point::StopPoint;

/// A place that both runs come to, at which their states are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommonPlace {
    /// The address of the place in the program's file.
    pub address: u64,
    /// The hit at which the passing and the failing run are stopped, counted from 1.
    pub hits: (u32, u32),
}

impl CommonPlace {
    /// The point at which the passing run is stopped.
    pub fn in_passing(self) -> StopPoint {
        StopPoint { address: self.address, hit: self.hits.0 }
    }

    /// The point at which the failing run is stopped.
    pub fn in_failing(self) -> StopPoint {
        StopPoint { address: self.address, hit: self.hits.1 }
    }
}
