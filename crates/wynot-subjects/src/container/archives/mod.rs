//! Archives and compressed files: entries with headers, and streams.

pub(super) mod ar_archive;
pub(super) mod gzip;
pub(super) mod tar_file;
pub(super) mod zip_archive;
pub(super) mod zlib;
