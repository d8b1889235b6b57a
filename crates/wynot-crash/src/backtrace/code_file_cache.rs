//! Programs and libraries that have been read, kept for the next backtraces.

use super::code_file::CodeFile;
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::rc::Rc;
use std::time::SystemTime;
use wynot_process::maps::MemoryRegion;

/// The number of files that are kept, so that programs that are rebuilt for each test do not add up.
const MAX_FILES: usize = 256;

/// What distinguishes files, also those that replace each other at one path.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct FileKey {
    device: u64,
    inode: u64,
    size: u64,
    modified: Option<SystemTime>,
}

impl FileKey {
    fn of(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        let modified = data.modified().ok();
        Ok(Self { device: data.dev(), inode: data.ino(), size: data.len(), modified })
    }
}

/// Programs and libraries that have been read; `None` stands for files that cannot be read.
#[derive(Default)]
pub(super) struct CodeFileCache(HashMap<FileKey, Option<Rc<CodeFile>>>);

impl CodeFileCache {
    /// Forgets all files if there are too many.
    pub(super) fn limit_size(&mut self) {
        if self.0.len() > MAX_FILES {
            self.0.clear();
        }
    }

    /// The file that a region of a process comes from.
    pub(super) fn file_of(&mut self, tid: i32, region: &MemoryRegion) -> Option<Rc<CodeFile>> {
        let path = Path::new(region.path.strip_suffix(" (deleted)").unwrap_or(&region.path));
        // The process may have another root directory than this one.
        let path_from_here = format!("/proc/{tid}/root{}", path.display());
        let is_it = |file: &File| file.metadata().is_ok_and(|data| data.ino() == region.inode);
        let file = File::open(path_from_here).ok().filter(is_it);
        let file = file.or_else(|| File::open(format!("/proc/{tid}/exe")).ok().filter(is_it))?;
        self.read(&file, path)
    }

    /// The program that a process executes.
    pub(super) fn program_of(&mut self, pid: i32) -> Option<Rc<CodeFile>> {
        let path = format!("/proc/{pid}/exe");
        let file = File::open(&path).ok()?;
        self.read(&file, &fs::read_link(&path).unwrap_or_default())
    }

    fn read(&mut self, file: &File, path: &Path) -> Option<Rc<CodeFile>> {
        let key = FileKey::of(file).ok()?;
        let read = || CodeFile::read(file, path).map(Rc::new);
        self.0.entry(key).or_insert_with(read).clone()
    }
}
