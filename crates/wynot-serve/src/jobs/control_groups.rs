//! Control groups: what all processes of a job may use together.
//!
//! Linux has two interfaces. In version 2 there is one tree of groups, in version 1 one tree for each resource, and some
//! systems have both. A server makes its groups below the group in which it was started, so it needs no other rights than
//! those that its service manager has delegated to it.

use crate::server_config::JobLimits;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The resources that are limited.
const RESOURCES: [&str; 3] = ["memory", "pids", "cpu"];

/// The period over which processor time is limited, in microseconds.
const CPU_PERIOD: u64 = 100_000;

/// The longest time for the processes of a group to end after they were killed.
const MAX_END_TIME: Duration = Duration::from_secs(10);

/// The control groups of a server.
#[derive(Debug, Default)]
pub struct ControlGroups {
    /// The directory of the server's group for each resource that can be limited.
    parents: Vec<Parent>,
    /// The resources that cannot be limited, with the reason.
    missing: Vec<(&'static str, String)>,
}

/// The group of the server for some resources.
#[derive(Clone, Debug)]
struct Parent {
    path: PathBuf,
    /// The resource, if the interface has version 1; all resources otherwise.
    resource: Option<&'static str>,
}

/// The control groups of one job.
#[derive(Debug)]
pub struct JobGroups {
    parts: Vec<Parent>,
}

impl ControlGroups {
    /// Makes groups for a server below those of this process.
    pub fn new() -> Self {
        let mut groups = Self::default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let name = format!("wynot-serve-{}", std::process::id());
        if let Some(unified) = unified_group(&own, &mounts)
            && let Ok(parent) = make_unified_parent(&unified, &name)
        {
            groups.parents.push(Parent { path: parent, resource: None });
            return groups;
        }
        for resource in RESOURCES {
            let made = group_of_resource(&own, &mounts, resource)
                .ok_or_else(|| "the system has no control group for it".to_owned())
                .and_then(|group| make_parent(&group, &name).map_err(|error| error.to_string()));
            match made {
                Ok(path) => groups.parents.push(Parent { path, resource: Some(resource) }),
                Err(reason) => groups.missing.push((resource, reason)),
            }
        }
        groups
    }

    /// The resources that cannot be limited here, with the reason.
    pub fn missing(&self) -> &[(&'static str, String)] {
        &self.missing
    }

    /// Makes the groups of a job.
    pub fn for_job(&self, name: &str, limits: &JobLimits) -> io::Result<JobGroups> {
        let mut job = JobGroups { parts: Vec::new() };
        for parent in &self.parents {
            let part = Parent { path: parent.path.join(name), resource: parent.resource };
            match fs::create_dir(&part.path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    // It belongs to an earlier attempt, whose processes are dead.
                    end_group(&part.path)?;
                    fs::create_dir(&part.path)?;
                }
                made => made?,
            }
            limit(&part, limits)?;
            job.parts.push(part);
        }
        Ok(job)
    }
}

impl Drop for ControlGroups {
    fn drop(&mut self) {
        for parent in &self.parents {
            // It stays if a job is left, and the next server removes it.
            let _ = fs::remove_dir(&parent.path);
        }
    }
}

impl JobGroups {
    /// The directories of the groups.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.parts.iter().map(|part| part.path.as_path())
    }

    /// Whether a process was killed because of the memory limit.
    pub fn has_run_out_of_memory(&self) -> bool {
        let counts = |text: String| {
            let killed = text.lines().find_map(|line| line.strip_prefix("oom_kill "));
            killed.and_then(|count| count.parse::<u64>().ok()).is_some_and(|count| count > 0)
        };
        let files = ["memory.events", "memory.oom_control"];
        let texts = self.paths().flat_map(|path| files.map(|file| path.join(file)));
        texts.filter_map(|file| fs::read_to_string(file).ok()).any(counts)
    }

    /// Kills all processes of the job, and removes its groups.
    pub fn end(self) -> io::Result<()> {
        self.paths().try_for_each(end_group)
    }
}

/// The limits of a group, each in the words of its interface.
fn limit(group: &Parent, limits: &JobLimits) -> io::Result<()> {
    let write = |file: &str, value: String| fs::write(group.path.join(file), value);
    let is_for = |resource| group.resource.is_none_or(|own| own == resource);
    let quota = (CPU_PERIOD * limits.cpu_percent).div_ceil(100);
    let is_unified = group.resource.is_none();
    if is_for("memory") && is_unified {
        write("memory.max", limits.memory.to_string())?;
        // Without swap there may be no such file.
        let _ = write("memory.swap.max", "0".to_owned());
        let _ = write("memory.oom.group", "0".to_owned());
    } else if is_for("memory") {
        write("memory.limit_in_bytes", limits.memory.to_string())?;
        let _ = write("memory.memsw.limit_in_bytes", limits.memory.to_string());
    }
    if is_for("pids") {
        write("pids.max", limits.processes.to_string())?;
    }
    if is_for("cpu") && is_unified {
        write("cpu.max", format!("{quota} {CPU_PERIOD}"))?;
    } else if is_for("cpu") {
        write("cpu.cfs_period_us", CPU_PERIOD.to_string())?;
        write("cpu.cfs_quota_us", quota.to_string())?;
    }
    Ok(())
}

