//! Directories as the Remote Execution API stores them: each is a blob that names the digests of its contents.
//!
//! The encoding is canonical: the same files give the same digest on every machine, so that one result answers all
//! searches that ask for it.

use crate::blob::{Blob, BlobDigest};
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    Directory, DirectoryNode, FileNode, SymlinkNode,
};
use prost::Message;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

/// A path that cannot be sent to workers, because it is not Unicode.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{} cannot be sent to workers: its name is not UTF-8", .0.display())]
pub(crate) struct UnsendablePath(pub PathBuf);

/// A directory that is being put together.
#[derive(Clone, Debug, Default)]
pub(crate) struct TreeNode {
    entries: BTreeMap<String, TreeEntry>,
}

/// An entry of a directory.
#[derive(Clone, Debug)]
enum TreeEntry {
    File {
        digest: BlobDigest,
        is_executable: bool,
    },
    Link(String),
    /// A directory that is complete: it was encoded before.
    Sealed(BlobDigest),
    Directory(TreeNode),
}

impl TreeNode {
    /// Adds a file whose contents are a blob.
    pub(crate) fn add_file(
        &mut self,
        path: &Path,
        digest: BlobDigest,
        is_executable: bool,
    ) -> Result<(), UnsendablePath> {
        self.add(path, TreeEntry::File { digest, is_executable })
    }

    /// Adds a symbolic link.
    pub(crate) fn add_link(&mut self, path: &Path, target: &Path) -> Result<(), UnsendablePath> {
        let target = target.to_str().ok_or_else(|| UnsendablePath(target.to_owned()))?.to_owned();
        self.add(path, TreeEntry::Link(target))
    }

    /// Adds an empty directory, unless there is one already.
    pub(crate) fn add_directory(&mut self, path: &Path) -> Result<(), UnsendablePath> {
        match self.directory(path) {
            Some(_) => Ok(()),
            None => Err(UnsendablePath(path.to_owned())),
        }
    }

    /// Adds a directory that was encoded before.
    pub(crate) fn add_sealed(&mut self, name: &str, digest: BlobDigest) {
        self.entries.insert(name.to_owned(), TreeEntry::Sealed(digest));
    }

    fn add(&mut self, path: &Path, entry: TreeEntry) -> Result<(), UnsendablePath> {
        let bad = || UnsendablePath(path.to_owned());
        let name = path.file_name().and_then(|name| name.to_str()).ok_or_else(bad)?.to_owned();
        let parent = path.parent().unwrap_or(Path::new(""));
        self.directory(parent).ok_or_else(bad)?.entries.insert(name, entry);
        Ok(())
    }

    /// The directory at a path, which is made if it is not there.
    fn directory(&mut self, path: &Path) -> Option<&mut Self> {
        let mut node = self;
        for part in path.components() {
            let Component::Normal(name) = part else { return None };
            let entry = node.entries.entry(name.to_str()?.to_owned());
            match entry.or_insert_with(|| TreeEntry::Directory(Self::default())) {
                TreeEntry::Directory(child) => node = child,
                _ => return None,
            }
        }
        Some(node)
    }

    /// Encodes the directory and those in it. Their blobs are added to `blobs`.
    pub(crate) fn encode(&self, blobs: &mut Vec<Blob>) -> BlobDigest {
        let mut directory = Directory::default();
        for (name, entry) in &self.entries {
            let name = name.clone();
            match entry {
                TreeEntry::File { digest, is_executable } => directory.files.push(FileNode {
                    name,
                    digest: Some(digest.to_proto()),
                    is_executable: *is_executable,
                    node_properties: None,
                }),
                TreeEntry::Link(target) => directory.symlinks.push(SymlinkNode {
                    name,
                    target: target.clone(),
                    node_properties: None,
                }),
                TreeEntry::Sealed(digest) => {
                    let digest = Some(digest.to_proto());
                    directory.directories.push(DirectoryNode { name, digest });
                }
                TreeEntry::Directory(node) => {
                    let digest = Some(node.encode(blobs).to_proto());
                    directory.directories.push(DirectoryNode { name, digest });
                }
            }
        }
        let blob = Blob::new(directory.encode_to_vec());
        let digest = blob.digest;
        blobs.push(blob);
        digest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_insertion_does_not_matter() {
        let contents = BlobDigest::of(b"x");
        let paths = ["b/c", "a", "b/a", "b.c"];
        let build = |paths: &[&str]| {
            let mut node = TreeNode::default();
            for path in paths {
                node.add_file(Path::new(path), contents, false).unwrap();
            }
            let mut blobs = Vec::new();
            (node.encode(&mut blobs), blobs)
        };
        let reversed: Vec<&str> = paths.iter().rev().copied().collect();
        let (digest, blobs) = build(&paths);
        assert_eq!(digest, build(&reversed).0);
        let root = Directory::decode(blobs.last().unwrap().bytes()).unwrap();
        let names: Vec<&str> = root.files.iter().map(|file| &*file.name).collect();
        assert_eq!(names, ["a", "b.c"]);
        assert_eq!(root.directories[0].name, "b");
    }

    #[test]
    fn a_sealed_directory_has_the_digest_of_its_contents() {
        let mut inner = TreeNode::default();
        inner.add_link(Path::new("l"), Path::new("target")).unwrap();
        inner.add_directory(Path::new("empty")).unwrap();
        let mut whole = TreeNode::default();
        whole.add_link(Path::new("d/l"), Path::new("target")).unwrap();
        whole.add_directory(Path::new("d/empty")).unwrap();
        let (mut blobs, mut sealed) = (Vec::new(), TreeNode::default());
        sealed.add_sealed("d", inner.encode(&mut blobs));
        assert_eq!(sealed.encode(&mut blobs), whole.encode(&mut blobs));
    }

    #[test]
    fn names_must_be_unicode() {
        use std::os::unix::ffi::OsStrExt;
        let path = Path::new(std::ffi::OsStr::from_bytes(b"a/\xff"));
        assert!(TreeNode::default().add_file(path, BlobDigest::of(b""), false).is_err());
    }
}
