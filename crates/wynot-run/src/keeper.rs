//! The best results so far, always complete files.

use crate::{Side, Stop};
use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

/// Writes the sides of a search to their files. Each write replaces the file in one step, so whoever
/// looks, whenever, sees a complete variant.
#[derive(Debug)]
pub struct Keeper {
    /// Where the failing side goes.
    pub failing: PathBuf,
    /// Where the passing side goes, if anyone wants it.
    pub passing: Option<PathBuf>,
    /// The permission bits of the files.
    pub mode: u32,
    /// Sets the files that are being written apart from those of other sessions.
    pub tag: String,
}

impl Keeper {
    /// Writes a side.
    pub fn save(&self, side: Side, bytes: &[u8]) -> Result<(), Stop> {
        let path = match side {
            Side::Failing => Some(&self.failing),
            Side::Passing => self.passing.as_ref(),
        };
        match path {
            Some(path) => write_whole(path, bytes, self.mode, &self.tag)
                .map_err(|source| Stop::Write { path: path.clone(), source }),
            None => Ok(()),
        }
    }

    /// Writes a failing side that is smaller, or a passing side that is larger, than what is there.
    pub fn save_if_better(&self, side: Side, bytes: &[u8]) -> Result<(), Stop> {
        let there = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.len());
        let better = match side {
            Side::Failing => there(&self.failing).is_none_or(|there| (bytes.len() as u64) < there),
            Side::Passing => {
                let there = self.passing.as_deref().and_then(there);
                there.is_none_or(|there| bytes.len() as u64 > there)
            }
        };
        if better { self.save(side, bytes) } else { Ok(()) }
    }
}

/// Puts a new file in the place of an old one in one step.
pub fn write_whole(path: &Path, bytes: &[u8], mode: u32, tag: &str) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(".{tag}.part"));
    let part = path.with_file_name(name);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(mode)
        .open(&part)
        .and_then(|mut file| {
            // Whatever the mask: the mode is one of the things that tests can see.
            file.set_permissions(Permissions::from_mode(mode))?;
            file.write_all(bytes)
        })
        .and_then(|()| fs::rename(&part, path));
    if written.is_err() {
        // The first error is the one to report; the part may not even exist.
        let _ = fs::remove_file(&part);
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_replaced_and_leave_no_parts() {
        let dir = tempfile::tempdir().unwrap();
        let keeper = Keeper {
            failing: dir.path().join("x.min.c"),
            passing: None,
            mode: 0o644,
            tag: "t".into(),
        };
        keeper.save(Side::Failing, b"long").unwrap();
        keeper.save(Side::Failing, b"s").unwrap();
        keeper.save(Side::Passing, b"nobody asked").unwrap();
        assert_eq!(fs::read(dir.path().join("x.min.c")).unwrap(), b"s");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_place_that_does_not_exist_is_named() {
        let keeper = Keeper {
            failing: "/nonexistent/x.min".into(),
            passing: None,
            mode: 0o644,
            tag: "t".into(),
        };
        let error = keeper.save(Side::Failing, b"x").unwrap_err();
        assert_eq!(error.to_string(), "cannot write /nonexistent/x.min: no such file or directory");
    }
}
