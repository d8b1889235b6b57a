//! The descendants of the supervisor: the processes of the test that runs.

use rustix::process::{Pid, Signal, getpid, kill_process};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;
use wynot_process::process_stat::{Activity, ProcessStat, processes, threads};

/// The number of processes of a test that one sample examines if their number is not limited.
const MAX_SAMPLED_PROCESSES: u64 = 10_000;

/// How often descendants are stopped before they are killed, since new ones may appear all the time.
const MAX_STOP_ROUNDS: usize = 1_000;

/// What one sample sees of the living descendants.
pub(crate) struct Living {
    /// Their processor time.
    pub cpu: Duration,
    pub activity: Activity,
    pub processes: u64,
    /// Their resident memory in bytes; memory that several of them share is counted several times.
    pub resident: u64,
}

impl Living {
    /// Whether they use more memory than this together. Memory that they share counts once.
    pub(crate) fn exceeds_memory(&self, limit: u64) -> bool {
        self.resident > limit
            && ProcessWalk::new().map(|(pid, _)| proportional_memory(pid)).sum::<u64>() > limit
    }
}

/// The memory of a process in bytes, in which shared memory is divided by the number of its processes; zero if the
/// system does not say.
fn proportional_memory(pid: i32) -> u64 {
    let summary = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).unwrap_or_default();
    let line = summary.lines().find_map(|line| line.strip_prefix("Pss:"));
    let kilobytes =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kilobytes.unwrap_or_default() << 10
}

/// The processor time and the activity of the descendants of this process.
pub(crate) struct Descendants {
    /// The `stat` file of this process. It stays open, because it is read at the end of each test.
    own_stat: File,
}

impl Descendants {
    pub(crate) fn new() -> io::Result<Self> {
        Ok(Self { own_stat: File::open("/proc/self/stat")? })
    }

    /// The processor time of all descendants that have ended and were waited for.
    pub(crate) fn reaped_cpu(&self) -> Duration {
        let mut buffer = [0; 1024];
        let length = self.own_stat.read_at(&mut buffer, 0).unwrap_or_default();
        let stat = ProcessStat::parse(&buffer[..length]);
        stat.map_or(Duration::ZERO, |stat| stat.reaped_cpu())
    }

    /// The living descendants, of which at most one more than `max_processes` are examined.
    pub(crate) fn living(&self, max_processes: Option<u64>) -> Living {
        let max_processes = max_processes.unwrap_or(MAX_SAMPLED_PROCESSES);
        let activity = Activity::Waits;
        let mut living = Living { cpu: Duration::ZERO, activity, processes: 0, resident: 0 };
        for (pid, stat) in ProcessWalk::new() {
            living.cpu += stat.own_cpu() + stat.reaped_cpu();
            living.activity = living.activity.and_process(pid, &stat);
            living.resident += stat.resident_bytes();
            living.processes += 1;
            if living.processes > max_processes {
                // A test with so many processes is not waiting.
                return Living { activity: Activity::Runs, ..living };
            }
        }
        living
    }
}

/// Goes through the descendants of this process, parents before their children.
struct ProcessWalk {
    /// The processes that were found and are not visited yet.
    left: Vec<i32>,
    /// All processes by their parents, on systems that do not list children.
    by_parent: Option<HashMap<i32, Vec<i32>>>,
}

impl ProcessWalk {
    fn new() -> Self {
        let own = own_pid();
        let by_parent = match listed_children(own, own) {
            Some(_) => None,
            None => Some(processes_by_parent()),
        };
        Self { left: own_children(), by_parent }
    }
}

impl Iterator for ProcessWalk {
    type Item = (i32, ProcessStat);

    fn next(&mut self) -> Option<(i32, ProcessStat)> {
        loop {
            let pid = self.left.pop()?;
            // The process may have ended.
            let Some(stat) = ProcessStat::of_process(pid) else { continue };
            match &mut self.by_parent {
                Some(by_parent) => self.left.extend(by_parent.remove(&pid).into_iter().flatten()),
                None if stat.threads <= 1 => {
                    self.left.extend(listed_children(pid, pid).into_iter().flatten())
                }
                None => {
                    let children =
                        threads(pid).into_iter().filter_map(|id| listed_children(pid, id));
                    self.left.extend(children.flatten());
                }
            }
            return Some((pid, stat));
        }
    }
}

/// Whether a process is a descendant of this one.
pub(crate) fn is_descendant(process: i32) -> bool {
    let own = own_pid();
    let parent = |pid: &i32| ProcessStat::of_process(*pid).map(|stat| stat.parent);
    std::iter::successors(Some(process), parent).take_while(|pid| *pid > 1).any(|pid| pid == own)
}

/// Kills all descendants of this process. They are stopped first, so that none can start another one while the rest is
/// killed.
pub(crate) fn kill_all() {
    for _ in 0..MAX_STOP_ROUNDS {
        let mut all_stopped = true;
        for (pid, stat) in ProcessWalk::new() {
            if !matches!(stat.state, 'T' | 't' | 'Z' | 'X') {
                all_stopped = false;
                signal(pid, Signal::STOP);
            }
        }
        if all_stopped {
            break;
        }
    }
    for (pid, _) in ProcessWalk::new() {
        signal(pid, Signal::KILL);
    }
}

fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        // An error means that the process has ended.
        let _ = kill_process(pid, signal);
    }
}

/// The children of this process: the first process of a test and its orphans.
pub(crate) fn own_children() -> Vec<i32> {
    let own = own_pid();
    listed_children(own, own)
        .unwrap_or_else(|| processes_by_parent().remove(&own).unwrap_or_default())
}

fn own_pid() -> i32 {
    getpid().as_raw_nonzero().get()
}

/// The children that a thread has started; `None` if this system does not list them, or the thread has ended.
fn listed_children(process: i32, thread: i32) -> Option<Vec<i32>> {
    let list = fs::read_to_string(format!("/proc/{process}/task/{thread}/children")).ok()?;
    Some(list.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

/// All processes by their parents, for systems that do not list children.
fn processes_by_parent() -> HashMap<i32, Vec<i32>> {
    let mut by_parent: HashMap<i32, Vec<i32>> = HashMap::new();
    for pid in processes() {
        if let Some(stat) = ProcessStat::of_process(pid) {
            by_parent.entry(stat.parent).or_default().push(pid);
        }
    }
    by_parent
}
