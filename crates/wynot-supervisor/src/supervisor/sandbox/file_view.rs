//! The files that a test in a sandbox can see.
//!
//! The view is built in a new root directory, which then replaces the old one:
//!
//! - the directories of the system are shown through read-only overlays. Sockets and pipes in an overlay are not those
//!   outside, and neither are file locks, so nothing there leads to another process;
//! - home directories, temporary directories and `/run` are empty. The files of them that the test needs are shown;
//! - `/dev` has a few devices without state, `/proc` the processes of the test, `/sys` the number of processors;
//! - the private directories of the test can be written, and `/tmp`, `/var/tmp` and `/dev/shm`, which are emptied after
//!   each test.

use super::super::process_namespace::{limit_processes, mount_proc, unshare};
use super::super::setup::{Bytes, SandboxPlaces, SandboxSetup};
use super::is_in_any;
use super::mount_table::{Mount, make_read_only, mounts};
use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind, mount_bind_recursive,
    mount_change, unmount,
};
use rustix::process::pivot_root;
use rustix::thread::UnshareFlags;
use std::ffi::CString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

/// The file systems whose contents are not files of the user or the system.
const PSEUDO_FILE_SYSTEMS: [&str; 14] = [
    "proc",
    "sysfs",
    "devpts",
    "devtmpfs",
    "mqueue",
    "cgroup",
    "cgroup2",
    "securityfs",
    "debugfs",
    "tracefs",
    "bpf",
    "autofs",
    "fusectl",
    "configfs",
];

/// The directories that the view replaces.
const REPLACED: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The directories with the programs, libraries and settings of the system.
const WITHOUT_SOCKETS: [&str; 2] = ["/usr", "/etc"];

/// The devices of the view.
const DEVICES: [&str; 6] = ["null", "zero", "full", "random", "urandom", "tty"];

/// The directories besides the private ones that can be written.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// The parts of `/proc` that change the whole system. They can be read only.
const READ_ONLY_IN_PROC: [&str; 7] = [
    "/proc/sys",
    "/proc/sysrq-trigger",
    "/proc/irq",
    "/proc/bus",
    "/proc/fs",
    "/proc/acpi",
    "/proc/scsi",
];

/// The files with the secrets of the kernel or of other users.
const SECRET_FILES: [&str; 9] = [
    "/proc/kcore",
    "/proc/keys",
    "/proc/key-users",
    "/proc/timer_list",
    "/proc/kallsyms",
    "/etc/shadow",
    "/etc/shadow-",
    "/etc/gshadow",
    "/etc/gshadow-",
];

/// What is shown of `/sys`.
const SHOWN_IN_SYS: &str = "/sys/devices/system/cpu";

/// The view of the files of a sandbox, before it is entered.
pub(crate) struct FileView {
    /// An empty directory, in which the new root is built.
    root: PathBuf,
    hidden: Vec<PathBuf>,
    programs: Vec<PathBuf>,
    needed: Vec<PathBuf>,
    shown: Vec<PathBuf>,
    private: Vec<PathBuf>,
    max_processes: Option<u64>,
}

