//! The lines of a journal: each is a checksum, a blank, and a record as JSON.
//!
//! A line whose checksum does not fit is never taken for a record, so that a flipped bit cannot become another outcome.
//! The checksum covers one line and no other, so that lines can be searched and copied with the usual tools.

use crate::record::{Record, RunRecord};
use std::io;

/// The number of hexadecimal digits of a checksum.
const CHECKSUM_DIGITS: usize = 16;

/// The beginning of the JSON of a run record.
const RUN: &[u8] = b"{\"run\":";

/// The beginning of the JSON of a test record.
const TEST: &[u8] = b"{\"test\":";

/// Writes the line of a record, with its end, to an empty buffer.
pub(crate) fn write_line(record: &Record, line: &mut Vec<u8>) -> io::Result<()> {
    line.resize(CHECKSUM_DIGITS, b'0');
    line.push(b' ');
    serde_json::to_writer(&mut *line, record)?;
    let checksum = checksum(&line[CHECKSUM_DIGITS + 1..]);
    line[..CHECKSUM_DIGITS].copy_from_slice(checksum.as_bytes());
    line.push(b'\n');
    Ok(())
}

/// The record of a line with its end; `None` if the line is damaged or incomplete.
pub(crate) fn read_line(line: &[u8]) -> Option<Record> {
    serde_json::from_slice(intact_json(line.strip_suffix(b"\n")?)?).ok()
}

/// The run record of a line without its end, if it holds one; also that of an earlier format, which had no checksums.
pub(crate) fn read_run(line: &[u8]) -> Option<RunRecord> {
    let json = match line.starts_with(RUN) {
        true => line,
        false => {
            json_of(line).filter(|json| json.starts_with(RUN))?;
            intact_json(line)?
        }
    };
    match serde_json::from_slice(json) {
        Ok(Record::Run(run)) => Some(run),
        _ => None,
    }
}

/// Whether a line, perhaps a damaged one, seems to hold a test record.
pub(crate) fn looks_like_test(line: &[u8]) -> bool {
    json_of(line).is_some_and(|json| json.starts_with(TEST))
}

/// The version of the format of a journal, given its first line: intact, or of a format without checksums.
pub(crate) fn schema_of(first_line: &[u8]) -> Option<u32> {
    let line = first_line.strip_suffix(b"\n").unwrap_or(first_line);
    let json = if line.starts_with(b"{") { line } else { intact_json(line)? };
    let value: serde_json::Value = serde_json::from_slice(json).ok()?;
    u32::try_from(value.get("session")?.get("schema")?.as_u64()?).ok()
}

/// The JSON of a line without its end, if the checksum fits.
fn intact_json(line: &[u8]) -> Option<&[u8]> {
    let json = json_of(line)?;
    line.starts_with(checksum(json).as_bytes()).then_some(json)
}

/// What follows the checksum of a line.
fn json_of(line: &[u8]) -> Option<&[u8]> {
    line.get(CHECKSUM_DIGITS..)?.strip_prefix(b" ")
}

/// The checksum of some bytes: the beginning of their BLAKE3 digest.
fn checksum(json: &[u8]) -> String {
    let digest = blake3::hash(json).to_hex();
    digest[..CHECKSUM_DIGITS].to_owned()
}
