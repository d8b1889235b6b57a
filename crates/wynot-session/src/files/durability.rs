//! When files are flushed to the disk: often enough that a power failure costs little, and at a small, bounded cost.

use std::time::{Duration, Instant};

/// Whether a write waits until the data is on the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The operating system writes the data when it sees fit. The end of a process does not lose it; a power failure may.
    Buffered,
    /// The data is on the disk when the write returns.
    Synced,
}

/// Decides which of many writes are synced, so that at most 1 % of the time is spent on that.
///
/// Only the durability depends on the clock, never what is written.
#[derive(Debug)]
pub struct SyncPace {
    /// The earliest time of the next synced write.
    next: Instant,
}

impl SyncPace {
    /// The shortest time between the ends and starts of synced writes.
    const MIN_INTERVAL: Duration = Duration::from_millis(500);

    /// The time after a synced write, as a multiple of the time that it took.
    const INTERVAL_FACTOR: u32 = 100;

    /// A pace that begins now.
    pub fn new() -> Self {
        Self { next: Instant::now() + Self::MIN_INTERVAL }
    }

    /// How the writes that begin now are done.
    pub fn durability(&self, now: Instant) -> Durability {
        if now < self.next { Durability::Buffered } else { Durability::Synced }
    }

    /// Records that synced writes have taken the time from `started` to `ended`.
    pub fn synced(&mut self, started: Instant, ended: Instant) {
        let took = ended.saturating_duration_since(started);
        self.next = ended + Self::MIN_INTERVAL.max(took.saturating_mul(Self::INTERVAL_FACTOR));
    }
}

impl Default for SyncPace {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_most_one_percent_of_the_time_is_spent_on_synced_writes() {
        let mut pace = SyncPace::new();
        let start = Instant::now();
        let mut now = start;
        let mut synced = Duration::ZERO;
        // Each write takes 20 ms if it is synced and 1 ms if not.
        while now - start < Duration::from_secs(1000) {
            let before = now;
            now += Duration::from_millis(1);
            if pace.durability(before) == Durability::Synced {
                now += Duration::from_millis(19);
                pace.synced(before, now);
                synced += now - before;
            }
        }
        let share = synced.as_secs_f64() / (now - start).as_secs_f64();
        assert!((0.005..0.01).contains(&share), "{share}");
    }
}
