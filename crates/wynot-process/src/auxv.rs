//! The auxiliary vector of a process: the values that the system hands to a program when it starts.

use crate::machine::Machine;
use std::fs;
use std::io;

/// The value of an entry of `/proc/PID/auxv`, such as `AT_ENTRY`; `None` if the vector has no such entry.
pub fn value(pid: i32, machine: Machine, entry: u64) -> io::Result<Option<u64>> {
    let bytes = fs::read(format!("/proc/{pid}/auxv"))?;
    let word = machine.word_size() as usize;
    let mut pairs = bytes.chunks_exact(2 * word);
    let found = pairs.find(|pair| machine.read_word(pair) == Some(entry));
    Ok(found.and_then(|pair| machine.read_word(&pair[word..])))
}
