//! Where the body of a function begins, behind the code that makes room for its variables.
//!
//! The same rules as GDB's are followed, so that what is found at a place here is what people find there.

use super::lines::{Lines, Row};
use crate::Machine;
use std::ops::Range;

/// What is known about the compiler of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Compiler {
    /// Says where variables are from the first instruction on.
    Exact,
    /// Has lines for where bodies begin.
    Llvm,
    Other,
}

impl Compiler {
    /// `moving` is whether there are variables of which it says for each instruction where they are.
    pub(super) fn new(producer: &[u8], moving: bool) -> Self {
        match producer {
            producer if producer.starts_with(b"clang ") => Self::Llvm,
            producer if producer.starts_with(b"GNU ") && moving => Self::Exact,
            _ => Self::Other,
        }
    }
}

/// Where the body of a function begins. So many bytes set up its `frame`.
pub(super) fn start(
    entry: u64,
    range: &Range<u64>,
    frame: u64,
    compiler: Compiler,
    lines: &Lines,
) -> u64 {
    let behind = match compiler {
        Compiler::Exact => return entry,
        Compiler::Llvm => behind_first_lines(entry, range, lines),
        Compiler::Other => None,
    };
    let behind = behind.unwrap_or_else(|| entry.saturating_add(frame));
    // In the middle of a line, its rest belongs to the beginning.
    let Some(row) = lines.at(behind) else { return behind };
    let end = lines.end_of(behind).filter(|end| range.contains(end));
    if row.address == behind { behind } else { end.unwrap_or(behind) }
}

/// How many bytes of code set up the frame: `push %rbp; mov %rsp,%rbp`, maybe behind `endbr64` and, in
/// programs of 32 bits, behind `lea 4(%esp),%ecx; and $-16,%esp; push -4(%ecx)`.
pub(super) fn behind_frame(machine: Machine, code: &[u8]) -> u64 {
    let parts: [&[&[u8]]; 4] = match machine {
        Machine::X86_64 => [
            &[&[0xf3, 0x0f, 0x1e, 0xfa], &[]],
            &[&[]],
            &[&[0x55], &[0x40, 0x55]],
            &[&[0x48, 0x89, 0xe5], &[0x48, 0x8b, 0xec]],
        ],
        Machine::I386 => [
            &[&[0xf3, 0x0f, 0x1e, 0xfb], &[]],
            &[&[0x8d, 0x4c, 0x24, 0x04, 0x83, 0xe4, 0xf0, 0xff, 0x71, 0xfc], &[]],
            &[&[0x55]],
            &[&[0x89, 0xe5], &[0x8b, 0xec]],
        ],
    };
    let mut rest = code;
    for choices in parts {
        let Some(next) = choices.iter().find_map(|choice| rest.strip_prefix(*choice)) else {
            return 0;
        };
        rest = next;
    }
    (code.len() - rest.len()) as u64
}

/// The line that is marked, if there is one; else the second line, unless it comes before the first: then the compiler has moved code around.
fn behind_first_lines(entry: u64, range: &Range<u64>, lines: &Lines) -> Option<u64> {
    let mut row = lines.at(entry).filter(|row| row.line != 0)?;
    let is_there = |other: &&Row| !other.end && Lines::same_file(row, other);
    let mut inside = lines.within(range).iter().filter(is_there);
    if let Some(marked) = inside.find(|other| other.body) {
        return Some(marked.address);
    }
    let at_entry = lines.within(&(row.address..row.address.saturating_add(1))).iter();
    if at_entry.filter(is_there).count() > 1 {
        // Two lines for one instruction say that nothing comes before the body.
        return Some(row.address);
    }
    let end_of = |address| lines.end_of(address).filter(|end| range.contains(end));
    let mut end = end_of(row.address)?;
    while let Some(next) = lines.at(end) {
        if next.line == 0 || next.line >= row.line || !Lines::same_file(row, next) {
            break;
        }
        let Some(next_end) = end_of(end) else { break };
        (row, end) = (next, next_end);
    }
    Some(end)
}
