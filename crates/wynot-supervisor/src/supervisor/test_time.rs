//! The time that a test uses, independently of what else the machine does.
//!
//! A test uses the processor time of all its processes, and the time in which all of them wait. While some process
//! could run but gets no processor, no time passes for the test. Waiting is noticed by samples: at increasing intervals,
//! the supervisor checks whether some thread of the test can run. A test that waits may wait for a program that gets no
//! processor, so on a loaded machine its waiting time passes more slowly.
//!
//! The clock and the accounting belong here; finding the processes does not (see `descendants`).

use super::descendants::Descendants;
use crate::limits::Limits;
use std::io;
use std::time::{Duration, Instant};
use wynot_process::process_stat::{Activity, system_load};

/// The shortest interval between two samples. Most tests end before their first sample.
const MIN_INTERVAL: Duration = Duration::from_millis(10);

/// The longest interval between two samples.
const MAX_INTERVAL: Duration = Duration::from_millis(250);

/// The part of the elapsed time that an interval may take.
const INTERVAL_PART: u32 = 8;

/// The factor by which tests that share caches and processor cores may increase the processor time of each other.
const MAX_CONTENTION: u32 = 2;

/// The part of the time spent waiting for a disk that counts. Disks are shared, too.
const DISK_PART: u32 = 8;

/// The factor between the time limit and the time after which a test ends although no use of time is seen. The time of
/// a process is not seen if its parent ignores its end.
const UNSEEN_FACTOR: u32 = 50;

/// The time limit of a test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeLimit {
    /// The limit of the processor time, and of the time spent waiting.
    pub limit: Duration,
    /// Whether no other test runs beside this one.
    pub is_alone: bool,
}

/// What a sample of a running test says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sampled {
    /// The test keeps to its limits so far.
    Within,
    /// The time of the test is up.
    TimedOut,
    /// The test exceeds another limit.
    Exceeded(ExceededLimit),
}

/// A limit that a test has exceeded, besides that of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExceededLimit {
    Processes,
    ResidentMemory,
}

impl ExceededLimit {
    /// The excess in words, with the option that allows more.
    pub(crate) fn message(self, limits: &Limits) -> String {
        match self {
            Self::Processes => {
                let limit = limits.processes.unwrap_or_default();
                format!(
                    "the test started more than {limit} processes; --limit processes=N allows more"
                )
            }
            Self::ResidentMemory => {
                let megabytes = limits.resident.bytes().unwrap_or_default() >> 20;
                format!(
                    "the test used more than {megabytes} MB of memory; --limit resident=SIZE allows more"
                )
            }
        }
    }
}

/// How the time of a test compares with its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overrun {
    /// The test kept to its limit.
    Within,
    /// The test exceeded its limit, unless other tests ran beside it.
    UnlessContended,
    /// The test waited for too long, but on a loaded machine.
    Doubtful,
    /// The test exceeded its limit.
    Certain,
}

impl Overrun {
    /// The byte that stands for this in messages.
    pub(crate) fn code(self) -> u8 {
        self as u8
    }

    /// What a byte in a message stands for.
    pub(crate) fn from_code(code: u8) -> Option<Self> {
        let all = [Self::Within, Self::UnlessContended, Self::Doubtful, Self::Certain];
        all.into_iter().find(|overrun| overrun.code() == code)
    }
}

/// The time that a test has used so far.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UsedTime {
    /// The processor time of all processes of the test.
    pub cpu: Duration,
    /// The time in which all processes waited, reduced by the load of the machine.
    pub waited: Duration,
    /// The time in which all processes waited.
    waited_in_full: Duration,
    /// The time in which the test could have used one processor.
    available: Duration,
}

/// What the supervisor sees of a test at the end of an interval.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// The processor time so far.
    cpu: Duration,
    activity: Activity,
    /// The number of threads that can run for each processor, at least 1.
    load: f64,
}

impl UsedTime {
    /// The processor time and the time spent waiting.
    pub(crate) fn time(&self) -> Duration {
        self.cpu + self.waited
    }

    /// Adds an interval, with what was seen at its end.
    fn add(&mut self, interval: Duration, sample: Sample) {
        // A process may have ended in a way that hides its time.
        let cpu = sample.cpu.max(self.cpu);
        let idle = interval.saturating_sub(cpu - self.cpu);
        let waited = match sample.activity {
            Activity::Runs => Duration::ZERO,
            Activity::WaitsForDisk => idle / DISK_PART,
            Activity::Waits => idle,
        };
        self.cpu = cpu;
        self.waited_in_full += waited;
        self.waited += waited.div_f64(sample.load);
        self.available += interval.div_f64(sample.load);
    }

