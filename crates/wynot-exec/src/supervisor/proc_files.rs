//! Processes and the load of the system, as the files in `/proc` describe them.

use rustix::param::clock_ticks_per_second;
use rustix::process::getpid;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;

/// The number of processes of a test that one sample examines, since a test may start processes without end.
const MAX_SAMPLED_PROCESSES: usize = 1_000;

/// What the processes of a test do at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activity {
    /// Some thread runs, or would run if a processor were free.
    Runs,
    /// No thread can run, and some wait for a disk.
    WaitsForDisk,
    /// All threads wait or are stopped.
    Waits,
}

/// One line of a `stat` file: a process or a thread.
struct Stat {
    state: char,
    parent: i32,
    /// The processor time of the process and of its children that it has waited for, in clock ticks.
    own_ticks: u64,
    reaped_ticks: u64,
    threads: u64,
}

impl Stat {
    fn parse(bytes: &[u8]) -> Option<Self> {
        // The name before the parenthesis may contain anything.
        let name_end = bytes.iter().rposition(|byte| *byte == b')')?;
        let fields = std::str::from_utf8(bytes.get(name_end + 1..)?).ok()?;
        let fields: Vec<&str> = fields.split_whitespace().take(18).collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            own_ticks: number(11)? + number(12)?,
            reaped_ticks: number(13)? + number(14)?,
            threads: number(17)?,
        })
    }

    fn read(path: &str) -> Option<Self> {
        Self::parse(&fs::read(path).ok()?)
    }
}

/// The children of this process: the first process of a test and its orphans.
pub(crate) fn own_children() -> Vec<i32> {
    let own = getpid().as_raw_nonzero().get();
    listed_children(own, own).unwrap_or_else(|| {
        let mut by_parent = processes_by_parent();
        by_parent.remove(&own).unwrap_or_default()
    })
}

/// The children that a thread has started; `None` if this system does not list them, or the thread has ended.
fn listed_children(process: i32, thread: i32) -> Option<Vec<i32>> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{thread}/children")).ok()?;
    Some(list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// All processes by their parents, for systems that do not list children.
fn processes_by_parent() -> HashMap<i32, Vec<i32>> {
    let mut by_parent: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in numbered_entries("/proc") {
        if let Some(stat) = Stat::read(&format!("/proc/{pid}/stat")) {
            by_parent.entry(stat.parent).or_default().push(pid);
        }
    }
    by_parent
}

/// The entries of a directory whose names are numbers: processes or threads.
fn numbered_entries(path: &str) -> Vec<i32> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

/// The files in `/proc` that describe the processes of a test and the load of the system.
pub(crate) struct ProcFiles {
    /// The `stat` file of this process. It stays open, because it is read at the end of each test.
    own_stat: File,
    tick: Duration,
    /// The number of processors that are online.
    processors: f64,
}

impl ProcFiles {
    pub(crate) fn open() -> io::Result<Self> {
        let ticks = u32::try_from(clock_ticks_per_second()).unwrap_or(100).max(1);
        Ok(Self {
            own_stat: File::open("/proc/self/stat")?,
            tick: Duration::from_secs(1) / ticks,
            processors: online_processors(),
        })
    }

    /// The processor time of all descendants of this process that have ended and were waited for.
    pub(crate) fn reaped_cpu(&self) -> Duration {
        let mut buffer = [0; 1024];
        let length = self.own_stat.read_at(&mut buffer, 0).unwrap_or_default();
        Stat::parse(&buffer[..length]).map_or(Duration::ZERO, |stat| self.time(stat.reaped_ticks))
    }

    /// The processor time of the living descendants of this process, and what they do.
    pub(crate) fn living(&self) -> (Duration, Activity) {
        let mut ticks = 0;
        let mut activity = Activity::Waits;
        let own = getpid().as_raw_nonzero().get();
        let mut by_parent = match listed_children(own, own) {
            Some(_) => None,
            None => Some(processes_by_parent()),
        };
        let mut left = own_children();
        let mut examined = 0;
        while let Some(pid) = left.pop() {
            let Some(stat) = Stat::read(&format!("/proc/{pid}/stat")) else { continue };
            ticks += stat.own_ticks + stat.reaped_ticks;
            let threads = match stat.threads {
                0 | 1 => vec![pid],
                _ => numbered_entries(&format!("/proc/{pid}/task")),
            };
            activity = activity.and_state(stat.state);
            for thread in threads {
                if thread != pid && activity != Activity::Runs {
                    let stat = Stat::read(&format!("/proc/{pid}/task/{thread}/stat"));
                    activity = stat.map_or(activity, |stat| activity.and_state(stat.state));
                }
                if by_parent.is_none() {
                    left.extend(listed_children(pid, thread).into_iter().flatten());
                }
            }
            if let Some(by_parent) = &mut by_parent {
                left.extend(by_parent.remove(&pid).into_iter().flatten());
            }
            examined += 1;
            if examined == MAX_SAMPLED_PROCESSES {
                // Such a test is not waiting.
                return (self.time(ticks), Activity::Runs);
            }
        }
        (self.time(ticks), activity)
    }

    /// The number of threads in the system that can run, for each processor; at least 1.
    pub(crate) fn load(&self) -> f64 {
        let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let runnable = load.split_whitespace().nth(3).and_then(|field| field.split_once('/'));
        let runnable = runnable.and_then(|(runnable, _)| runnable.parse::<f64>().ok());
        (runnable.unwrap_or(1.0) / self.processors).max(1.0)
    }

    fn time(&self, ticks: u64) -> Duration {
        self.tick * u32::try_from(ticks).unwrap_or(u32::MAX)
    }
}

impl Activity {
    /// The activity of processes together with a thread in this state.
    fn and_state(self, state: char) -> Self {
        match (self, state) {
            (Self::Runs, _) | (_, 'R') => Self::Runs,
            (Self::WaitsForDisk, _) | (_, 'D') => Self::WaitsForDisk,
            _ => Self::Waits,
        }
    }
}

/// The number of processors that are online in the whole system.
fn online_processors() -> f64 {
    let list = fs::read_to_string("/sys/devices/system/cpu/online").unwrap_or_default();
    let ranges = list.trim().split(',').filter_map(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(last.parse::<f64>().ok()? - first.parse::<f64>().ok()? + 1.0)
    });
    let listed: f64 = ranges.sum();
    match listed >= 1.0 {
        true => listed,
        false => std::thread::available_parallelism().map_or(1.0, |number| number.get() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_parsed_whatever_the_name_contains() {
        let line = b"12 (a) b\xff (c)) R 7 1 1 0 -1 4 9 9 9 9 3 4 50 60 20 0 8 0 1 1\n";
        let stat = Stat::parse(line).unwrap();
        assert_eq!((stat.state, stat.parent, stat.threads), ('R', 7, 8));
        assert_eq!((stat.own_ticks, stat.reaped_ticks), (7, 110));
        assert!(Stat::parse(b"12 (a) R 7").is_none());
    }

    #[test]
    fn a_tree_runs_if_one_thread_can_run() {
        let of = |states: &str| states.chars().fold(Activity::Waits, Activity::and_state);
        assert_eq!(of("SSTZt"), Activity::Waits);
        assert_eq!(of("SDS"), Activity::WaitsForDisk);
        assert_eq!(of("DSRD"), Activity::Runs);
    }
}
