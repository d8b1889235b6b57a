//! How many submissions one submitter may make in a second.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// The number of seconds whose submissions may come at once.
const BURST_SECONDS: f64 = 10.0;

/// The most submitters that are remembered.
const MAX_SUBMITTERS: usize = 10_000;

/// A bucket for each submitter, which fills up with time and from which each submission takes one.
#[derive(Debug)]
pub struct RateLimit {
    per_second: f64,
    buckets: Mutex<HashMap<String, (f64, Instant)>>,
}

impl RateLimit {
    /// A limit of so many submissions per second.
    pub fn new(per_second: u32) -> Self {
        Self { per_second: f64::from(per_second.max(1)), buckets: Mutex::default() }
    }

    /// Takes one submission at a time. If there is none left, returns after how many seconds there is one.
    pub fn take(&self, submitter: &str, at: Instant) -> Result<(), u64> {
        let capacity = self.per_second * BURST_SECONDS;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= MAX_SUBMITTERS && !buckets.contains_key(submitter) {
            // Full buckets say nothing.
            buckets.retain(|_, (level, since)| {
                *level + at.duration_since(*since).as_secs_f64() * self.per_second < capacity
            });
        }
        let (level, since) = buckets.entry(submitter.to_owned()).or_insert((capacity, at));
        *level = (*level + at.duration_since(*since).as_secs_f64() * self.per_second).min(capacity);
        *since = at;
        if *level >= 1.0 {
            *level -= 1.0;
            Ok(())
        } else {
            Err(((1.0 - *level) / self.per_second).ceil().max(1.0) as u64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn a_burst_is_allowed_and_then_the_rate() {
        let limit = RateLimit::new(2);
        let start = Instant::now();
        assert!((0..20).all(|_| limit.take("a", start).is_ok()));
        assert_eq!(limit.take("a", start), Err(1));
        assert!(limit.take("b", start).is_ok());
        let later = start + Duration::from_secs(1);
        assert!((0..2).all(|_| limit.take("a", later).is_ok()));
        assert!(limit.take("a", later).is_err());
    }
}