    /// Whether the test has to be ended. Beside other tests, it gets more time, until the overrun is certain.
    fn must_end(&self, TimeLimit { limit, is_alone }: TimeLimit) -> bool {
        let (contention, waited) =
            if is_alone { (1, self.waited) } else { (MAX_CONTENTION, self.waited_in_full) };
        self.cpu > limit.saturating_mul(contention)
            || waited > limit
            || self.available > limit.saturating_mul(UNSEEN_FACTOR)
    }

    /// Whether this much time was used since an earlier moment.
    pub(crate) fn exceeds(&self, earlier: &Self, time: Duration) -> bool {
        self.cpu > earlier.cpu + time
            || self.waited > earlier.waited + time
            || self.available > earlier.available + time * UNSEEN_FACTOR
    }

    /// How the time compares with a limit.
    pub(crate) fn overrun(&self, of: TimeLimit) -> Overrun {
        let TimeLimit { limit, is_alone } = of;
        let contention = if is_alone { 1 } else { MAX_CONTENTION };
        if self.cpu > limit.saturating_mul(contention)
            || self.available > limit.saturating_mul(UNSEEN_FACTOR)
        {
            Overrun::Certain
        } else if self.cpu > limit || self.waited > limit {
            if is_alone { Overrun::Certain } else { Overrun::UnlessContended }
        } else if !is_alone && self.waited_in_full > limit {
            Overrun::Doubtful
        } else {
            Overrun::Within
        }
    }
}

/// The clock of one test after another.
pub(crate) struct TestClock {
    descendants: Descendants,
    /// The maximum number of processes.
    max_processes: Option<u64>,
    /// The maximum memory of all processes together, in bytes.
    max_memory: Option<u64>,
    /// The processor time of all processes that have ended, as it was read last.
    reaped: Duration,
    /// The processor time of all earlier tests.
    earlier: Duration,
    limit: TimeLimit,
    used: UsedTime,
    /// When the watch of the present process of the test began.
    started: Instant,
    /// When the last interval ended.
    sampled: Instant,
    /// The length of the present interval.
    interval: Duration,
    /// The activity and the load at the end of the last interval, if there was one.
    last_seen: Option<(Activity, f64)>,
}

impl TestClock {
    pub(crate) fn new(limits: &Limits) -> io::Result<Self> {
        let descendants = Descendants::new()?;
        let (reaped, now) = (descendants.reaped_cpu(), Instant::now());
        Ok(Self {
            descendants,
            max_processes: limits.processes,
            max_memory: limits.resident.bytes(),
            reaped,
            earlier: reaped,
            limit: TimeLimit { limit: Duration::MAX, is_alone: true },
            used: UsedTime::default(),
            started: now,
            sampled: now,
            interval: MIN_INTERVAL,
            last_seen: None,
        })
    }

    /// Begins a test. The processes of earlier tests are dead.
    pub(crate) fn begin(&mut self, limit: TimeLimit) {
        self.earlier = self.reaped;
        (self.limit, self.used) = (limit, UsedTime::default());
    }

    /// Limits what follows to a time of its own, within the limit of the whole.
    pub(crate) fn limit_rest(&mut self, rest: Duration) {
        let used = self.used.cpu.max(self.used.waited);
        self.limit.limit = self.limit.limit.min(used.saturating_add(rest));
    }

    /// Begins the watch of a process of the test: its build, or the test itself.
    pub(crate) fn start(&mut self) {
        self.started = Instant::now();
        (self.sampled, self.interval, self.last_seen) = (self.started, MIN_INTERVAL, None);
    }

    /// The time until the next sample.
    pub(crate) fn time_to_sample(&self) -> Duration {
        self.interval.saturating_sub(self.sampled.elapsed())
    }

