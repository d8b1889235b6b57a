//! A process namespace for the tests of a slot.
//!
//! The supervisor is the first process of the namespace. The processes of tests cannot see, signal or trace any
//! process outside, and signals that they send to the supervisor have no effect, not even SIGKILL. When the supervisor
//! ends, for whatever reason, the kernel kills all processes of the namespace.
//!
//! A process without privileges needs a user namespace to make a process namespace. In it, the user and the group stay
//! the same, and those of all others appear as "nobody".

use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, remove_capability_from_bounding_set, unshare_unsafe,
};
use std::fs;
use std::io;
use std::path::Path;

/// The number of process ids that the kernel does not assign again, besides those in use.
const RESERVED_PROCESS_IDS: u64 = 301;

/// The number of processes beyond the limit that the kernel permits, so that a sample can see that there are too many.
const SPARE_PROCESS_IDS: u64 = 64;

/// Prepares a process namespace, with a user namespace if it is wanted or needed. The next child of this process
/// becomes the first process of the namespace.
pub(crate) fn prepare(with_users: bool) -> io::Result<()> {
    if !with_users {
        match unshare(UnshareFlags::NEWPID) {
            Err(Errno::PERM) => {}
            result => return Ok(result?),
        }
    }
    let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWPID)?;
    fs::write("/proc/self/setgroups", "deny")?;
    fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
    fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))
}

/// Moves this process into new namespaces.
pub(crate) fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    #[expect(unsafe_code, reason = "this process has one thread, and no file tables are shared")]
    // SAFETY: none of the flags that are used affects the memory or the file descriptors of this process.
    unsafe {
        unshare_unsafe(namespaces)
    }
}

/// Gives this process, the first one of its namespace, a view of the file system in which `/proc` shows the namespace.
/// Mounts that are made outside later appear in it as well.
pub(crate) fn show_in_proc() -> io::Result<()> {
    unshare(UnshareFlags::NEWNS)?;
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    mount_proc(Path::new("/proc"))
}

/// Devices that all programs of a system rely on.
const COMMON_DEVICES: [&str; 6] =
    ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Mounts the common devices on themselves, where the tests of this process see them: what is mounted cannot be removed or
/// replaced. Programs that root runs do so otherwise, such as compilers whose output is `/dev/null`.
pub(crate) fn keep_devices() {
    if !getuid().is_root() {
        return;
    }
    for device in COMMON_DEVICES {
        // A device that is missing, or a system that forbids it, is no reason not to run tests.
        let _ = mount_bind(device, device);
    }
}

/// Mounts the `/proc` of the namespace of this process.
pub(crate) fn mount_proc(at: &Path) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC;
    Ok(mount("proc", at, "proc", flags, None)?)
}

/// Limits the number of processes and threads in the namespace, whose `/proc` is mounted at `proc`, if the kernel can (Linux 6.14 or newer). Otherwise only
/// samples notice too many processes.
pub(crate) fn limit_processes(proc: &Path, limit: u64) {
    // Older kernels have one number for the whole system here, which must not be changed.
    if is_number_of_namespace() {
        let greatest_id = (limit + RESERVED_PROCESS_IDS + SPARE_PROCESS_IDS).to_string();
        let _ = fs::write(proc.join("sys/kernel/pid_max"), greatest_id);
    }
}

/// The golden ratio, as a fraction of 2³². Multiples of it are spread evenly.
const GOLDEN_RATIO: u32 = 2_654_435_769;

/// Lets the process ids of the namespace, whose `/proc` is mounted at `proc`, begin at a number that follows from that of the
/// slot, if the kernel can. Otherwise the processes of tests that run at the same time would have the same ids, and programs that
/// name files in a shared directory by their id would overwrite each other's.
pub(crate) fn spread_process_ids(proc: &Path, slot: u32) {
    let kernel = proc.join("sys/kernel");
    let greatest = fs::read_to_string(kernel.join("pid_max")).ok();
    let Some(greatest) = greatest.and_then(|number| number.trim().parse::<u64>().ok()) else {
        return;
    };
    let available = greatest.saturating_sub(RESERVED_PROCESS_IDS);
    let last = RESERVED_PROCESS_IDS
        + ((u64::from(slot.wrapping_mul(GOLDEN_RATIO)) * available) >> u32::BITS);
    let _ = fs::write(kernel.join("ns_last_pid"), last.to_string());
}

/// Whether the greatest process id is a property of the namespace: it can then be written by its owner.
fn is_number_of_namespace() -> bool {
    let release = rustix::system::uname().release().to_string_lossy().into_owned();
    let mut numbers = release.split(['.', '-']).map_while(|number| number.parse::<u32>().ok());
    (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)) >= (6, 14)
}

/// Makes this process unreachable for tests that root runs: without the privilege to trace every process, they cannot
/// trace it, read its memory or take its descriptors. Their own processes they can still trace.
pub(crate) fn withhold_tracing() -> io::Result<()> {
    match remove_capability_from_bounding_set(CapabilitySet::SYS_PTRACE) {
        // Other users than root do not have the privilege.
        Ok(()) | Err(Errno::PERM) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Kills all processes of the namespace but this one, which is its first one. New processes cannot escape: the kernel
/// lets no process fork that has been killed.
pub(crate) fn kill_all_others() {
    if rustix::process::getpid() != rustix::process::Pid::INIT {
        return;
    }
    #[expect(unsafe_code, reason = "a system call with integers")]
    // SAFETY: this process is the first one of its namespace, so -1 means the processes of the namespace alone.
    unsafe {
        libc::kill(-1, libc::SIGKILL);
    }
}
