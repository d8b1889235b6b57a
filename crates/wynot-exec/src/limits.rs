//! Resource limits of tests.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Resource limits of each test process. Core files are never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum address space in bytes.
    pub memory: Option<u64>,
    /// The maximum processor time in seconds.
    pub cpu: Option<u64>,
    /// The maximum size in bytes of a file that the process writes.
    pub file: Option<u64>,
}

impl Default for Limits {
    /// One gigabyte per file, so that a runaway test does not fill the disk; the rest is unlimited.
    fn default() -> Self {
        Self { memory: None, cpu: None, file: Some(1 << 30) }
    }
}

/// One limit, the value of `--limit`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `memory=SIZE`
    Memory(Option<u64>),
    /// `cpu=SECONDS`
    Cpu(Option<u64>),
    /// `file=SIZE`
    File(Option<u64>),
}

impl Limits {
    /// Sets one limit.
    pub fn set(&mut self, limit: Limit) {
        match limit {
            Limit::Memory(value) => self.memory = value,
            Limit::Cpu(value) => self.cpu = value,
            Limit::File(value) => self.file = value,
        }
    }
}

/// A limit that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no limit: use memory=SIZE, cpu=SECONDS or file=SIZE, with SIZE such as 512M, 2G or none (memory: at least 64M)"
)]
pub struct BadLimit(String);

/// The lowest memory limit: the process that starts the test needs about this much itself.
const MIN_MEMORY_BYTES: u64 = 64 << 20;

impl FromStr for Limit {
    type Err = BadLimit;

    fn from_str(text: &str) -> Result<Self, BadLimit> {
        let bad = || BadLimit(text.to_owned());
        let (kind, value) = text.split_once('=').ok_or_else(bad)?;
        let amount = |text: &str| match text {
            "none" => Ok(None),
            _ => parse_number(text).map(Some).ok_or_else(bad),
        };
        match kind {
            "memory" => match amount(value)? {
                Some(bytes) if bytes < MIN_MEMORY_BYTES => Err(bad()),
                amount => Ok(Self::Memory(amount)),
            },
            "file" => Ok(Self::File(amount(value)?)),
            "cpu" => Ok(Self::Cpu(amount(value.strip_suffix('s').unwrap_or(value))?)),
            _ => Err(bad()),
        }
    }
}

/// Parses a number of bytes such as 200, 4K or 1M.
pub fn size(text: &str) -> Result<u64, String> {
    parse_number(text)
        .ok_or_else(|| format!("'{text}' is no size: use a number such as 200, 4K or 1M"))
}

/// Parses a positive number with an optional suffix K, M or G.
fn parse_number(text: &str) -> Option<u64> {
    let (digits, shift) = match text.chars().last()? {
        'K' | 'k' => (&text[..text.len() - 1], 10),
        'M' | 'm' => (&text[..text.len() - 1], 20),
        'G' | 'g' => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|&value| value > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_parsed_with_their_units() {
        assert_eq!("memory=2G".parse(), Ok(Limit::Memory(Some(2 << 30))));
        assert_eq!("file=none".parse(), Ok(Limit::File(None)));
        assert_eq!("cpu=10s".parse(), Ok(Limit::Cpu(Some(10))));
        for bad in ["memory", "memory=1M", "disk=3G", "file=-1", "file=é"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }
}
