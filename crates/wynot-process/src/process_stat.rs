//! What processes and threads do, and how much processor time they have used, from `/proc/PID/stat`.

use rustix::param::{clock_ticks_per_second, page_size};
use std::fs;
use std::time::Duration;

/// The bit that the kernel sets among the flags of a thread that is ending.
const PF_EXITING: u64 = 4;

/// The part of a `stat` file that concerns processes, time and memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStat {
    /// The state of the thread, or of the first thread of the process: `R` if it can run, `S` if it sleeps.
    pub state: char,
    /// The parent of the process.
    pub parent: i32,
    /// Whether the first thread of the process is ending. The descriptors of the process are closed after that.
    pub is_ending: bool,
    /// The number of threads.
    pub threads: u64,
    own_ticks: u64,
    reaped_ticks: u64,
    resident_pages: u64,
}

impl ProcessStat {
    /// Parses the contents of a file.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        // The name before the parenthesis may contain anything.
        let name_end = bytes.iter().rposition(|byte| *byte == b')')?;
        let fields = std::str::from_utf8(bytes.get(name_end + 1..)?).ok()?;
        let fields: Vec<&str> = fields.split_whitespace().take(22).collect();
        let number = |at: usize| fields.get(at)?.parse::<u64>().ok();
        Some(Self {
            state: fields.first()?.chars().next()?,
            parent: fields.get(1)?.parse().ok()?,
            is_ending: number(6)? & PF_EXITING != 0,
            own_ticks: number(11)? + number(12)?,
            reaped_ticks: number(13)? + number(14)?,
            threads: number(17)?,
            resident_pages: number(21)?,
        })
    }

    /// Reads the file of a process; `None` if the process does not exist any more.
    pub fn of_process(process: i32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{process}/stat")).ok()?)
    }

    /// Reads the file of a thread; `None` if the thread does not exist any more.
    pub fn of_thread(process: i32, thread: i32) -> Option<Self> {
        Self::parse(&fs::read(format!("/proc/{process}/task/{thread}/stat")).ok()?)
    }

    /// The processor time of all threads of the process.
    pub fn own_cpu(&self) -> Duration {
        from_ticks(self.own_ticks)
    }

    /// The memory of the process that is in the main memory of the machine, in bytes.
    pub fn resident_bytes(&self) -> u64 {
        self.resident_pages * page_size() as u64
    }

    /// The processor time of the children that the process has waited for, and of theirs.
    pub fn reaped_cpu(&self) -> Duration {
        from_ticks(self.reaped_ticks)
    }
}

/// What some threads do at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Some thread runs, or would run if a processor were free.
    Runs,
    /// No thread can run, and some wait for a disk.
    WaitsForDisk,
    /// All threads wait or are stopped.
    Waits,
}

impl Activity {
    /// The activity of these threads together with one in this state.
    #[must_use]
    pub fn and_state(self, state: char) -> Self {
        match (self, state) {
            (Self::Runs, _) | (_, 'R') => Self::Runs,
            (Self::WaitsForDisk, _) | (_, 'D') => Self::WaitsForDisk,
            _ => Self::Waits,
        }
    }

    /// The activity of these threads together with those of a process.
    #[must_use]
    pub fn and_process(self, process: i32, stat: &ProcessStat) -> Self {
        let activity = self.and_state(stat.state);
        if stat.threads <= 1 || activity == Self::Runs {
            return activity;
        }
        threads(process).into_iter().fold(activity, |activity, thread| {
            let stat = ProcessStat::of_thread(process, thread);
            stat.map_or(activity, |stat| activity.and_state(stat.state))
        })
    }
}

/// The time in which the threads of a process could run but got no processor; zero if the system does not measure it.
pub fn run_delay(process: i32) -> Duration {
    threads(process).into_iter().map(|thread| thread_run_delay(process, thread)).sum()
}

/// The time in which a thread could run but got no processor; zero if the system does not measure it.
pub fn thread_run_delay(process: i32, thread: i32) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/task/{thread}/schedstat"));
    let stat = stat.unwrap_or_default();
    let nanos = stat.split_whitespace().nth(1).and_then(|delay| delay.parse().ok());
    Duration::from_nanos(nanos.unwrap_or_default())
}

/// A number from the `status` file of a process or thread, by the name of its line.
pub fn status_field(thread: i32, name: &str) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{thread}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.trim().parse().ok()
}

/// The threads of a process.
pub fn threads(process: i32) -> Vec<i32> {
    numbered_entries(&format!("/proc/{process}/task"))
}

/// All processes of the system that this one can see.
pub fn processes() -> Vec<i32> {
    numbered_entries("/proc")
}

/// The number of threads in the system that can run, for each processor; at least 1.
pub fn system_load() -> f64 {
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let runnable = load.split_whitespace().nth(3).and_then(|field| field.split_once('/'));
    let runnable = runnable.and_then(|(runnable, _)| runnable.parse::<f64>().ok());
    (runnable.unwrap_or(1.0) / online_processors()).max(1.0)
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

/// The entries of a directory whose names are numbers.
fn numbered_entries(path: &str) -> Vec<i32> {
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect()
}

fn from_ticks(ticks: u64) -> Duration {
    let per_second = clock_ticks_per_second().max(1);
    Duration::from_secs(ticks / per_second)
        + Duration::from_nanos(ticks % per_second * 1_000_000_000 / per_second)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stat_line_is_parsed_whatever_the_name_contains() {
        let line = b"12 (a) b\xff (c)) R 7 1 1 0 -1 4 9 9 9 9 3 4 50 60 20 0 8 0 1 1 5\n";
        let stat = ProcessStat::parse(line).unwrap();
        assert_eq!((stat.state, stat.parent, stat.threads, stat.is_ending), ('R', 7, 8, true));
        assert_eq!((stat.own_ticks, stat.reaped_ticks), (7, 110));
        assert_eq!(stat.resident_bytes(), 5 * page_size() as u64);
        assert!(ProcessStat::parse(b"12 (a) R 7").is_none());
    }

    #[test]
    fn a_process_that_has_ended_is_ending() {
        let mut child = std::process::Command::new("cat");
        let mut child = child.stdin(std::process::Stdio::piped()).spawn().unwrap();
        let id = child.id() as i32;
        let is_ending = || ProcessStat::of_process(id).unwrap().is_ending;
        assert!(!is_ending());
        drop(child.stdin.take());
        while !is_ending() {
            std::thread::yield_now();
        }
        child.wait().unwrap();
    }

    #[test]
    fn threads_run_if_one_of_them_can_run() {
        let of = |states: &str| states.chars().fold(Activity::Waits, Activity::and_state);
        assert_eq!(of("SSTZt"), Activity::Waits);
        assert_eq!(of("SDS"), Activity::WaitsForDisk);
        assert_eq!(of("DSRD"), Activity::Runs);
        let own = std::process::id() as i32;
        let stat = ProcessStat::of_process(own).unwrap();
        assert_eq!(Activity::Waits.and_process(own, &stat), Activity::Runs, "this test runs");
        assert!(system_load() >= 1.0);
    }
}