    /// Takes a sample.
    pub(crate) fn sample(&mut self) -> Sampled {
        let living = self.descendants.living(self.max_processes);
        let load = system_load();
        self.add_interval(living.cpu, living.activity, load);
        self.last_seen = Some((living.activity, load));
        let interval = (self.started.elapsed() / INTERVAL_PART).clamp(MIN_INTERVAL, MAX_INTERVAL);
        let left = self.limit.limit.saturating_sub(self.used.cpu.max(self.used.waited));
        self.interval = interval.min(left.max(MIN_INTERVAL));
        if self.max_processes.is_some_and(|limit| living.processes > limit) {
            Sampled::Exceeded(ExceededLimit::Processes)
        } else if self.max_memory.is_some_and(|limit| living.exceeds_memory(limit)) {
            Sampled::Exceeded(ExceededLimit::ResidentMemory)
        } else if self.used.must_end(self.limit) {
            Sampled::TimedOut
        } else {
            Sampled::Within
        }
    }

    /// Ends the watch of a process. All processes of the test are dead.
    pub(crate) fn finish(&mut self) {
        // Without any sample, the test was too short for its waiting to matter.
        let (activity, load) = self.last_seen.unwrap_or((Activity::Runs, 1.0));
        self.add_interval(Duration::ZERO, activity, load);
    }

    /// The time that the test has used so far.
    pub(crate) fn used(&self) -> UsedTime {
        self.used
    }

    /// How the time of the test compares with its limit.
    pub(crate) fn overrun(&self) -> Overrun {
        self.used.overrun(self.limit)
    }

    /// Adds the time since the last sample; `living` is the processor time of living processes.
    fn add_interval(&mut self, living: Duration, activity: Activity, load: f64) {
        self.reaped = self.descendants.reaped_cpu();
        let cpu = (self.reaped + living).saturating_sub(self.earlier);
        // If the interval took longer, the supervisor itself had to wait.
        let interval = self.interval.min(self.sampled.elapsed());
        self.used.add(interval, Sample { cpu, activity, load });
        self.sampled = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(2);

    /// The overrun after intervals of 100 ms, alone and beside other tests.
    fn overruns(count: u32, activity: Activity, cpu_part: f64, load: f64) -> (Overrun, Overrun) {
        let mut used = UsedTime::default();
        let interval = Duration::from_millis(100);
        for number in 1..=count {
            let cpu = interval.mul_f64(cpu_part) * number;
            used.add(interval, Sample { cpu, activity, load });
        }
        let of = |is_alone| {
            let limit = TimeLimit { limit: LIMIT, is_alone };
            let overrun = used.overrun(limit);
            assert!(overrun != Overrun::Within || !used.must_end(limit), "{used:?}");
            overrun
        };
        (of(true), of(false))
    }

    #[test]
    fn a_test_that_computes_is_late_by_its_processor_time() {
        use Activity::Runs;
        assert_eq!(overruns(19, Runs, 1.0, 1.0), (Overrun::Within, Overrun::Within));
        assert_eq!(overruns(21, Runs, 1.0, 1.0), (Overrun::Certain, Overrun::UnlessContended));
        assert_eq!(overruns(41, Runs, 1.0, 1.0), (Overrun::Certain, Overrun::Certain));
        assert_eq!(overruns(190, Runs, 0.1, 10.0), (Overrun::Within, Overrun::Within));
    }

    #[test]
    fn a_test_that_waits_is_late_by_the_time_it_waits() {
        use Activity::Waits;
        assert_eq!(overruns(19, Waits, 0.0, 1.0), (Overrun::Within, Overrun::Within));
        assert_eq!(overruns(21, Waits, 0.0, 1.0), (Overrun::Certain, Overrun::UnlessContended));
        assert_eq!(overruns(21, Waits, 0.0, 4.0), (Overrun::Within, Overrun::Doubtful));
        // Samples that see no thread run do not make a test wait that has used processor time.
        assert_eq!(overruns(19, Waits, 0.9, 1.0), (Overrun::Within, Overrun::Within));
    }

    #[test]
    fn waiting_for_a_disk_counts_in_part_and_unseen_time_ends_as_well() {
        let disk = overruns(100, Activity::WaitsForDisk, 0.0, 1.0);
        assert_eq!(disk, (Overrun::Within, Overrun::Within));
        let disk = overruns(170, Activity::WaitsForDisk, 0.0, 1.0);
        assert_eq!(disk, (Overrun::Certain, Overrun::UnlessContended));
        let unseen = overruns(1001, Activity::Runs, 0.0, 1.0);
        assert_eq!(unseen, (Overrun::Certain, Overrun::Certain));
    }
}
