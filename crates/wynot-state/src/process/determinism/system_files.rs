//! Files about the system that change while it runs: all runs of a search read the same.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsRawFd;
use std::sync::{LazyLock, Mutex, PoisonError};

/// Files that have these contents for programs, since they change all the time.
const CONSTANT_FILES: [(&str, &str); 2] =
    [("/proc/loadavg", "0.00 0.00 0.00 1/1 1\n"), ("/proc/uptime", "1000.00 1000.00\n")];

/// Files that programs read as they were at the first question. Those about mounts would otherwise show the private view of
/// the working directory, which has other numbers in each run.
const FROZEN_FILES: [&str; 6] = [
    "/proc/self/mountinfo",
    "/proc/self/mounts",
    "/proc/mounts",
    "/proc/self/cgroup",
    "/proc/stat",
    "/proc/meminfo",
];

/// The contents that were given to programs, by path.
static GIVEN: LazyLock<Mutex<HashMap<String, File>>> = LazyLock::new(Mutex::default);

/// The path of a file with the contents that all runs read in place of a file about the system; `None` if the file is no
/// such one.
pub(crate) fn system_file(path: &str) -> io::Result<Option<String>> {
    let constant = CONSTANT_FILES.iter().find(|(name, _)| *name == path);
    if constant.is_none() && !FROZEN_FILES.contains(&path) {
        return Ok(None);
    }
    let mut given = GIVEN.lock().unwrap_or_else(PoisonError::into_inner);
    if !given.contains_key(path) {
        let contents = match constant {
            Some((_, contents)) => contents.as_bytes().to_vec(),
            None => std::fs::read(path)?,
        };
        let mut file = tempfile::tempfile()?;
        file.write_all(&contents)?;
        given.insert(path.to_owned(), file);
    }
    let number = given.get(path).map(|file| file.as_raw_fd());
    Ok(number.map(|number| format!("/proc/{}/fd/{number}", std::process::id())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_about_the_system_keeps_its_contents() {
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        let first = system_file("/proc/loadavg").unwrap().unwrap();
        assert_eq!(read(&first), "0.00 0.00 0.00 1/1 1\n");
        let mounts = system_file("/proc/self/mountinfo").unwrap().unwrap();
        assert!(read(&mounts).contains("/proc"));
        assert_eq!(system_file("/proc/self/mountinfo").unwrap(), Some(mounts));
        assert_eq!(system_file("/proc/version").unwrap(), None);
    }
}
