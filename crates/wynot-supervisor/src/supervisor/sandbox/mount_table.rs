//! The mounts that this process can see, and their attributes.

use std::ffi::{CString, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// The attributes of a mount that a call of `mount_setattr` sets and clears, as the kernel defines the structure.
#[repr(C)]
#[derive(Default)]
struct MountAttributes {
    set: u64,
    clear: u64,
    propagation: u64,
    user_namespace: u64,
}

/// The attributes of read-only mounts, and of those without programs that have the rights of their owners.
const READ_ONLY: u64 = 1;
const NO_SETUID: u64 = 2;

/// Makes all mounts below a directory read-only, except these.
pub(crate) fn make_read_only(top: &Path, writable: &[PathBuf]) -> io::Result<()> {
    let set = MountAttributes { set: READ_ONLY | NO_SETUID, ..MountAttributes::default() };
    set_attributes(top, libc::AT_RECURSIVE, &set)?;
    for path in writable {
        let clear = MountAttributes { clear: READ_ONLY, ..MountAttributes::default() };
        set_attributes(path, 0, &clear)?;
    }
    Ok(())
}

fn set_attributes(path: &Path, flags: libc::c_int, attributes: &MountAttributes) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_bytes())?;
    #[expect(unsafe_code, reason = "no crate has the call")]
    // SAFETY: the path ends with a zero byte, and the kernel reads as many bytes of the structure as it has.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mount_setattr,
            libc::AT_FDCWD,
            path.as_ptr(),
            flags,
            std::ptr::from_ref(attributes),
            size_of::<MountAttributes>(),
        )
    };
    match result {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

/// All mounts; a later one at the same path hides the earlier ones.
pub(crate) fn mounts() -> io::Result<Vec<Mount>> {
    Ok(parse(&fs::read("/proc/self/mountinfo")?))
}

/// A mount, from a line of /proc/self/mountinfo.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    /// The directory or file that it covers.
    pub at: PathBuf,
    /// The type of its file system.
    pub kind: String,
}

/// Parses the mounts; a later one at the same path hides the earlier ones.
fn parse(info: &[u8]) -> Vec<Mount> {
    let lines = info.split(|&byte| byte == b'\n').filter_map(|line| {
        let fields: Vec<&[u8]> = line.split(|&byte| byte == b' ').collect();
        let dash = fields.iter().position(|field| *field == b"-")?;
        Some(Mount {
            at: PathBuf::from(OsString::from_vec(unescape(fields.get(4)?))),
            kind: String::from_utf8_lossy(fields.get(dash + 1)?).into_owned(),
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
    fn mounts_are_parsed_with_their_types_and_escaped_names() {
        let info = b"22 1 0:1 / /a\\040b rw,nosuid,relatime shared:1 - tmpfs tmpfs rw\n\
                     23 1 0:2 / /proc ro,noexec - proc proc rw\nnonsense\n";
        let mount = |at: &str, kind: &str| Mount { at: at.into(), kind: kind.to_owned() };
        assert_eq!(parse(info), [mount("/a b", "tmpfs"), mount("/proc", "proc")]);
    }
}
