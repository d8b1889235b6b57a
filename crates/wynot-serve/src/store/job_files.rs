//! Files of a job, which its programs may have replaced by links, pipes or anything else.
//!
//! A job can write to its own directories, and the server may run as root. So every file there is opened without following
//! any link, and only if it is a regular file; new files never replace what a link points to.

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat, openat2};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file below a directory of a job, by a relative path in which no part is a link.
pub fn open_inside(directory: &Path, name: &str) -> io::Result<File> {
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let directory = openat(CWD, directory, flags, Mode::empty())?;
    // A pipe would be waited for otherwise.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOFOLLOW;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let file = File::from(openat2(&directory, name, flags, Mode::empty(), resolve)?);
    match file.metadata()?.is_file() {
        true => Ok(file),
        false => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Opens a regular file by its path; the directories before it belong to the server.
pub fn open_plain(path: &Path) -> io::Result<File> {
    match (path.parent(), path.file_name().and_then(|name| name.to_str())) {
        (Some(directory), Some(name)) => open_inside(directory, name),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}

/// Reads at most so many bytes of a regular file.
pub fn read_plain(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_plain(path)?.take(max_bytes).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Makes a new file, in the place of whatever has its name.
pub fn create_plain(path: &Path) -> io::Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    File::create_new(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn links_and_pipes_are_not_files() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, secret) = (dir.path().join("job"), dir.path().join("secret"));
        fs::create_dir_all(inside.join("sub")).unwrap();
        fs::write(&secret, "key").unwrap();
        fs::write(inside.join("sub/fine"), "text").unwrap();
        symlink(&secret, inside.join("link")).unwrap();
        symlink(dir.path(), inside.join("up")).unwrap();
        rustix::fs::mknodat(CWD, inside.join("pipe"), rustix::fs::FileType::Fifo, Mode::RWXU, 0)
            .unwrap();
        assert_eq!(read_plain(&inside.join("sub/fine"), 3).unwrap(), b"tex");
        assert!(open_inside(&inside, "sub/fine").is_ok());
        for name in ["link", "up/secret", "../secret", "pipe", "sub", "none", "/etc/passwd"] {
            assert!(open_inside(&inside, name).is_err(), "{name}");
        }
    }

    #[test]
    fn a_new_file_leaves_alone_what_a_link_points_to() {
        let dir = tempfile::tempdir().unwrap();
        let (target, link) = (dir.path().join("target"), dir.path().join("link"));
        fs::write(&target, "keep me").unwrap();
        symlink(&target, &link).unwrap();
        create_plain(&link).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "keep me");
        assert!(fs::symlink_metadata(&link).unwrap().is_file());
    }
}
