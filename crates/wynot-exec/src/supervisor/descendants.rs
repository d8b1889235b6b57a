//! The descendants of the supervisor: the processes of the test that runs.

use rustix::process::getpid;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::time::Duration;
use wynot_process::process_stat::{Activity, ProcessStat, processes, threads};

/// The number of processes of a test that one sample examines, since a test may start processes without end.
const MAX_SAMPLED_PROCESSES: usize = 1_000;

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

    /// The processor time of the living descendants, and what they do.
    pub(crate) fn living(&self) -> (Duration, Activity) {
        let (mut cpu, mut activity) = (Duration::ZERO, Activity::Waits);
        let own = own_pid();
        let mut by_parent = match listed_children(own, own) {
            Some(_) => None,
            None => Some(processes_by_parent()),
        };
        let mut left = own_children();
        let mut examined = 0;
        while let Some(pid) = left.pop() {
            let Some(stat) = ProcessStat::of_process(pid) else { continue };
            cpu += stat.own_cpu() + stat.reaped_cpu();
            activity = activity.and_process(pid, &stat);
            match &mut by_parent {
                Some(by_parent) => left.extend(by_parent.remove(&pid).into_iter().flatten()),
                None if stat.threads <= 1 => {
                    left.extend(listed_children(pid, pid).into_iter().flatten())
                }
                None => {
                    let children =
                        threads(pid).into_iter().filter_map(|id| listed_children(pid, id));
                    left.extend(children.flatten());
                }
            }
            examined += 1;
            if examined == MAX_SAMPLED_PROCESSES {
                // A test with so many processes is not waiting.
                return (cpu, Activity::Runs);
            }
        }
        (cpu, activity)
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
