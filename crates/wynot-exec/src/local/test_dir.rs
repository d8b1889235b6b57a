//! A private directory of a test, as this process sees it: where variants are placed.

use crate::supervisor::protocol::{Bytes, Call};
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use wynot_session::JobId;
use wynot_session::files::Checkout;
use wynot_subjects::Variant;

/// A private directory.
pub(crate) struct TestDir {
    pub path: PathBuf,
    /// The path of the variant.
    pub variant: PathBuf,
    /// The job that runs here or waits for its turn.
    pub job: Option<JobId>,
    /// What is in the directory, where folders vary.
    checkout: Checkout,
}

impl TestDir {
    /// An existing directory, in which the variant has a name; without a name, it is the directory itself.
    pub(crate) fn new(path: PathBuf, name: &Path, keeps_products: bool) -> Self {
        let variant = variant_path(&path, name);
        Self { variant, checkout: Checkout::new(path.clone(), keeps_products), path, job: None }
    }

    /// Places a variant where the test finds it; what of it belongs to the call.
    pub(crate) fn place(&mut self, variant: &Variant, mode: u32) -> io::Result<Option<Call>> {
        let list = |words: &[Vec<u8>]| words.iter().map(Bytes::from).collect();
        match variant {
            Variant::Bytes(bytes) => self.write_variant(bytes, mode).map(|()| None),
            Variant::Folder(folder) => self.checkout.bring_to(folder).map(|()| None),
            Variant::Words(words) => Ok(Some(Call::Words(list(words)))),
            Variant::Environment(variables) => Ok(Some(Call::Environment(list(variables)))),
        }
    }

    /// Takes note that the test has ended, and of what it has changed.
    pub(crate) fn release(&mut self, disturbed: &[PathBuf]) {
        self.job = None;
        self.checkout.was_disturbed(disturbed);
    }

    /// Removes a variant that could not be written whole.
    pub(crate) fn remove_partial(&mut self, variant: &Variant) {
        // What cannot be removed is reported when the next variant is placed.
        let _ = match variant {
            Variant::Folder(_) => self.checkout.clear(),
            _ => fs::remove_file(&self.variant),
        };
    }

    fn write_variant(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        // Always a new file: what is there may be a link, or not writable.
        let open =
            || OpenOptions::new().write(true).create_new(true).mode(mode).open(&self.variant);
        let mut file = match open() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(self.variant.parent().unwrap_or(&self.path))?;
                open()?
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_file(&self.variant)?;
                open()?
            }
            file => file?,
        };
        file.write_all(bytes)
    }
}

/// The path of a variant in a private directory.
pub(crate) fn variant_path(dir: &Path, name: &Path) -> PathBuf {
    if name.as_os_str().is_empty() { dir.to_owned() } else { dir.join(name) }
}
