//! Blobs: contents that a service stores under their digests.

use bazel_remote_apis::build::bazel::remote::execution::v2::Digest as ProtoDigest;
use sha2::{Digest as _, Sha256};
use std::fmt;
use std::sync::Arc;
use wynot_subjects::FileContents;

/// The digest of a blob: its SHA-256, and its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct BlobDigest {
    hash: [u8; 32],
    pub size: u64,
}

impl BlobDigest {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        Self { hash: Sha256::digest(bytes).into(), size: bytes.len() as u64 }
    }

    /// The digest as requests contain it.
    pub(crate) fn to_proto(self) -> ProtoDigest {
        ProtoDigest { hash: self.hex(), size_bytes: self.size as i64 }
    }

    /// The digest that a reply contains, if it is one.
    pub(crate) fn from_proto(proto: &ProtoDigest) -> Option<Self> {
        let mut hash = [0; 32];
        let digits = proto.hash.as_bytes();
        if digits.len() != 64 || !digits.is_ascii() {
            return None;
        }
        for (byte, pair) in hash.iter_mut().zip(proto.hash.as_bytes().chunks(2)) {
            *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
        }
        Some(Self { hash, size: u64::try_from(proto.size_bytes).ok()? })
    }

    pub(crate) fn hex(&self) -> String {
        self.hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Debug for BlobDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.hex(), self.size)
    }
}

/// A blob with its digest. Copies share the bytes.
#[derive(Clone, Debug)]
pub(crate) struct Blob {
    pub digest: BlobDigest,
    contents: Arc<FileContents>,
}

impl Blob {
    pub(crate) fn new(bytes: Vec<u8>) -> Self {
        Self { digest: BlobDigest::of(&bytes), contents: Arc::new(bytes.into()) }
    }

    /// The contents of a file whose digest is known.
    pub(crate) fn of_file(digest: BlobDigest, contents: &Arc<FileContents>) -> Self {
        Self { digest, contents: Arc::clone(contents) }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.contents.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_survive_their_encoding() {
        let digest = BlobDigest::of(b"abc");
        assert!(digest.hex().starts_with("ba7816bf8f01cfea"), "{digest:?}");
        assert_eq!(BlobDigest::from_proto(&digest.to_proto()), Some(digest));
        let bad = ProtoDigest { hash: "xyz".to_owned(), size_bytes: 3 };
        assert_eq!(BlobDigest::from_proto(&bad), None);
    }
}
