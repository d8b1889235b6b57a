//! A sandbox for tests: no network, and no writing outside the private directories.
//!
//! The supervisor moves into its own user, mount and network namespaces, which its tests inherit. Every file system is
//! remounted read-only, except the directory around the private directories. Programs that are started in the sandbox
//! get no capabilities that could undo this.

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

/// The types of file systems that store no user files and cannot always be remounted.
const PSEUDO_FILE_SYSTEMS: [&str; 10] = [
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

/// The sandbox of this process.
#[derive(Debug)]
pub(crate) struct Sandbox {
    /// The only writable directory.
    writable: PathBuf,
    /// The parent of the writable directory, as a descriptor from outside the sandbox.
    parent: OwnedFd,
}

impl Sandbox {
    /// Moves this process and its future children into a sandbox in which only the directory `writable` can be written.
    pub(crate) fn enter(writable: &Path) -> io::Result<Self> {
        let parent = writable.parent().ok_or(Errno::INVAL)?;
        let parent = openat(CWD, parent, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?;
        let (uid, gid) = (getuid().as_raw(), getgid().as_raw());
        let namespaces = UnshareFlags::NEWUSER | UnshareFlags::NEWNS | UnshareFlags::NEWNET;
        #[expect(
            unsafe_code,
            reason = "this process has one thread, and no file tables are shared"
        )]
        // SAFETY: none of the flags affects the memory or the file descriptors of this process.
        unsafe {
            unshare_unsafe(namespaces)?;
        }
        fs::write("/proc/self/setgroups", "deny")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1"))?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1"))?;
        let private = MountPropagationFlags::PRIVATE | MountPropagationFlags::REC;
        mount_change("/", private)?;
        mount_bind(writable, writable)?;
        for mount in parse_mounts(&fs::read("/proc/self/mountinfo")?) {
            let is_exempt =
                mount.at == writable || PSEUDO_FILE_SYSTEMS.contains(&mount.kind.as_str());
            if !is_exempt && !mount.flags.contains(MountFlags::RDONLY) {
                make_read_only(&mount)?;
            }
        }
        // The current directory still refers to the directory below the new mount.
        std::env::set_current_dir(writable)?;
        drop_capabilities()?;
        Ok(Self { writable: writable.to_owned(), parent })
    }

    /// Removes the writable directory, if it is empty.
    pub(crate) fn remove_directory(&self) {
        // Errors are harmless: the mounts disappear with the last process of the namespace.
        let _ = unmount(&self.writable, UnmountFlags::DETACH);
        if let Some(name) = self.writable.file_name() {
            let _ = unlinkat(&self.parent, name, AtFlags::REMOVEDIR);
        }
    }
}

/// Remounts a file system read-only.
fn make_read_only(mount: &Mount) -> io::Result<()> {
    let flags = mount.flags | MountFlags::BIND | MountFlags::RDONLY;
    match mount_remount(&mount.at, flags, "") {
        // Another mount hides the file system, or it no longer exists, so it cannot be written either.
        Ok(()) | Err(Errno::NOENT | Errno::INVAL | Errno::NOTDIR) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Drops all capabilities from the bounding set, so that no started program can undo the sandbox, not even as root.
fn drop_capabilities() -> io::Result<()> {
    for capability in CapabilitySet::all().iter() {
        match remove_capability_from_bounding_set(capability) {
            // A kernel that does not know a capability does not grant it.
            Ok(()) | Err(Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// A mount, from a line of /proc/self/mountinfo.
#[derive(Debug, PartialEq, Eq)]
struct Mount {
    at: PathBuf,
    kind: String,
    flags: MountFlags,
}

/// Parses the mounts; a later one at the same path hides the earlier ones.
fn parse_mounts(info: &[u8]) -> Vec<Mount> {
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
            at: PathBuf::from(OsString::from_vec(unescape(fields.get(4)?))),
            kind: String::from_utf8_lossy(fields.get(dash + 1)?).into_owned(),
            flags: flags.fold(MountFlags::empty(), |all, flag| all | flag),
        })
    });
    lines.collect()
}

/// Decodes a field, in which blanks and other special characters are written as a backslash and three octal digits.
fn unescape(field: &[u8]) -> Vec<u8> {
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
    fn mounts_are_parsed_with_their_flags_and_escaped_names() {
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
        assert_eq!(parse_mounts(info), expected);
    }
}
