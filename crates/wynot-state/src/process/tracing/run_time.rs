//! The time that a controlled run uses, independently of the load of the machine.
//!
//! A run uses the processor time of its process, and the time in which it waits. The time in which it could run but gets no
//! processor does not count, nor does that of the thread that controls it. As long as the time by the clock is below the
//! limit, none of this is measured.

use std::time::Duration;
use wynot_process::process_stat::{ProcessStat, run_delay, thread_run_delay};

/// The shortest time between two checks of a run whose limit has passed by the clock.
const MIN_CHECK_INTERVAL: Duration = Duration::from_millis(10);

/// The longest time between two checks.
const MAX_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// The time that a run has used, and its limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RunTime {
    limit: Duration,
    /// The process, and the thread that controls it.
    leader: i32,
    controller: i32,
    /// The time by the clock in which the process was not stopped.
    elapsed: Duration,
    at_start: Measurement,
}

/// Times of a process since it was started.
#[derive(Clone, Copy, Debug, Default)]
struct Measurement {
    cpu: Duration,
    /// The time in which the process, or the thread that controls it, could run but got no processor.
    delay: Duration,
}

impl Measurement {
    /// The times of a process and of the thread that controls it; `None` if the process has ended.
    fn of(leader: i32, controller: i32) -> Option<Self> {
        let stat = ProcessStat::of_process(leader).filter(|stat| stat.state != 'Z')?;
        let cpu = stat.own_cpu() + stat.reaped_cpu();
        let own = std::process::id() as i32;
        Some(Self { cpu, delay: run_delay(leader) + thread_run_delay(own, controller) })
    }
}

impl RunTime {
    /// Limits the time of a process, from now on. This thread controls it.
    pub(crate) fn new(limit: Duration, leader: i32) -> Self {
        let controller = rustix::thread::gettid().as_raw_nonzero().get();
        let at_start = Measurement::of(leader, controller).unwrap_or_default();
        Self { limit, leader, controller, elapsed: Duration::ZERO, at_start }
    }

    /// The time until the next check.
    pub(crate) fn time_to_check(&self) -> Duration {
        self.limit.saturating_sub(self.elapsed).max(MIN_CHECK_INTERVAL)
    }

    /// Adds time by the clock in which the process was not stopped.
    pub(crate) fn add(&mut self, elapsed: Duration) {
        self.elapsed += elapsed;
    }

    /// The processor time of the process so far; at most the time in which it was not stopped.
    pub(crate) fn used(&self) -> Duration {
        let now = Measurement::of(self.leader, self.controller);
        now.map_or(self.elapsed, |now| now.cpu.saturating_sub(self.at_start.cpu)).min(self.elapsed)
    }

    /// Whether the process has ended.
    pub(crate) fn has_ended(&self) -> bool {
        Measurement::of(self.leader, self.controller).is_none()
    }

    /// The time until the next check; `None` if the limit is exceeded.
    pub(crate) fn check(&self) -> Option<Duration> {
        if self.elapsed < self.limit {
            return Some(self.time_to_check());
        }
        let Some(now) = Measurement::of(self.leader, self.controller) else {
            return Some(MIN_CHECK_INTERVAL);
        };
        let cpu = now.cpu.saturating_sub(self.at_start.cpu);
        let delay = now.delay.saturating_sub(self.at_start.delay);
        let waited = self.elapsed.saturating_sub(cpu + delay);
        let left = self.limit.checked_sub(cpu.max(waited)).filter(|left| !left.is_zero())?;
        Some(left.clamp(MIN_CHECK_INTERVAL, MAX_CHECK_INTERVAL))
    }
}