/// Kills the processes of a group until there are none, and removes it.
fn end_group(path: &Path) -> io::Result<()> {
    let started = Instant::now();
    loop {
        if fs::write(path.join("cgroup.kill"), "1").is_err() {
            let processes = fs::read_to_string(path.join("cgroup.procs")).unwrap_or_default();
            for id in processes.lines().filter_map(|line| line.parse().ok()) {
                if let Some(id) = rustix::process::Pid::from_raw(id) {
                    let _ = rustix::process::kill_process(id, rustix::process::Signal::KILL);
                }
            }
        }
        match fs::remove_dir(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if started.elapsed() > MAX_END_TIME => return Err(error),
            Err(_) => std::thread::sleep(Duration::from_millis(5)),
            Ok(()) => return Ok(()),
        }
    }
}

/// The group of this process in the one tree of version 2, if that limits the resources.
fn unified_group(own: &str, mounts: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let root = mount_point(mounts, |kind, _| kind == "cgroup2")?;
    let group = root.join(path.trim_start_matches('/'));
    let available = fs::read_to_string(group.join("cgroup.controllers")).ok()?;
    let has = |resource: &&str| available.split_whitespace().any(|other| other == *resource);
    RESOURCES.iter().all(has).then_some(group)
}

/// The group of this process in the tree of a resource.
fn group_of_resource(own: &str, mounts: &str, resource: &str) -> Option<PathBuf> {
    let path = own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let resources = fields.next()?;
        let path = fields.next()?;
        resources.split(',').any(|other| other == resource).then_some(path)
    })?;
    let has = |options: &str| options.split(',').any(|other| other == resource);
    let root = mount_point(mounts, |kind, options| kind == "cgroup" && has(options))?;
    Some(root.join(path.trim_start_matches('/')))
}

/// The first mount of a kind.
fn mount_point(mounts: &str, is_wanted: impl Fn(&str, &str) -> bool) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let fields: Vec<&str> = line.split(' ').collect();
        let (&at, &kind, &options) = (fields.get(1)?, fields.get(2)?, fields.get(3)?);
        is_wanted(kind, options).then(|| PathBuf::from(at))
    })
}

/// Makes the group of a server, and removes those of servers that have died.
fn make_parent(group: &Path, name: &str) -> io::Result<PathBuf> {
    for entry in fs::read_dir(group)?.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let id = name.strip_prefix("wynot-serve-").and_then(|id| id.parse::<u32>().ok());
        if id.is_some_and(|id| !Path::new(&format!("/proc/{id}")).exists()) {
            let jobs = fs::read_dir(entry.path())?.flatten();
            for job in jobs.filter(|entry| entry.path().is_dir()) {
                let _ = end_group(&job.path());
            }
            let _ = fs::remove_dir(entry.path());
        }
    }
    let path = group.join(name);
    fs::create_dir(&path)?;
    Ok(path)
}

/// Makes the group of a server in the one tree of version 2. Only groups without processes can have limited groups below, so
/// the server moves into one of its own.
fn make_unified_parent(group: &Path, name: &str) -> io::Result<PathBuf> {
    let enable = |path: &Path| {
        RESOURCES
            .iter()
            .try_for_each(|one| fs::write(path.join("cgroup.subtree_control"), format!("+{one}")))
    };
    if enable(group).is_err() {
        let own = group.join("wynot-server");
        fs::create_dir_all(&own)?;
        fs::write(own.join("cgroup.procs"), "0")?;
        enable(group)?;
    }
    let path = make_parent(group, name)?;
    enable(&path)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_groups_of_this_process_are_found_in_both_interfaces() {
        let own = "9:name=systemd:/\n4:memory:/api/x\n1:cpu,cpuacct:/\n0::/user.slice\n";
        let mounts = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\ncgroup /sys/fs/cgroup/cpu cgroup rw,cpu,cpuacct 0 0\n\
                      cgroup /sys/fs/cgroup/memory cgroup rw,memory 0 0\n";
        let of = |resource| group_of_resource(own, mounts, resource);
        assert_eq!(of("memory"), Some(PathBuf::from("/sys/fs/cgroup/memory/api/x")));
        assert_eq!(of("cpu"), Some(PathBuf::from("/sys/fs/cgroup/cpu/")));
        assert_eq!(of("pids"), None);
        assert_eq!(unified_group(own, mounts), None);
    }
}
