//! What a runner writes: the reply of its supervisor, and facts about the worker.
//!
//! A record begins with a line that names its format, and ends with a line of its own, so that another file, or a part of
//! a record, is not taken for one.

use super::worker_facts::WorkerFacts;
use crate::supervisor::protocol::SupervisorReply;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;

/// The name of the file with the record, in the input root.
pub const RECORD_FILE: &str = "observation";

/// The first line of a record.
const BEGINNING: &[u8] = b"wynot observation 2\n";

/// The last line of a record.
const END: &[u8] = b"\nend of observation\n";

/// The record of a run on a worker.
#[derive(Debug)]
pub struct WorkerRecord {
    /// The reply of the supervisor.
    pub reply: SupervisorReply,
    /// What else the runner noticed.
    pub details: RecordDetails,
}

/// What a runner notices besides the reply of its supervisor.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RecordDetails {
    /// The files of the varying folder that the test has read, if that was recorded.
    pub read: Option<BTreeSet<PathBuf>>,
    /// Facts about the worker.
    pub worker: WorkerFacts,
}

impl WorkerRecord {
    /// The record as bytes.
    pub fn encode(&self) -> Vec<u8> {
        let reply = self.reply.encode();
        // Paths that are not Unicode cannot be written as JSON; then the reads stay unknown.
        let details = serde_json::to_vec(&self.details)
            .or_else(|_| serde_json::to_vec(&RecordDetails::default()))
            .unwrap_or_default();
        let mut bytes = BEGINNING.to_vec();
        for part in [&details, &reply] {
            bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
            bytes.extend_from_slice(part);
        }
        bytes.extend_from_slice(END);
        bytes
    }

    /// The record that some bytes stand for. An error means that they are no valid record.
    pub fn decode(bytes: &[u8]) -> io::Result<Self> {
        let invalid = || io::Error::new(io::ErrorKind::InvalidData, "no valid record");
        let mut rest = bytes
            .strip_prefix(BEGINNING)
            .and_then(|rest| rest.strip_suffix(END))
            .ok_or_else(invalid)?;
        let mut part = || {
            let (length, after) = rest.split_at_checked(8)?;
            let length = u64::from_le_bytes(length.try_into().ok()?);
            let (part, after) = after.split_at_checked(usize::try_from(length).ok()?)?;
            rest = after;
            Some(part)
        };
        let (details, reply) = part().zip(part()).ok_or_else(invalid)?;
        if !rest.is_empty() {
            return Err(invalid());
        }
        Ok(Self {
            details: serde_json::from_slice(details)?,
            reply: SupervisorReply::decode(reply)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_record_is_no_record() {
        let reply = SupervisorReply::CannotStart { errno: 2 };
        let record = WorkerRecord { reply, details: RecordDetails::default() };
        let bytes = record.encode();
        let decoded = WorkerRecord::decode(&bytes).unwrap();
        assert!(matches!(decoded.reply, SupervisorReply::CannotStart { errno: 2 }));
        for length in 0..bytes.len() {
            assert!(WorkerRecord::decode(&bytes[..length]).is_err(), "{length} bytes");
        }
        assert!(WorkerRecord::decode(b"").is_err());
    }
}
