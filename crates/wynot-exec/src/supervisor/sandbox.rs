//! A sandbox around tests: no network, and nothing can be written outside of their private directories.
//!
//! The supervisor moves into namespaces of its own (user, mount, network); its tests are born there. Every
//! file system is mounted again for reading only, except the directory with the private ones. Programs that
//! are started there get none of the capabilities that could undo this.

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, unlinkat};
use rustix::io::Errno;
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount_bind, mount_change, mount_remount,
    unmount,
};
use rustix::process::{getgid, getuid};
use rustix::thread::{
    CapabilitySet, UnshareFlags, remove_capability_from_bounding_set, unshare_unsafe,
};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

/// File systems that hold no files of anybody and cannot always be mounted again.
const PSEUDO: [&str; 10] = [
    "proc",
    "sysfs",
    "devpts",
    "mqueue",
    "cgroup",
    "cgroup2",
    "securityfs",
    "debugfs",
    "tracefs",
    "bpf",
];

/// A sandbox that this process is in.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// The directory that can be written to.
    open: PathBuf,
    /// The directory it lies in, as it was before.
    around: OwnedFd,
}

impl Sandbox {
    /// Moves this process and its future children into a sandbox in which only `open` can be written to.
    pub(crate) fn enter(open: &Path) -> io::Result<Self> {
        let parent = open.parent().ok_or(Errno::INVAL)?;
        let around = openat(CWD, parent, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?;
        let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
        let spaces = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWNET;
        #[expect(
            unsafe_code,
            reason = "this process has one thread, and no file tables are shared"
        )]
        // SAFETY: none of the flags concerns memory or file descriptors of this process.
        unsafe {
            unshare_unsafe(spaces)?;
        }
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change("/", private)?;
        mount_bind(open, open)?;
        for mount in mounts(&fs::read("/proc/self/mountinfo")?) {
            let spared = mount.at == open || PSEUDO.contains(&mount.kind.as_str());
            if !spared && !mount.flags.contains(MountFlags::RDONLY) {
                close(&mount)?;
            }
        }
        // The directory this process is in is still the one under the mount.
        std::env::set_current_dir(open)?;
        withhold_capabilities()?;
        Ok(Self { open: open.to_owned(), around })
    }

    /// Removes the directory that could be written to, if it is empty.
    pub(crate) fn leave(&self) {
        // A process that ends leaves its mounts anyway.
        let _ = unmount(&self.open, UnmountFlags::DETACH);
        if let Some(name) = self.open.file_name() {
            let _ = unlinkat(&self.around, name, AtFlags::REMOVEDIR);
        }
    }
}

/// Mounts a file system again for reading only.
fn close(mount: &Mount) -> io::Result<()> {
    let flags = mount.flags | MountFlags::BIND | MountFlags::RDONLY;
    match mount_remount(&mount.at, flags, "") {
        // Another mount hides it, or it is gone: nobody can write there either.
        Ok(()) | Err(Errno::NOENT | Errno::INVAL | Errno::NOTDIR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Keeps what is closed closed: programs that are started get no capabilities, not even for root.
fn withhold_capabilities() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // A kernel that does not know it grants it to nobody.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A line of /proc/self/mountinfo.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    at: PathBuf,
    kind: String,
    flags: MountFlags,
}

/// Reads the mounts; a later one at the same place hides the earlier ones.
fn mounts(info: &[u8]) -> Vec<Mount> {
    let lines = info.split(|&byte| byte == b'\n').filter_map(|line| {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let dash = fields.iter().position(|field| *field == b"-")?;
        let options = String::from_utf8_lossy(fields.get(5)?);
        let flags = options.split(',').filter_map(|option| match option {
            "ro" => Some(MountFlags::RDONLY),
            "nosuid" => Some(MountFlags::NOSUID),
            "nodev" => Some(MountFlags::NODEV),
            "noexec" => Some(MountFlags::NOEXEC),
            "noatime" => Some(MountFlags::NOATIME),
            "nodiratime" => Some(MountFlags::NODIRATIME),
            "relatime" => Some(MountFlags::RELATIME),
            _ => None,
        });
        Some(Mount {
            at: PathBuf::from(OsString::from_vec(unescaped(fields.get(4)?))),
            kind: String::from_utf8_lossy(fields.get(dash + 1)?).into_owned(),
            flags: flags.fold(MountFlags::empty(), |all, flag| all | flag),
        })
    });
    lines.collect()
}

/// Blanks and the like are written as a backslash and three octal digits.
fn unescaped(field: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(field.len());
    let mut at = 0;
    while at < field.len() {
        let digits = field.get(at + 1..at + 4).filter(|_| field[at] == b'\\');
        let octal = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        match octal.and_then(|octal| u8::from_str_radix(octal, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                at += 4;
            }
            None => {
                bytes.push(field[at]);
                at += 1;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mounts_are_read_with_their_flags_and_odd_names() {
        let info = b"22 1 0:1 / /a\\040b rw,nosuid,relatime shared:1 - tmpfs tmpfs rw\n\
                     23 1 0:2 / /proc ro,noexec - proc proc rw\nnonsense\n";
        let expected = [
            Mount {
                at: "/a b".into(),
                kind: "tmpfs".into(),
                flags: MountFlags::NOSUID | MountFlags::RELATIME,
            },
            Mount {
                at: "/proc".into(),
                kind: "proc".into(),
                flags: MountFlags::RDONLY | MountFlags::NOEXEC,
            },
        ];
        assert_eq!(mounts(info), expected);
    }
}
