//! A private directory of a test, as the executor sees it: the directory into which it writes variants.

use crate::spec::TestSpec;
use crate::varying_call::call_for;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use wynot_session::JobId;
use wynot_session::files::Checkout;
use wynot_subjects::Variant;
use wynot_supervisor::RecordedReads;
use wynot_supervisor::supervisor::protocol::Call;
use wynot_supervisor::supervisor::setup::TestDirSetup;

/// A private directory of a slot.
pub(crate) struct TestDir {
    pub path: PathBuf,
    /// The path of the variant.
    pub variant: PathBuf,
    /// The running or queued job that uses the directory.
    pub job: Option<JobId>,
    /// The command that runs in it.
    setup: TestDirSetup,
    /// The contents of the directory, if variants are folders.
    checkout: Checkout,
    /// Whether the reads of tests are recorded, if variants are folders.
    records_reads: bool,
    /// The files of the present variant, if so.
    reads: Option<RecordedReads>,
}

impl TestDir {
    /// Wraps an existing directory. The variant has the name of the specification in it; with an empty name, it is the
    /// directory itself.
    pub(crate) fn new(path: PathBuf, setup: TestDirSetup, spec: &TestSpec) -> Self {
        let (variant, records_reads) = (variant_path(&path, &spec.name), spec.records_reads);
        let checkout = Checkout::new(path.clone(), spec.keeps_products);
        Self { path, variant, job: None, setup, checkout, records_reads, reads: None }
    }

    /// Writes a variant into the directory. Returns the call instead if the variant is a part of the call.
    pub(crate) fn write(&mut self, variant: &Variant, spec: &TestSpec) -> io::Result<Option<Call>> {
        match variant {
            Variant::Bytes(bytes) => self.write_variant(bytes, spec.mode)?,
            Variant::Folder(folder) => {
                self.checkout.bring_to(folder)?;
                if self.records_reads {
                    // Where access times cannot be set, the reads stay unknown.
                    let paths = folder.leaves().map(|(path, _)| path.to_path_buf()).collect();
                    self.reads = RecordedReads::begin(&self.path, paths).ok();
                }
            }
            Variant::Words(_) | Variant::Environment(_) | Variant::Version(_) => {}
        }
        Ok(call_for(variant, &self.setup, spec.command.build.as_deref()))
    }

    /// Whether the directory may contain products of earlier builds.
    pub(crate) fn is_reused(&self) -> bool {
        self.checkout.is_reused()
    }

    /// Empties the directory.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.checkout.clear()
    }

    /// The files that the test has read, if that was recorded.
    pub(crate) fn files_read(&mut self) -> Option<BTreeSet<PathBuf>> {
        self.reads.take()?.end()
    }

    /// Frees the directory after a test, which has changed these entries of it.
    pub(crate) fn release(&mut self, changed: &[PathBuf]) {
        self.job = None;
        self.checkout.was_disturbed(changed);
    }

    /// Removes a variant that could not be written completely.
    pub(crate) fn remove_partial(&mut self, variant: &Variant) {
        // If the variant cannot be removed, writing the next one reports the error.
        let _ = match variant {
            Variant::Folder(_) => self.checkout.clear(),
            _ => fs::remove_file(&self.variant),
        };
    }

    /// Writes a variant that is a file.
    fn write_variant(&self, bytes: &[u8], mode: u32) -> io::Result<()> {
        // A new file is always created, because an existing one may be a link or write-protected.
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
