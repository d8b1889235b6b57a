//! Reading zip archives.

use super::ArchiveError;
use super::unpacked_tree::{UnpackedTree, refused, shown};
use std::io::{BufRead, Read, Seek};
use std::time::{Duration, SystemTime};
use zip::extra_fields::ExtraField;
use zip::read::ZipFile;
use zip::result::ZipError;
use zip::{DateTime, ZipArchive};

/// The bits of a mode that say what kind of file it is, and their values.
const KIND: u32 = 0o170_000;
const LINK: u32 = 0o120_000;
const DIRECTORY: u32 = 0o040_000;
const FILE: u32 = 0o100_000;

/// The mode of entries that have none.
const DEFAULT_MODE: u32 = 0o644;

/// The longest target of a link that is read; longer ones are refused.
const MAX_TARGET_BYTES: u64 = 1 << 16;

/// Reads the entries of a zip archive.
pub(super) fn read(file: impl BufRead + Seek, tree: &mut UnpackedTree) -> Result<(), ArchiveError> {
    let damaged = |error: ZipError| ArchiveError::Damaged(error.to_string());
    let mut archive = ZipArchive::new(file).map_err(damaged)?;
    if archive.has_duplicate_names() {
        // The crate reads only one of them, and programs differ about which.
        return Err(ArchiveError::Damaged("two entries have the same name".to_owned()));
    }
    for index in 0..archive.len() {
        let entry = archive.by_index_data(index).map_err(damaged)?;
        let name = entry.name_raw().to_vec();
        if entry.encrypted() {
            return Err(refused(&name, "is encrypted"));
        }
        let entry = archive.by_index(index).map_err(|error| match error {
            ZipError::CompressionMethodNotSupported(method) => {
                let problem = format!("is compressed by method {method}, which is not supported");
                refused(&name, problem)
            }
            error => ArchiveError::Damaged(format!("{}: {error}", shown(&name))),
        })?;
        add(entry, &name, tree)?;
    }
    Ok(())
}

/// Adds an entry.
fn add(
    mut entry: ZipFile<'_, impl Read>,
    name: &[u8],
    tree: &mut UnpackedTree,
) -> Result<(), ArchiveError> {
    let mode = entry.unix_mode().unwrap_or(DEFAULT_MODE);
    let (size, modified) = (entry.size(), modified(&entry));
    match mode & KIND {
        _ if name.ends_with(b"/") => tree.add_directory(name, mode),
        DIRECTORY => tree.add_directory(name, mode),
        LINK => {
            let mut target = Vec::new();
            let read = entry.by_ref().take(MAX_TARGET_BYTES).read_to_end(&mut target);
            read.map_err(|error| ArchiveError::Damaged(format!("{}: {error}", shown(name))))?;
            tree.add_link(name, &target)
        }
        0 | FILE => tree.add_file(name, &mut entry, size, mode, modified),
        _ => Err(refused(name, "is a device, a named pipe or a socket")),
    }
}

/// The time of the last modification. Without a time zone it is taken for UTC: builds compare times with each other.
fn modified(entry: &ZipFile<'_, impl Read>) -> Option<SystemTime> {
    let exact = entry.extra_data_fields().find_map(|field| match field {
        ExtraField::ExtendedTimestamp(times) => times.mod_time(),
        _ => None,
    });
    let seconds = match exact {
        Some(seconds) => u64::from(seconds),
        None => seconds_since_1970(entry.last_modified()?),
    };
    SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))
}

/// The seconds from 1970 to a time after 1980, the first one that zip archives can hold.
fn seconds_since_1970(time: DateTime) -> u64 {
    // Years are counted from March: a leap day is then the last day of its year.
    let (year, month) = (u64::from(time.year()), u64::from(time.month()));
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    const DAYS_TO_1970: u64 = 719_469;
    let days = 365 * year + year / 4 - year / 100
        + year / 400
        + (153 * month + 2) / 5
        + u64::from(time.day())
        - DAYS_TO_1970;
    let minutes = (days * 24 + u64::from(time.hour())) * 60 + u64::from(time.minute());
    minutes * 60 + u64::from(time.second())
}