/// The result of building a part of the view.
type Built = Result<(), (&'static str, io::Error)>;

impl FileView {
    pub(crate) fn new(places: &SandboxPlaces, sandbox: &SandboxSetup) -> Self {
        let paths = |paths: &[Bytes]| paths.iter().map(Bytes::path).collect::<Vec<PathBuf>>();
        Self {
            root: places.root.clone(),
            hidden: paths(&sandbox.hidden),
            programs: paths(&sandbox.programs),
            needed: paths(&sandbox.needed),
            shown: paths(&sandbox.shown),
            private: places.private.clone(),
            max_processes: places.max_processes,
        }
    }

    /// Makes this the view of this process and its future children. Returns the directories besides the private ones
    /// that can be written, or the part that failed.
    pub(crate) fn enter(&self) -> Result<Vec<PathBuf>, (&'static str, io::Error)> {
        let part = |part| move |error: io::Error| (part, error);
        self.make_root().map_err(part("a mount namespace"))?;
        self.show_system()?;
        self.make_temporary().map_err(part("private temporary directories"))?;
        self.make_devices().map_err(part("a private /dev"))?;
        self.make_proc().map_err(part("a private /proc"))?;
        self.show_files()?;
        self.make_private().map_err(part("mounts of the private directories"))?;
        self.change_root().map_err(part("a new root directory"))?;
        let temporary = TEMPORARY.map(PathBuf::from);
        let temporary: Vec<PathBuf> = temporary.into_iter().filter(|path| path.exists()).collect();
        // In `/proc`, processes write about themselves.
        let others = temporary.iter().chain(&self.private).cloned();
        let writable: Vec<PathBuf> = others.chain([PathBuf::from("/proc")]).collect();
        make_read_only(Path::new("/"), &writable).map_err(part("read-only mounts"))?;
        Ok(temporary)
    }

    /// The path in the new root, while it is built, of a path in the view.
    fn at(&self, path: &Path) -> PathBuf {
        self.root.join(path.strip_prefix("/").unwrap_or(path))
    }

    /// Mounts the new root.
    fn make_root(&self) -> io::Result<()> {
        unshare(UnshareFlags::NEWNS)?;
        mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
        mount_empty(&self.root)?;
        fs::create_dir(self.root.join(EMPTY_LAYER))
    }

    /// Shows the whole file system, except for what is hidden or replaced.
    fn show_system(&self) -> Built {
        let mounts = mounts().map_err(|error| ("the files of the system", error))?;
        self.show_parts(Path::new("/"), &mounts)?;
        for hidden in &self.hidden {
            let target = self.at(hidden);
            let is_empty = hidden.parent() == Some(Path::new("/")) || !target.is_dir();
            if !is_empty {
                mount_empty(&target).map_err(|error| ("hidden directories", error))?;
            }
        }
        Ok(())
    }

    /// Shows what is in a directory, each entry by itself. The directory exists in the new root.
    fn show_parts(&self, directory: &Path, mounts: &[Mount]) -> Built {
        let unreadable = |error| ("the files of the system", error);
        // A directory that cannot be read has nothing to show.
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let (path, target) = (entry.path(), self.at(&entry.path()));
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_symlink() {
                let link = fs::read_link(&path).map_err(unreadable)?;
                symlink(link, &target).map_err(unreadable)?;
            } else if kind.is_dir() {
                fs::create_dir(&target).map_err(unreadable)?;
                if !self.is_left_out(&path, mounts) {
                    self.show_directory(&path, mounts)?;
                }
            } else if kind.is_file() && directory.parent().is_some() {
                self.show_file(&path).map_err(unreadable)?;
            }
        }
        Ok(())
    }

    /// Shows a directory of the system, which exists in the new root. An overlay cannot show mounts inside of a
    /// directory, so such a directory is shown in parts.
    fn show_directory(&self, path: &Path, mounts: &[Mount]) -> Built {
        let is_inside = |mount: &Mount| mount.at != path && mount.at.starts_with(path);
        if mounts.iter().any(is_inside) {
            self.show_parts(path, mounts)
        } else if WITHOUT_SOCKETS.iter().any(|other| path == Path::new(other)) {
            // A mount of this kind is faster.
            let bound = mount_bind(path, self.at(path)).map_err(io::Error::from);
            bound.map_err(|error| ("the files of the system", error))
        } else if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
            self.show_tree(path)
        } else {
            Ok(())
        }
    }

    /// Whether a directory of the system stays empty.
    fn is_left_out(&self, path: &Path, mounts: &[Mount]) -> bool {
        let is_pseudo = |mount: &Mount| PSEUDO_FILE_SYSTEMS.contains(&mount.kind.as_str());
        is_in_any(path, &self.hidden)
            || REPLACED.iter().any(|replaced| Path::new(replaced) == path)
            || path == self.root
            || mounts.iter().rfind(|mount| mount.at == path).is_some_and(is_pseudo)
    }

    /// Shows a directory, which exists in the new root, through an overlay.
    fn show_tree(&self, path: &Path) -> Built {
        let overlay = self.mount_overlay(path);
        overlay.map_err(|error| ("overlay file systems", error))
    }

    fn mount_overlay(&self, path: &Path) -> io::Result<()> {
        // An overlay has at least two layers. The other one is empty.
        let empty = self.root.join(EMPTY_LAYER);
        let mut options = b"lowerdir=".to_vec();
        for layer in [path, empty.as_path()] {
            if !options.ends_with(b"=") {
                options.push(b':');
            }
            for byte in layer.as_os_str().as_bytes() {
                if b":,\\".contains(byte) {
                    options.push(b'\\');
                }
                options.push(*byte);
            }
        }
        let options = CString::new(options)?;
        let flags = MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
        Ok(mount("overlay", self.at(path), "overlay", flags, options.as_c_str())?)
    }

    /// Shows one file, whatever it is.
    fn show_file(&self, path: &Path) -> io::Result<()> {
        let target = self.at(path);
        if !target.exists() {
            File::create(&target)?;
        }
        Ok(mount_bind(path, &target)?)
    }

    /// Shows the files that the test needs or the user wants, where they are hidden.
    fn show_files(&self) -> Built {
        let unshown = |error| ("files of the user", error);
        for path in self.needed.iter().chain(&self.programs).chain(&self.shown) {
            let Ok(metadata) = fs::symlink_metadata(path) else { continue };
            let target = self.at(path);
            // What the user wants replaces an overlay.
            if target.exists() && !self.shown.contains(path) {
                continue;
            }
            let made = if metadata.is_dir() {
                target.as_path()
            } else {
                target.parent().unwrap_or(&target)
            };
            fs::create_dir_all(made).map_err(unshown)?;
            if !metadata.is_dir() {
                self.show_file(path).map_err(unshown)?;
            } else if self.needed.contains(path) && !self.shown.contains(path) {
                self.show_tree(path)?;
            } else {
                mount_bind_recursive(path, &target).map_err(|error| unshown(error.into()))?;
            }
        }
        Ok(())
    }

    /// Makes the temporary directories: one directory with three names.
    fn make_temporary(&self) -> io::Result<()> {
        let first = self.at(Path::new(TEMPORARY[0]));
        fs::create_dir_all(&first)?;
        mount("tmpfs", &first, "tmpfs", MountFlags::NOSUID | MountFlags::NODEV, c"mode=1777")?;
        let second = self.at(Path::new(TEMPORARY[1]));
        if second.is_dir() {
            mount_bind(&first, &second)?;
        }
        Ok(())
    }

    fn make_devices(&self) -> io::Result<()> {
        let dev = self.at(Path::new("/dev"));
        fs::create_dir_all(&dev)?;
        mount_empty(&dev)?;
        for name in DEVICES {
            let device = Path::new("/dev").join(name);
            if device.exists() {
                self.show_file(&device)?;
            }
        }
        let links = [("fd", ""), ("stdin", "/0"), ("stdout", "/1"), ("stderr", "/2")];
        for (name, number) in links {
            symlink(format!("/proc/self/fd{number}"), dev.join(name))?;
        }
        for name in ["pts", "shm"] {
            fs::create_dir(dev.join(name))?;
        }
        let options = c"newinstance,ptmxmode=0666,mode=0620";
        mount(
            "devpts",
            dev.join("pts"),
            "devpts",
            MountFlags::NOSUID | MountFlags::NOEXEC,
            options,
        )?;
        symlink("pts/ptmx", dev.join("ptmx"))?;
        mount_bind(self.at(Path::new(TEMPORARY[0])), dev.join("shm"))?;
        let processors = self.at(Path::new(SHOWN_IN_SYS));
        if Path::new(SHOWN_IN_SYS).is_dir() {
            fs::create_dir_all(&processors)?;
            mount_bind(SHOWN_IN_SYS, &processors)?;
        }
        Ok(())
    }

    /// Mounts the `/proc` of the process namespace, in which what concerns the whole system is read-only or hidden. There
    /// are no further user namespaces, because tests could have privileges in them.
    fn make_proc(&self) -> io::Result<()> {
        let proc = self.at(Path::new("/proc"));
        mount_proc(&proc)?;
        if let Some(limit) = self.max_processes {
            limit_processes(&proc, limit);
        }
        fs::write(proc.join("sys/user/max_user_namespaces"), "0")?;
        let at = |path: &&str| Some(self.at(Path::new(path))).filter(|path| path.exists());
        for path in READ_ONLY_IN_PROC.iter().filter_map(at) {
            mount_bind(&path, &path)?;
        }
        for path in SECRET_FILES.iter().filter_map(at) {
            mount_bind("/dev/null", &path)?;
        }
        Ok(())
    }

    /// Mounts the private directories in a directory that tests can neither change nor move.
    fn make_private(&self) -> io::Result<()> {
        let Some(parent) = self.private.first().and_then(|path| path.parent()) else {
            return Ok(());
        };
        let around = self.at(parent);
        fs::create_dir_all(&around)?;
        mount_empty(&around)?;
        for path in &self.private {
            let target = self.at(path);
            fs::create_dir(&target)?;
            mount_bind(path, &target)?;
        }
        Ok(())
    }

    /// Makes the new root the root of this process.
    fn change_root(&self) -> io::Result<()> {
        std::env::set_current_dir(&self.root)?;
        pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        std::env::set_current_dir("/")
    }
}

/// The name in the new root of the empty layer of overlays.
const EMPTY_LAYER: &str = ".empty";

/// Mounts an empty directory.
fn mount_empty(at: &Path) -> io::Result<()> {
    let flags = MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount("tmpfs", at, "tmpfs", flags, c"mode=0755,size=1m")?)
}
