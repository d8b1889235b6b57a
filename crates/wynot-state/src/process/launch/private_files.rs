//! A view of the files in which a program can write without changing them.
//!
//! A program is examined by running it many times, also with altered values. Its working directory is therefore covered by
//! an overlay: what it writes there is in memory, and gone when its last process ends.

use rustix::fs::{Mode, OFlags, mkdir, open};
use rustix::io::Errno;
use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
use rustix::process::{chdir, getgid, getuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::ffi::{CStr, CString, OsStr};
use std::fs;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The size of what a program can write, as an option of the file system in memory.
const MAX_WRITTEN: &CStr = c"size=1g,mode=755";

/// The layers of an overlay: what it shows, what is written, and a place to work.
const LAYERS: [&str; 3] = ["lower", "upper", "work"];

/// A program that does nothing.
const DOES_NOTHING: &str = "/bin/true";

/// A private view of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivateFiles {
    /// The directory that is covered by an overlay.
    pub directory: PathBuf,
}

impl PrivateFiles {
    /// Whether the system permits such a view; the error says what it does not permit.
    pub fn check(&self) -> io::Result<()> {
        if has_mounts_below(&self.directory)? {
            return Err(io::Error::other("other file systems are mounted in it"));
        }
        let mounts = self.mounts()?;
        let mut command = Command::new(DOES_NOTHING);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        #[expect(
            unsafe_code,
            reason = "system calls only, which are allowed between fork and exec"
        )]
        unsafe {
            command.pre_exec(move || mounts.enter());
        }
        command.status().map(|_| ())
    }

    /// The mounts of the view, prepared so that nothing is left to do but system calls.
    pub(in crate::process) fn mounts(&self) -> io::Result<PreparedMounts> {
        let directory = self.directory.as_os_str().as_bytes();
        // These characters separate the options of an overlay.
        if directory.iter().any(|byte| b",:\\".contains(byte)) {
            return Err(io::Error::other("its path has a comma, colon or backslash in it"));
        }
        let option =
            |name: &str| [name.as_bytes(), b"dir=", directory, b"/", name.as_bytes()].concat();
        let options = LAYERS.map(option).join(&b","[..]);
        let (user, group) = (getuid().as_raw(), getgid().as_raw());
        Ok(PreparedMounts {
            directory: text(&self.directory)?,
            layers: LAYERS
                .map(|name| text(&self.directory.join(name)))
                .into_iter()
                .collect::<io::Result<_>>()?,
            user_options: CString::new([&options[..], b",userxattr"].concat())?,
            options: CString::new(options)?,
            users: format!("{user} {user} 1"),
            groups: format!("{group} {group} 1"),
        })
    }
}

/// Mounts that a child process makes before it executes a program.
pub(in crate::process) struct PreparedMounts {
    directory: CString,
    /// The directories of the overlay, in a file system that is covered by the overlay itself.
    layers: Vec<CString>,
    options: CString,
    /// The same in a user namespace.
    user_options: CString,
    users: String,
    groups: String,
}

impl PreparedMounts {
    /// Gives this process the view, and enters its directory again.
    pub(in crate::process) fn enter(&self) -> io::Result<()> {
        let options = match unshare(UnshareFlags::NEWNS) {
            Ok(()) => &self.options,
            Err(Errno::PERM) => {
                unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
                fs::write("/proc/self/setgroups", "deny")?;
                fs::write("/proc/self/uid_map", &self.users)?;
                fs::write("/proc/self/gid_map", &self.groups)?;
                &self.user_options
            }
            Err(error) => return Err(error.into()),
        };
        mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
        let original = open(&self.directory, OFlags::PATH | OFlags::DIRECTORY, Mode::empty())?;
        let flags = MountFlags::empty();
        mount("tmpfs", &self.directory, "tmpfs", flags, Some(MAX_WRITTEN))?;
        for layer in &self.layers {
            mkdir(layer, Mode::from_raw_mode(0o755))?;
        }
        mount_bind(format!("/proc/self/fd/{}", original.as_raw_fd()), &self.layers[0])?;
        mount("overlay", &self.directory, "overlay", flags, Some(options.as_c_str()))?;
        chdir(&self.directory)?;
        Ok(())
    }
}

fn unshare(namespaces: UnshareFlags) -> rustix::io::Result<()> {
    #[expect(unsafe_code, reason = "this process is a child with one thread")]
    // SAFETY: none of the flags affects the memory or the file descriptors of this process.
    unsafe {
        unshare_unsafe(namespaces)
    }
}

fn text(path: &Path) -> io::Result<CString> {
    Ok(CString::new(path.as_os_str().as_bytes())?)
}

/// Whether something is mounted below a directory. An overlay would hide it.
fn has_mounts_below(directory: &Path) -> io::Result<bool> {
    let mounts = fs::read("/proc/self/mountinfo")?;
    let places =
        mounts.split(|&byte| byte == b'\n').filter_map(|line| line.split(|&b| b == b' ').nth(4));
    let mut places = places.map(|place| Path::new(OsStr::from_bytes(place)));
    Ok(places.any(|place| place != directory && place.starts_with(directory)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_writes_is_gone() {
        let place = tempfile::tempdir().unwrap();
        let directory = place.path().to_owned();
        for name in ["one", "two"] {
            fs::write(directory.join(name), name).unwrap();
        }
        let files = PrivateFiles { directory: directory.clone() };
        if let Err(error) = files.check() {
            eprintln!("skipped: {error}");
            return;
        }
        let mounts = files.mounts().unwrap();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "cat one; echo new > three; cat three; rm two; test ! -e two"]);
        command.current_dir(&directory);
        #[expect(unsafe_code, reason = "system calls only")]
        unsafe {
            command.pre_exec(move || mounts.enter());
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(output.stdout, b"onenew\n");
        let mut left: Vec<_> =
            fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["one", "two"]);
        assert_eq!(fs::read(directory.join("one")).unwrap(), b"one");
    }
}
