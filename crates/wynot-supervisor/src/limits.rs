//! Resource limits of tests.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// Resource limits of tests. Core files are never written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The maximum address space of a process in bytes.
    pub memory: Option<u64>,
    /// The maximum processor time of a process in seconds.
    pub cpu: Option<u64>,
    /// The maximum size in bytes of a file that a process writes.
    pub file: Option<u64>,
    /// The maximum number of processes of a test.
    pub processes: Option<u64>,
    /// The maximum memory that all processes of a test use together.
    pub resident: ResidentLimit,
}

/// The maximum memory that all processes of a test use together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResidentLimit {
    /// Three quarters of the memory of the machine.
    PartOfMachine,
    /// This many bytes.
    Bytes(u64),
    /// As much as there is.
    Unlimited,
}

impl ResidentLimit {
    /// The limit on this machine in bytes, if there is one.
    pub fn bytes(self) -> Option<u64> {
        match self {
            Self::PartOfMachine => {
                let machine = rustix::system::sysinfo();
                Some(machine.totalram as u64 / 4 * 3 * u64::from(machine.mem_unit))
            }
            Self::Bytes(bytes) => Some(bytes),
            Self::Unlimited => None,
        }
    }
}

/// The number of processes that a test may have by default. Builds have a few for each processor.
const DEFAULT_PROCESSES: u64 = 4096;

impl Default for Limits {
    /// One gigabyte per file, 4,096 processes and three quarters of the machine's memory, so that a runaway test does not
    /// fill the disk, the table of processes or the memory; the rest is unlimited.
    fn default() -> Self {
        Self {
            memory: None,
            cpu: None,
            file: Some(1 << 30),
            processes: Some(DEFAULT_PROCESSES),
            resident: ResidentLimit::PartOfMachine,
        }
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
    /// `processes=NUMBER`
    Processes(Option<u64>),
    /// `resident=SIZE`
    Resident(Option<u64>),
}

impl Limits {
    /// Sets one limit.
    pub fn set(&mut self, limit: Limit) {
        match limit {
            Limit::Memory(value) => self.memory = value,
            Limit::Cpu(value) => self.cpu = value,
            Limit::File(value) => self.file = value,
            Limit::Processes(value) => self.processes = value,
            Limit::Resident(value) => {
                self.resident = value.map_or(ResidentLimit::Unlimited, ResidentLimit::Bytes);
            }
        }
    }
}

/// A limit that cannot be parsed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no limit: use memory=SIZE, cpu=SECONDS, file=SIZE, processes=NUMBER or resident=SIZE, with SIZE such as 512M, 2G or none (memory: at least 64M)"
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
            "processes" => Ok(Self::Processes(amount(value)?)),
            "resident" => Ok(Self::Resident(amount(value)?)),
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
        assert_eq!("processes=50".parse(), Ok(Limit::Processes(Some(50))));
        assert_eq!("resident=none".parse(), Ok(Limit::Resident(None)));
        for bad in ["memory", "memory=1M", "disk=3G", "file=-1", "file=é"] {
            assert!(bad.parse::<Limit>().is_err(), "{bad}");
        }
    }
}
