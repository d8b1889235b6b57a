//! Digests that identify contents: of a variant, of a configuration, and of all inputs of a run.

use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use wynot_core::Configuration;
use wynot_subjects::{FolderEntry, Variant};

/// A 128-bit digest. Contents with equal digests are taken to be equal.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 16]);

impl Digest {
    /// The digest of a variant.
    pub fn of(variant: &Variant) -> Self {
        let mut parts = Fingerprint::default();
        match variant {
            Variant::Bytes(bytes) => return Self::of_bytes(bytes),
            Variant::Folder(folder) => {
                for (path, entry) in folder.entries() {
                    parts.add("path", path.as_os_str().as_bytes());
                    match entry {
                        FolderEntry::File { contents, mode, .. } => {
                            parts.add("mode", mode.to_le_bytes()).add("file", contents.digest())
                        }
                        FolderEntry::Link(target) => {
                            parts.add("link", target.as_os_str().as_bytes())
                        }
                        FolderEntry::Directory { mode } => {
                            parts.add("directory", mode.to_le_bytes())
                        }
                    };
                }
            }
            Variant::Words(words) => words.iter().for_each(|word| {
                parts.add("word", word);
            }),
            Variant::Environment(variables) => variables.iter().for_each(|variable| {
                parts.add("variable", variable);
            }),
            Variant::Version(name) => {
                parts.add("version", name);
            }
        }
        parts.digest()
    }

    /// The digest of a byte string.
    pub fn of_bytes(bytes: &[u8]) -> Self {
        Self::from(&blake3::hash(bytes))
    }

    /// The digest of one of several runs of a test whose variant has this digest.
    pub(crate) fn of_run(self, run: u32) -> Self {
        Fingerprint::default().add("runs of", self.0).add("run", run.to_le_bytes()).digest()
    }

    /// The digest by which the outcome of another test of the variant with this digest is known, such as one on a clean
    /// build.
    pub(crate) fn of_other_test(self) -> Self {
        Fingerprint::default().add("other test of", self.0).digest()
    }

    /// The digest of a configuration.
    pub(crate) fn of_configuration(configuration: &Configuration) -> Self {
        let mut hasher = blake3::Hasher::new();
        for run in configuration.ranges() {
            let bounds = u64::from(run.start) << 32 | u64::from(run.end);
            hasher.update(&bounds.to_le_bytes());
        }
        Self::from(&hasher.finalize())
    }

    /// Parses the text that [`fmt::Display`] writes.
    pub fn parse(hex: &str) -> Option<Self> {
        if hex.len() != 32 || !hex.is_ascii() {
            return None;
        }
        let mut bytes = [0; 16];
        for (index, byte) in bytes.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * index..2 * index + 2], 16).ok()?;
        }
        Some(Self(bytes))
    }
}

impl From<&blake3::Hash> for Digest {
    fn from(hash: &blake3::Hash) -> Self {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(&hash.as_bytes()[..16]);
        Self(bytes)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The size up to which the contents of a file are part of a fingerprint.
const MAX_HASHED_BYTES: u64 = 1 << 30;

/// Collects everything that outcomes depend on. Two runs with the same digest may share outcomes.
#[derive(Debug, Default)]
pub struct Fingerprint(blake3::Hasher);

impl Fingerprint {
    /// Adds a named part.
    pub fn add(&mut self, name: &str, value: impl AsRef<[u8]>) -> &mut Self {
        for part in [name.as_bytes(), value.as_ref()] {
            self.0.update(&(part.len() as u64).to_le_bytes());
            self.0.update(part);
        }
        self
    }

    /// Adds a program or file that the test uses: its path, and its contents if they are readable; of a very large one, its
    /// size and time.
    pub fn add_file(&mut self, path: &Path) -> &mut Self {
        self.add("path", path.as_os_str().as_bytes());
        let metadata = fs::metadata(path).ok().filter(|metadata| metadata.is_file());
        if let Some(metadata) = metadata.as_ref().filter(|file| file.len() > MAX_HASHED_BYTES) {
            let time = (metadata.mtime(), metadata.mtime_nsec());
            self.add("file", format!("{} {time:?}", metadata.len()));
        } else if metadata.is_some() {
            let mut contents = blake3::Hasher::new();
            let read = fs::File::open(path).and_then(|mut file| io::copy(&mut file, &mut contents));
            if read.is_ok() {
                self.add("contents", contents.finalize().as_bytes());
            }
        }
        self
    }

    /// Adds a directory: the names, sizes, modes and times of all files below it, except the paths in `except`.
    pub fn add_tree(&mut self, root: &Path, except: &[&Path]) -> &mut Self {
        let mut pending = vec![root.to_owned()];
        let mut found = Vec::new();
        while let Some(dir) = pending.pop() {
            // Unreadable directories are skipped here; copying the tree reports them.
            for entry in fs::read_dir(&dir).into_iter().flatten().flatten() {
                let path = entry.path();
                match entry.metadata() {
                    _ if except.contains(&path.as_path()) => {}
                    Ok(metadata) if metadata.is_dir() => pending.push(path),
                    Ok(metadata) => {
                        let time = (metadata.mtime(), metadata.mtime_nsec());
                        found.push((path, metadata.len(), time, metadata.mode()));
                    }
                    Err(_) => {}
                }
            }
        }
        found.sort();
        for (path, size, time, mode) in found {
            self.add("path", path.as_os_str().as_bytes());
            self.add("file", format!("{size} {time:?} {mode}"));
        }
        self
    }

    /// The digest of all parts so far.
    pub fn digest(&self) -> Digest {
        Digest::from(&self.0.finalize())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_is_parsed_from_its_own_text() {
        let digest = Digest::of_bytes(b"abc");
        assert_eq!(Digest::parse(&digest.to_string()), Some(digest));
        assert_eq!(Digest::parse("no digest"), None);
        assert_eq!(Digest::parse(&"é".repeat(16)), None);
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let of = |name: &str, value: &str| Fingerprint::default().add(name, value).digest();
        assert_ne!(of("ab", "c"), of("a", "bc"));
    }
}
