//! The mounts that this process can see.

use rustix::io::Errno;
use rustix::mount::{MountFlags, mount_remount};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;

/// All mounts; a later one at the same path hides the earlier ones.
pub(crate) fn mounts() -> io::Result<Vec<Mount>> {
    Ok(parse(&fs::read("/proc/self/mountinfo")?))
}

impl Mount {
    /// Makes the mount read-only, without devices and programs with the rights of their owners.
    pub(crate) fn make_read_only(&self) -> io::Result<()> {
        let flags = self.flags | MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID;
        match mount_remount(&self.at, flags, "") {
            // Another mount hides the file system, or it no longer exists, so it cannot be written either.
            Ok(()) | Err(Errno::NOENT | Errno::INVAL | Errno::NOTDIR) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

/// A mount, from a line of /proc/self/mountinfo.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The directory or file that it covers.
    pub at: PathBuf,
    /// The type of its file system.
    pub kind: String,
    flags: MountFlags,
}

/// Parses the mounts; a later one at the same path hides the earlier ones.
fn parse(info: &[u8]) -> Vec<Mount> {
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
        assert_eq!(parse(info), expected);
    }
}
